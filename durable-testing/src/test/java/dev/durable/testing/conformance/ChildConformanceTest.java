package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildNotStartedException;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Children as the feature lists of other engines name them; {@code docs/conformance.md}. */
@DurableTest
class ChildConformanceTest {
    private static final Duration DAY = Duration.ofDays(1);

    /** Does what its argument says. */
    @Workflow
    static class Child {
        private String word = "";

        @Run
        String run(String how) {
            switch (how) {
                case "fails" -> throw new IllegalStateException("no luck");
                case "sleeps" -> Durable.sleep(DAY);
                case "listens" -> Durable.await(() -> !word.isEmpty());
                case "continues" -> throw Durable.continueAsNew(Child.class, w -> w.run("the next link"));
                case "has a child" ->
                    Durable.startChild(Child.class, ChildOptions.id("grandchild"), w -> w.run("sleeps"))
                            .result();
                case "tells its queue" -> {
                    return Durable.info().taskQueue();
                }
                case "tells its headers" -> {
                    return Durable.info().headers().toString();
                }
                default -> {}
            }
            return how + word;
        }

        @Signal
        void say(String what) {
            word = " " + what;
        }
    }

    /** Starts the child of its argument with the options of the test. */
    @Workflow
    static class Parent {
        @Run
        String run(String how) {
            return switch (how) {
                case "ids" -> {
                    ChildHandle<Child, String> child =
                            Durable.startChild(Child.class, ChildOptions.id("child"), w -> w.run("sleeps"));
                    String before = child.workflowId() + " " + child.runId();
                    child.started().get();
                    yield before + " " + child.runId() + " " + child.result();
                }
                case "result" ->
                    Durable.startChild(Child.class, ChildOptions.id("child"), w -> w.run("a"))
                            .result();
                case "terminated" -> outcome(ChildOptions.id("child"), "sleeps");
                case "twice" ->
                    outcome(ChildOptions.id("child"), "fails") + ", " + outcome(ChildOptions.id("child"), "fails");
                case "tree" -> outcome(ChildOptions.id("child"), "has a child");
                case "continues" -> outcome(ChildOptions.id("child"), "continues");
                case "queue" -> outcome(ChildOptions.id("child").taskQueue("other"), "tells its queue");
                case "headers" -> outcome(ChildOptions.id("child").header("step", "2"), "tells its headers");
                case "later" -> {
                    String result = outcome(ChildOptions.id("child").startDelay(DAY), "a");
                    yield result + " after " + Duration.between(Durable.info().startedAt(), Durable.now());
                }
                case "in use" -> {
                    Promise<String> first = Durable.startChild(
                                    Child.class, ChildOptions.id("child"), w -> w.run("sleeps"))
                            .resultPromise();
                    String second = outcome(ChildOptions.id("child"), "a");
                    yield first.get() + ", " + second;
                }
                case "one way" -> {
                    Durable.startChild(
                            Child.class,
                            ChildOptions.id("child").parentClosePolicy(ParentClosePolicy.ABANDON),
                            w -> w.run("sleeps"));
                    yield "did not wait";
                }
                case "one way, later" -> {
                    Durable.startChild(
                            Child.class,
                            ChildOptions.id("child").startDelay(DAY).parentClosePolicy(ParentClosePolicy.ABANDON),
                            w -> w.run("a"));
                    yield "did not wait";
                }
                case "continues and abandons" -> {
                    Durable.startChild(
                            Child.class,
                            ChildOptions.id("other child").parentClosePolicy(ParentClosePolicy.ABANDON),
                            w -> w.run("sleeps"));
                    throw Durable.continueAsNew(Parent.class, w -> w.run("outlives"));
                }
                case "outlives" -> {
                    Durable.sleep(DAY.multipliedBy(2));
                    yield outcome(ChildOptions.id("child"), "a");
                }
                case "any" ->
                    Promise.any(List.of(
                            Durable.startChild(Child.class, ChildOptions.id("slow"), w -> w.run("sleeps"))
                                    .resultPromise(),
                            Durable.startChild(Child.class, ChildOptions.id("quick"), w -> w.run("quick"))
                                    .resultPromise()));
                default -> throw new IllegalArgumentException(how);
            };
        }

        private static String outcome(ChildOptions options, String how) {
            try {
                return Durable.startChild(Child.class, options, w -> w.run(how)).result();
            } catch (ChildNotStartedException e) {
                return "not started";
            } catch (ChildFailedException e) {
                return e.status() + " "
                        + (e.failure() == null ? "" : e.failure().message());
            }
        }
    }

    private static WorkflowHandle<Parent, String> parent(TestEngine engine, String how) {
        engine.register(Parent.class, Child.class).queue("default", o -> {}).queue("other", o -> {});
        WorkflowHandle<Parent, String> run = engine.client()
                .start(Parent.class, StartOptions.id("parent").header("tenant", "acme"), w -> w.run(how));
        engine.settle();
        return run;
    }

    private static WorkflowStatus status(TestEngine engine, String id) {
        return engine.client().handle(id).describe().summary().status();
    }

    @Test
    void a_child_gives_its_result_to_its_parent(TestEngine engine) {
        assertThat(parent(engine, "result").result()).isEqualTo("a");
    }

    @Test
    void a_handle_tells_the_ids_of_the_child_before_it_has_started(TestEngine engine) {
        String ids = parent(engine, "ids").result();
        UUID runId = engine.client().handle("child").describe().summary().runId();

        assertThat(ids).isEqualTo("child " + runId + " " + runId + " sleeps");
    }

    @Test
    void a_parent_hears_that_its_child_was_terminated(TestEngine engine) {
        WorkflowHandle<Parent, String> parent = parent(engine, "terminated");
        engine.client().handle("child").terminate("not needed");

        assertThat(parent.result()).startsWith("TERMINATED").contains("not needed");
    }

    @Test
    void a_child_that_failed_may_be_started_again_under_its_id(TestEngine engine) {
        assertThat(parent(engine, "twice").result()).isEqualTo("FAILED no luck, FAILED no luck");
    }

    @Test
    void a_second_child_of_an_id_in_use_is_not_started_and_the_first_goes_on(TestEngine engine) {
        assertThat(parent(engine, "in use").result()).isEqualTo("sleeps, not started");
    }

    @Test
    void a_child_that_continues_as_new_gives_its_parent_the_result_of_its_last_run(TestEngine engine) {
        assertThat(parent(engine, "continues").result()).isEqualTo("the next link");
    }

    @Test
    void a_parent_continues_as_new_beside_abandoned_children(TestEngine engine) {
        WorkflowHandle<Parent, String> continued = parent(engine, "continues and abandons");
        assertThat(continued.result())
                .as("the outcome of the other child is not taken for its own")
                .isEqualTo("a");
        assertThat(engine.client().handle("other child").resultAs(String.class)).isEqualTo("sleeps");
    }

    @Test
    void a_child_runs_in_the_queue_of_its_options(TestEngine engine) {
        assertThat(parent(engine, "queue").result()).isEqualTo("other");
    }

    @Test
    void headers_of_the_parent_reach_the_child_beside_its_own(TestEngine engine) {
        assertThat(parent(engine, "headers").result()).contains("tenant=acme", "step=2");
    }

    @Test
    void a_delayed_child_begins_when_its_delay_is_over_and_its_parent_waits_for_it(TestEngine engine) {
        assertThat(parent(engine, "later").result()).isEqualTo("a after PT24H");
    }

    @Test
    void a_child_that_nothing_waits_for_outlives_its_parent(TestEngine engine) {
        assertThat(parent(engine, "one way").result()).isEqualTo("did not wait");
        assertThat(engine.client().handle("child").resultAs(String.class)).isEqualTo("sleeps");
    }

    @Test
    void a_delayed_child_that_nothing_waits_for_begins_after_the_end_of_its_parent(TestEngine engine) {
        assertThat(parent(engine, "one way, later").result()).isEqualTo("did not wait");
        assertThat(engine.client().handle("child").resultAs(String.class)).isEqualTo("a");
    }

    @Test
    void the_first_of_two_children_to_end_ends_the_wait_for_either(TestEngine engine) {
        assertThat(parent(engine, "any").result()).isEqualTo("quick");
        engine.settle();
        assertThat(status(engine, "slow"))
                .as("the parent has ended, and its policy ends the other")
                .isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_tree_ends_with_the_run_at_its_top(TestEngine engine) {
        WorkflowHandle<Parent, String> parent = parent(engine, "tree");
        assertThat(status(engine, "grandchild")).isEqualTo(WorkflowStatus.RUNNING);

        parent.terminate("all of it");
        engine.settle();

        assertThat(status(engine, "child")).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(status(engine, "grandchild")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_cancellation_reaches_the_lowest_run_of_a_tree(TestEngine engine) {
        WorkflowHandle<Parent, String> parent = parent(engine, "tree");

        parent.cancel("stop");
        engine.settle();

        assertThat(status(engine, "grandchild")).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(status(engine, "child")).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(status(engine, "parent")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_client_signals_a_child_by_its_id(TestEngine engine) {
        engine.register(Listening.class, Child.class);
        WorkflowHandle<Listening, String> parent = engine.client().start(Listening.class, "p-1", Listening::run);
        engine.settle();

        engine.client().handle(Child.class, "child").signal(w -> w.say("hello"));

        assertThat(parent.result()).isEqualTo("listens hello");
    }

    @Workflow
    static class Listening {
        @Run
        String run() {
            return Durable.startChild(Child.class, ChildOptions.id("child"), w -> w.run("listens"))
                    .result();
        }
    }
}
