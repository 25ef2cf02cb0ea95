package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.WorkflowInfo;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Children together with messages, cancellation, timeouts, and chains of their own; {@code docs/conformance.md}. */
@DurableTest
class FamilyConformanceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Waits in two runs of one chain until it is told to end. */
    @Workflow
    static class Member {
        private final List<String> heard = new ArrayList<>();
        private boolean end;

        @Run
        String run(int links, List<String> before) {
            heard.addAll(before);
            if (links > 1) {
                Durable.sleep(HOUR);
                throw Durable.continueAsNew(Member.class, w -> w.run(links - 1, heard));
            }
            WorkflowInfo.Relative parent = Durable.info().parent();
            Durable.await(() -> end);
            return (parent == null ? "nobody" : parent.workflowId()) + heard;
        }

        @Signal
        void hear(String word) {
            heard.add(word);
        }

        @Signal
        void end() {
            end = true;
        }
    }

    /** Has a child, and passes on what it is told. */
    @Workflow
    static class Head {
        private ChildHandle<Member, String> child;

        @Run
        String run(String how) {
            switch (how) {
                case "two links" -> child = member(ChildOptions.id("m"), 2);
                case "cancelled at once" -> {
                    child = member(ChildOptions.id("m"), 1);
                    child.cancel("changed my mind");
                }
                case "by external" -> {
                    child = member(ChildOptions.id("m"), 1);
                    Durable.external(Member.class, "m").signal(w -> w.hear("from outside"));
                    child.signal(Member::end);
                }
                case "delayed" -> child = member(ChildOptions.id("m").startDelay(HOUR), 1);
                case "after its end" -> {
                    child = member(ChildOptions.id("m"), 1);
                    child.signal(Member::end);
                    String result = child.result();
                    child.signal(w -> w.hear("too late"));
                    child.cancel();
                    return result;
                }
                case "in a coroutine" -> {
                    Promise<String> together = Durable.async(() -> {
                        child = member(ChildOptions.id("m"), 1);
                        return child.result();
                    });
                    Durable.sleep(HOUR);
                    together.cancel();
                    Durable.sleep(HOUR);
                    return "went on";
                }
                case "in clean-up" -> {
                    try {
                        Durable.await(() -> false);
                    } catch (CancelledException e) {
                        Durable.detached(() -> {
                            child = member(ChildOptions.id("m"), 1);
                            child.result();
                        });
                        throw e;
                    }
                }
                case "mapped" -> {
                    return Promise.map(List.of("a", "b", "c", "d"), 2, id -> {
                                ChildHandle<Member, String> each = member(ChildOptions.id(id), 1);
                                each.signal(w -> w.hear(id));
                                each.signal(Member::end);
                                return each.result();
                            })
                            .toString();
                }
                case "expires" ->
                    child = Durable.startChild(
                            Member.class,
                            ChildOptions.id("m").taskQueue("nobody").expiresIn(HOUR),
                            w -> w.run(1, List.of()));
                default -> Durable.await(() -> child != null);
            }
            try {
                return child.result();
            } catch (ChildFailedException e) {
                return e.status().name();
            }
        }

        private static ChildHandle<Member, String> member(ChildOptions options, int links) {
            return Durable.startChild(Member.class, options, w -> w.run(links, List.of()));
        }

        @Signal
        void pass(String word) {
            child.signal(w -> w.hear(word));
        }

        @Signal
        void release() {
            child.signal(Member::end);
        }

        @Signal
        void giveUp() {
            child.cancel("given up");
        }

        @Update
        String adopt(String id) {
            child = member(ChildOptions.id(id), 1);
            child.signal(Member::end);
            return child.result();
        }
    }

    private static WorkflowHandle<Head, String> head(TestEngine engine, String how) {
        engine.register(Head.class, Member.class);
        WorkflowHandle<Head, String> run = engine.client().start(Head.class, "h", w -> w.run(how));
        engine.settle();
        return run;
    }

    private static WorkflowStatus status(TestEngine engine, String id) {
        return engine.client().handle(id).describe().summary().status();
    }

    // ── a child of two links ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_that_has_continued_as_new_still_knows_its_parent(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "two links");
        engine.advance(HOUR.multipliedBy(2));
        assertThat(engine.client().handle("m").describe().parent().workflowId()).isEqualTo("h");
        engine.client().handle(Member.class, "m").signal(Member::end);

        assertThat(run.result()).isEqualTo("h[]");
    }

    @Test
    void signals_of_the_parent_follow_a_child_that_has_continued_as_new(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "two links");
        run.signal(w -> w.pass("first"));
        engine.advance(HOUR.multipliedBy(2));
        run.signal(w -> w.pass("second"));
        run.signal(Head::release);

        assertThat(run.result(HOUR)).isEqualTo("h[first, second]");
    }

    @Test
    void a_cancellation_by_the_parent_follows_a_child_that_has_continued_as_new(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "two links");
        engine.advance(HOUR.multipliedBy(2));
        run.signal(Head::giveUp);
        engine.settle();

        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.CANCELLED);
        assertThatThrownBy(() -> run.result(HOUR)).hasStackTraceContaining("given up");
    }

    @Test
    void the_end_of_the_parent_ends_a_child_that_has_continued_as_new(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "two links");
        engine.advance(HOUR.multipliedBy(2));
        run.terminate("enough");
        engine.settle();

        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    // ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_signal_by_the_id_of_a_child_arrives_behind_its_start(TestEngine engine) {
        assertThat(head(engine, "by external").result()).isEqualTo("h[from outside]");
    }

    @Test
    void messages_to_a_child_that_has_ended_are_dropped_and_its_parent_goes_on(TestEngine engine) {
        assertThat(head(engine, "after its end").result()).isEqualTo("h[]");
    }

    @Test
    void a_handler_of_an_update_starts_a_child_and_answers_with_its_result(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "waits");
        String answer = run.update(w -> w.adopt("m"));

        assertThat(answer).isEqualTo("h[]");
        assertThat(run.result()).isEqualTo("h[]");
    }

    @Test
    void a_paused_parent_gets_the_result_of_its_child_when_it_is_resumed(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "delayed");
        run.pause("maintenance");
        engine.advance(HOUR);
        engine.client().handle(Member.class, "m").signal(Member::end);
        engine.settle();
        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(status(engine, "h")).isEqualTo(WorkflowStatus.RUNNING);
        run.resume();

        assertThat(run.result()).isEqualTo("h[]");
    }

    @Test
    void children_are_started_two_at_a_time_and_their_results_keep_the_order(TestEngine engine) {
        assertThat(head(engine, "mapped").result()).isEqualTo("[h[a], h[b], h[c], h[d]]");
    }

    // ── cancellation and time ───────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_that_is_cancelled_in_the_turn_of_its_start_ends_as_cancelled(TestEngine engine) {
        assertThatThrownBy(head(engine, "cancelled at once")::result).hasStackTraceContaining("changed my mind");
        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_delayed_child_whose_parent_is_cancelled_does_not_wait_for_its_delay(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "delayed");
        run.cancel("stop");
        engine.settle();

        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(status(engine, "h")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void the_cancellation_of_a_coroutine_cancels_the_child_that_it_has_started(TestEngine engine) {
        assertThat(head(engine, "in a coroutine").result()).isEqualTo("went on");
        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_cancelled_run_starts_a_child_to_clean_up_and_waits_for_it(TestEngine engine) {
        WorkflowHandle<Head, String> run = head(engine, "in clean-up");
        run.cancel("stop");
        engine.settle();
        assertThat(status(engine, "h")).isEqualTo(WorkflowStatus.RUNNING);
        engine.client().handle(Member.class, "m").signal(Member::end);
        engine.settle();

        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(status(engine, "h")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_parent_that_runs_out_of_its_time_ends_its_child(TestEngine engine) {
        engine.register(Head.class, Member.class);
        WorkflowHandle<Head, String> run =
                engine.client().start(Head.class, StartOptions.id("h").runTimeout(HOUR), w -> w.run("delayed"));
        assertThatThrownBy(run::result).hasMessageContaining("h");
        engine.settle();

        assertThat(status(engine, "m")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_that_nobody_began_by_its_expiry_tells_so(TestEngine engine) {
        assertThat(head(engine, "expires").result()).isEqualTo("TIMED_OUT");
    }
}
