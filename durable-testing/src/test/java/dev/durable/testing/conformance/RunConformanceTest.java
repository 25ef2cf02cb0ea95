package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.CancelledException;
import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.ReusePolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.WorkflowStarted;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts, ends, failures and the state of runs, as other engines' lists name them; {@code docs/conformance.md}. */
@DurableTest
class RunConformanceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @SuppressWarnings("serial")
    static class Declined extends Exception {
        final int code;

        Declined(String message, int code) {
            super(message);
            this.code = code;
        }
    }

    record Item(String name, Map<String, List<Integer>> amounts) {}

    @Activity
    interface Post {
        void send(String letter);
    }

    /** Waits, fails, or gives what its argument says. */
    @Workflow
    static class Task {
        private final Post post;
        private final List<String> state = new ArrayList<>();
        private boolean done;

        Task(Post post) {
            this.post = post;
        }

        @Run
        String run(String how) throws Declined {
            state.add("began");
            switch (how) {
                case "sleeps" -> Durable.sleep(HOUR);
                case "waits" -> Durable.await(() -> done);
                case "works" -> post.send("a letter");
                case "waits for a promise" -> Durable.newPromise(String.class).get();
                case "fails" -> throw new IllegalStateException("out of luck");
                case "declines" -> throw new Declined("no money", 51);
                case "fails later" -> {
                    Durable.await(() -> done);
                    state.add("goes wrong");
                    throw new IllegalStateException("out of luck");
                }
                case "cleans up" -> {
                    try {
                        Durable.await(() -> done);
                    } catch (CancelledException e) {
                        Durable.detached(() -> post.send("it is over"));
                        throw e;
                    }
                }
                case "draws" -> {
                    String drawn = Durable.uuid() + " " + Durable.random().nextInt() + " "
                            + Durable.sideEffect(Long.class, System::nanoTime);
                    Durable.await(() -> done);
                    return drawn;
                }
                default -> {}
            }
            return how;
        }

        @Signal
        void done() {
            done = true;
        }

        @Query
        List<String> state() {
            return state;
        }
    }

    @Workflow
    static class Payloads {
        @Run
        Item run(Item item, Instant at, UUID id, List<Item> none) {
            return new Item(item.name() + none.size(), item.amounts());
        }
    }

    /** Takes and gives nothing. */
    @Workflow
    static class Nothing {
        @Run
        void run() {}
    }

    private final List<String> letters = new ArrayList<>();

    private WorkflowHandle<Task, String> task(TestEngine engine, String how) {
        engine.register(Task.class, Payloads.class, Nothing.class).activity(Post.class, letters::add);
        return engine.client().start(Task.class, "t-1", w -> w.run(how));
    }

    private static WorkflowStatus status(WorkflowHandle<?, ?> run) {
        return run.describe().summary().status();
    }

    // ── starts ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_first_turn_of_a_start_in_the_process_of_a_worker_is_there_when_the_start_returns(TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, "sleeps");

        assertThat(run.history()).as("nothing else has run since").hasEventTypes("WorkflowStarted", "TimerStarted");
    }

    @Test
    void a_second_start_of_an_open_id_is_refused_or_gives_the_open_run(TestEngine engine) {
        WorkflowHandle<Task, String> first = task(engine, "waits");

        assertThatThrownBy(() -> engine.client().start(Task.class, "t-1", w -> w.run("other")))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        WorkflowHandle<Task, String> second = engine.client()
                .start(
                        Task.class,
                        StartOptions.id("t-1").conflictPolicy(ConflictPolicy.USE_EXISTING),
                        w -> w.run("other"));
        first.signal(Task::done);

        assertThat(second.runId()).isEqualTo(first.runId());
        assertThat(List.of(first.result(), second.result())).containsOnly("waits");
    }

    @Test
    void a_result_is_had_by_id_from_elsewhere_while_the_run_is_open_and_when_it_has_ended(TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, "sleeps");
        CompletableFuture<String> attached =
                engine.client().handle(Task.class, "t-1").resultAsync().thenApply(String::valueOf);

        assertThat(attached).isNotDone();
        assertThat(run.result()).isEqualTo("sleeps");
        assertThat(attached.join()).contains("sleeps");
        assertThat(engine.client().handle("t-1").resultAs(String.class)).isEqualTo("sleeps");
    }

    @Test
    void an_id_whose_run_has_ended_is_used_again_unless_the_policy_says_otherwise(TestEngine engine) {
        assertThat(task(engine, "a").result()).isEqualTo("a");

        assertThatThrownBy(() -> engine.client()
                        .start(
                                Task.class,
                                StartOptions.id("t-1").reusePolicy(ReusePolicy.REJECT_DUPLICATE),
                                w -> w.run("b")))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        assertThat(engine.client().start(Task.class, "t-1", w -> w.run("c")).result())
                .isEqualTo("c");
    }

    @Test
    void a_start_with_a_delay_begins_after_it(TestEngine engine) {
        task(engine, "a");
        WorkflowHandle<Task, String> run =
                engine.client().start(Task.class, StartOptions.id("t-2").startDelay(HOUR), w -> w.run("b"));
        Instant before = engine.now();
        assertThat(run.history()).hasEventTypes("WorkflowStarted");

        assertThat(run.result()).isEqualTo("b");
        assertThat(Duration.between(before, engine.now())).isGreaterThanOrEqualTo(HOUR);
    }

    @Test
    void arguments_and_results_of_generic_types_come_back_as_they_were(TestEngine engine) {
        task(engine, "a");
        Item item = new Item("flour", Map.of("kg", List.of(1, 2), "lb", List.of()));

        WorkflowHandle<Payloads, Item> run = engine.client()
                .start(Payloads.class, "p-1", w -> w.run(item, Instant.EPOCH, UUID.randomUUID(), List.of(item, item)));

        assertThat(run.result()).isEqualTo(new Item("flour2", item.amounts()));
    }

    @Test
    void a_run_takes_and_gives_nothing(TestEngine engine) {
        task(engine, "a");
        WorkflowHandle<Nothing, ?> run = engine.client().startVoid(Nothing.class, "n-1", Nothing::run);

        assertThat(run.result()).isNull();
        assertThat(run.history().events(WorkflowStarted.class)).hasSize(1);
    }

    @Test
    void values_that_code_draws_are_the_same_when_the_run_is_rebuilt(TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, "draws");
        engine.settle();
        run.signal(Task::done);

        assertThat(run.result())
                .as("the kit rebuilds the run in every turn and compares")
                .hasSizeGreaterThan(40);
        assertThat(run.history()).isCompleted();
    }

    // ── failures ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_failure_reaches_who_waits_for_the_result_each_time(TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, "fails");

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(run::result)
                    .isInstanceOf(WorkflowFailedException.class)
                    .hasStackTraceContaining("out of luck");
        }
        assertThat(status(run)).isEqualTo(WorkflowStatus.FAILED);
    }

    @Test
    void a_failure_that_the_run_declares_comes_with_its_own_fields(TestEngine engine) {
        assertThatThrownBy(task(engine, "declines")::result)
                .cause()
                .isInstanceOfSatisfying(Declined.class, e -> assertThat(e.code).isEqualTo(51))
                .hasMessage("no money");
    }

    @Test
    void the_state_up_to_a_failure_can_be_read_afterwards(TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, "fails later");
        engine.settle();
        run.signal(Task::done);
        assertThatThrownBy(run::result).hasStackTraceContaining("out of luck");

        List<String> state = run.query(Task::state);
        assertThat(state).containsExactly("began", "goes wrong");
    }

    @Test
    void a_run_that_ends_by_its_timeout_says_so(TestEngine engine) {
        task(engine, "a");
        WorkflowHandle<Task, String> run =
                engine.client().start(Task.class, StartOptions.id("t-2").runTimeout(HOUR), w -> w.run("waits"));

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.TIMED_OUT));
    }

    // ── cancellation ────────────────────────────────────────────────────────────────────────────────────────────────

    /** A wait of a run. */
    enum Wait {
        SLEEP("sleeps"),
        CONDITION("waits"),
        PROMISE("waits for a promise");

        private final String how;

        Wait(String how) {
            this.how = how;
        }
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void a_request_to_cancel_ends_a_run_wherever_it_waits(Wait wait, TestEngine engine) {
        WorkflowHandle<Task, String> run = task(engine, wait.how);
        engine.settle();
        run.cancel("not needed");

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
    }

    @Test
    void a_cancelled_run_cleans_up_before_it_ends_and_a_terminated_one_does_not(TestEngine engine) {
        WorkflowHandle<Task, String> cancelled = task(engine, "cleans up");
        WorkflowHandle<Task, String> terminated = engine.client().start(Task.class, "t-2", w -> w.run("cleans up"));
        engine.settle();
        cancelled.cancel();
        terminated.terminate("at once");
        engine.settle();

        assertThat(status(cancelled)).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(status(terminated)).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(letters).containsExactly("it is over");
    }

    @Test
    void a_request_to_cancel_in_front_of_the_first_turn_is_seen_at_the_first_wait(TestEngine engine) {
        task(engine, "a");
        WorkflowHandle<Task, String> run =
                engine.client().start(Task.class, StartOptions.id("t-2").startDelay(HOUR), w -> w.run("works"));
        run.cancel("changed my mind");

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
        assertThat(letters).isEmpty();
    }

    // ── side effects ────────────────────────────────────────────────────────────────────────────────────────────────

    /** Hands the value of a side effect to an activity, and waits. */
    @Workflow
    static class Drawing {
        static final AtomicInteger DRAWN = new AtomicInteger();

        private final Post post;
        private boolean done;

        Drawing(Post post) {
            this.post = post;
        }

        @Run
        int run() {
            int value = Durable.sideEffect(Integer.class, DRAWN::incrementAndGet);
            post.send("number " + value);
            Durable.await(() -> done);
            return value;
        }

        @Signal
        void done() {
            done = true;
        }
    }

    @Test
    void a_side_effect_happens_once_and_what_follows_sees_the_recorded_value(TestEngine engine) {
        int before = Drawing.DRAWN.get();
        engine.register(Drawing.class).activity(Post.class, letters::add);
        WorkflowHandle<Drawing, Integer> run = engine.client().start(Drawing.class, "d-1", Drawing::run);
        engine.settle();
        run.signal(Drawing::done);

        assertThat(run.result()).isEqualTo(before + 1);
        assertThat(letters).containsExactly("number " + (before + 1));
        assertThat(Drawing.DRAWN).hasValue(before + 1);
    }
}
