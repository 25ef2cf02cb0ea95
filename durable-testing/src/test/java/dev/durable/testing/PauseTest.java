package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.StartOptions;
import dev.durable.client.WaitingReason.Kind;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A pause stops the code of a run and no clock; run on each kind of store. */
abstract class PauseTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Workflow
    static class Approval {
        private boolean approved;

        @Run
        public String run() {
            return Durable.await(HOUR, () -> approved) ? "approved" : "too late";
        }

        @Signal
        public void approve() {
            approved = true;
        }
    }

    @Workflow
    static class Parent {
        @Run
        public String run() {
            return "child: "
                    + Durable.startChild(Approval.class, ChildOptions.id("child"), Approval::run)
                            .result();
        }
    }

    private static WorkflowHandle<Approval, String> approval(TestEngine engine) {
        engine.register(Approval.class, Parent.class);
        WorkflowHandle<Approval, String> run = engine.client()
                .start(Approval.class, StartOptions.id("a-1").runTimeout(HOUR.multipliedBy(9)), Approval::run);
        engine.settle();
        return run;
    }

    @Test
    void a_signal_that_came_in_time_counts_though_the_time_was_over_before_the_resumption(TestEngine engine) {
        WorkflowHandle<Approval, String> run = approval(engine);
        run.by("ann").pause("the rules are checked");
        run.signal(Approval::approve);

        engine.advance(HOUR.multipliedBy(3));
        assertThat(run.whyWaiting().isFor(Kind.PAUSED)).isTrue();
        run.resume();

        assertThat(run.result()).isEqualTo("approved");
    }

    @Test
    void a_timer_goes_on_and_fires_at_the_resumption_where_its_time_is_over(TestEngine engine) {
        WorkflowHandle<Approval, String> run = approval(engine);
        run.by("ann").pause("the rules are checked");

        engine.advance(HOUR.multipliedBy(3));
        run.resume();
        engine.settle();

        assertThat(run.describe().summary().closedAt()).isBefore(engine.now().plus(Duration.ofMinutes(1)));
        assertThat(run.result()).isEqualTo("too late");
    }

    @Test
    void a_timer_that_is_not_due_at_the_resumption_keeps_its_time(TestEngine engine) {
        WorkflowHandle<Approval, String> run = approval(engine);
        run.by("ann").pause("the rules are checked");
        engine.advance(Duration.ofMinutes(30));
        run.resume();
        engine.settle();
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);

        engine.advance(Duration.ofMinutes(31));

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void the_run_timeout_of_a_paused_run_goes_on(TestEngine engine) {
        WorkflowHandle<Approval, String> run = approval(engine);
        run.by("ann").pause("the rules are checked");

        engine.advance(HOUR.multipliedBy(10));

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.TIMED_OUT);
        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
    }

    @Test
    void a_pause_of_a_child_is_not_one_of_its_parent_which_waits_for_it(TestEngine engine) {
        engine.register(Approval.class, Parent.class);
        WorkflowHandle<Parent, String> parent = engine.client().start(Parent.class, "p-1", Parent::run);
        engine.settle();
        engine.client().handle("child").by("ann").pause("the rules are checked");
        engine.advance(HOUR.multipliedBy(3));

        assertThat(parent.describe().paused()).isFalse();
        assertThat(parent.whyWaiting().isFor(Kind.CHILD)).isTrue();
        engine.client().handle("child").resume();

        assertThat(parent.result()).isEqualTo("child: too late");
    }

    @Test
    void a_pause_of_a_parent_is_not_one_of_its_child_whose_end_it_hears_when_it_is_resumed(TestEngine engine) {
        engine.register(Approval.class, Parent.class);
        WorkflowHandle<Parent, String> parent = engine.client().start(Parent.class, "p-1", Parent::run);
        engine.settle();
        parent.by("ann").pause("the rules are checked");
        engine.advance(HOUR.multipliedBy(3));

        assertThat(engine.client().handle("child").describe().summary().status())
                .isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(parent.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        parent.resume();

        assertThat(parent.result()).isEqualTo("child: too late");
    }
}
