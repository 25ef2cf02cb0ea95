package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static dev.durable.testing.WorkflowRetryTest.attempts;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.RefusedInputException;
import dev.durable.RegistrationException;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.WorkflowRetryTest.Declined;
import dev.durable.testing.WorkflowRetryTest.Flaky;
import dev.durable.testing.WorkflowRetryTest.Kid;
import dev.durable.testing.WorkflowRetryTest.Ledger;
import dev.durable.testing.WorkflowRetryTest.Mother;
import dev.durable.testing.WorkflowRetryTest.Noted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The options of workflows that are run again: their levels, and what is refused. */
@DurableTest
class WorkflowRetryOptionsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<String> noted = new CopyOnWriteArrayList<>();

    @Test
    void options_of_a_start_go_over_those_of_the_type_one_by_one(TestEngine engine) {
        engine.register(Mother.class, Kid.class);
        engine.client()
                .start(
                        Mother.class,
                        StartOptions.id("m-1").retry(o -> o.maxAttempts(7)).retry(o -> o.doNotRetry(Declined.class)),
                        w -> w.run(false));
        assertThat(attempts(engine, "m-1").getFirst().started().attempt().retry())
                .isEqualTo(new RetryPolicy(
                        7,
                        MINUTE,
                        1.0,
                        MINUTE,
                        0,
                        List.of(Declined.class.getName()),
                        RetryPolicy.DEFAULT.maxWorkerCrashes()));
        engine.client().handle("m-1").terminate("seen");

        engine.client().start(Mother.class, StartOptions.id("m-1").retry(o -> o.maxAttempts(1)), w -> w.run(false));
        assertThat(attempts(engine, "m-1").getFirst().started().attempt()).isNull();
        engine.client().handle("m-1").terminate("seen");
    }

    private void assertThatStartIsRefused(
            TestEngine engine, Consumer<dev.durable.RetryOptionsBuilder> retry, String why) {
        assertThatThrownBy(() -> engine.client()
                        .start(Flaky.class, StartOptions.id("f-1").retry(retry), w -> w.run("", 1)))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage("start of f-1: " + why);
    }

    /** Never asked. */
    static final class Never implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return false;
        }
    }

    @Test
    void a_start_refuses_options_that_are_not_for_workflows(TestEngine engine) {
        engine.register(Flaky.class, new Noted(noted));

        assertThatStartIsRefused(
                engine,
                o -> o.within(HOUR),
                "retry has within PT1H, which is for blocks of workflow code. Set executionTimeout, which bounds all"
                        + " attempts of a workflow.");
        assertThatStartIsRefused(
                engine,
                o -> o.retryIf((failure, attempt) -> false),
                "retry has retryIf. No worker is asked whether a workflow is retried: name the exceptions in doNotRetry, or"
                        + " throw NonRetryableException.");
        assertThatStartIsRefused(
                engine,
                o -> o.policy(RetryPolicy.DEFAULT.withOnExhausted(OnExhausted.INCIDENT)),
                "retry has onExhausted INCIDENT. A workflow has no job that could wait for an operator: when its attempts are"
                        + " used up, it has failed. Leave it out, or set it on the activities.");
        assertThatStartIsRefused(
                engine,
                o -> o.maxAttempts(-1),
                "maxAttempts is wrong at a call site. It must be a whole number, 0 or more, and is -1");
        assertThatThrownBy(() -> engine.client()
                        .enqueue(Ledger.class, StartOptions.id("j-1").retry(RetryPolicy.none()), l -> l.note("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "job j-1: retry(…) is for workflows, whose runs it repeats. A background job is retried by the"
                                + " policy of its activity: activity(o -> o.maxAttempts(…)).");
    }

    /** Its annotation has what is for activities. */
    @Workflow(
            retry =
                    @Retry(
                            retryIf = Never.class,
                            onExhausted = OnExhausted.DISCARD,
                            maxWorkerCrashes = 2,
                            initialInterval = "2m",
                            maxInterval = "1m"))
    static class Wrong {
        @Run
        void run() {}
    }

    @Test
    void a_type_refuses_options_that_are_not_for_workflows(TestEngine engine) {
        engine.register(Wrong.class);

        assertThatThrownBy(engine::client)
                .isInstanceOf(RegistrationException.class)
                .hasMessageContaining("has retryIf in the retry policy of the workflow")
                .hasMessageContaining("has onExhausted in the retry policy of the workflow")
                .hasMessageContaining("has maxWorkerCrashes in the retry policy of the workflow")
                .hasMessageContaining("maxInterval PT1M must not be below initialInterval PT2M");
    }

    /** Its child has options that are not for workflows. */
    @Workflow
    static class WrongMother {
        @Run
        String run() {
            return Durable.startChild(Kid.class, ChildOptions.id("kid").retry(o -> o.within(HOUR)), w -> w.run("", 0))
                    .result();
        }
    }

    @Test
    void a_child_refuses_options_that_are_not_for_workflows(TestEngine engine) {
        engine.register(WrongMother.class, Kid.class);
        WorkflowHandle<WrongMother, String> mother = engine.client().start(WrongMother.class, "m-1", WrongMother::run);

        assertThatThrownBy(engine::settle)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining("Durable.startChild(Kid.class, …) started nothing. retry has within PT1H");

        mother.terminate("seen");
    }
}
