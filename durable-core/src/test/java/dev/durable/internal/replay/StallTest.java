package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.history.UpdateAccepted;
import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The causes that stop a run without ending it: Errors, code that blocks its thread, loops, data that does not fit. */
class StallTest {
    private static final Duration SOON = Duration.ofMillis(200);

    private volatile boolean stop;

    @AfterEach
    void endLoops() {
        stop = true;
    }

    @Test
    void an_error_does_not_fail_the_run_but_stalls_it() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    throw new StackOverflowError("deep");
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageStartingWith("Scripted run-1 is stalled: java.lang.StackOverflowError: deep at ")
                .hasMessageContaining("An Error does not fail a run, for nothing could un-fail it")
                .hasCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void an_error_of_any_coroutine_or_condition_counts() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    async(() -> {
                        throw new AssertionError("async");
                    });
                    return w.acts.a("x");
                }))
                .hasMessageContaining("AssertionError: async");
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    async(() -> w.flags.add("x"));
                    Durable.await(() -> {
                        if (w.has("x")) {
                            throw new AssertionError("condition");
                        }
                        return false;
                    });
                    return "";
                }))
                .hasMessageContaining("AssertionError: condition");
    }

    @Test
    void code_that_sleeps_by_other_means_is_named_with_its_line() {
        Throwable stalled = catchThrowable(() -> GivenRun.stalling(Sleeper.class, SOON));

        assertThat(stalled)
                .isInstanceOf(StalledException.class)
                .hasMessageMatching(
                        "(?s)Sleeper run-1 is stalled: StallTest\\.Sleeper\\.run\\(StallTest\\.java:\\d+\\) blocks in"
                                + " Thread\\.sleep\\. A workflow may block only in calls of Durable.*");
        assertThat(stalled.getMessage()).contains("    at ").contains("StallTest$Sleeper.run");
    }

    @Workflow
    static class Sleeper {
        @Run
        String run(String ignored) throws InterruptedException {
            Thread.sleep(600_000);
            return "";
        }
    }

    @Test
    void code_that_loops_is_named_and_its_thread_ends_when_it_calls_again() throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        CountDownLatch evicted = new CountDownLatch(1);
        Throwable stalled = catchThrowable(() -> GivenRun.stalling(
                w -> {
                    threads.add(Thread.currentThread());
                    async(() -> {
                        threads.add(Thread.currentThread());
                        try {
                            return w.acts.a("parked");
                        } finally {
                            evicted.countDown();
                        }
                    });
                    Durable.timer(Duration.ofHours(1));
                    async(() -> {
                        threads.add(Thread.currentThread());
                        while (!stop) {
                            Thread.onSpinWait();
                        }
                        return Durable.now();
                    });
                    return w.acts.a("x");
                },
                SOON));

        assertThat(stalled)
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("has run for PT0.2S without a wait. Usual cause: an endless loop");
        assertThat(evicted.getCount()).as("coroutines unwound while one runs").isEqualTo(1);
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(evicted.getCount()).isZero();
    }

    @Test
    void code_that_loops_is_not_tried_again_in_the_process_before_it_returns() throws InterruptedException {
        Endless.stop = false;
        Endless.THREADS.clear();
        try (AsideThreads asides = new AsideThreads()) {
            assertThatThrownBy(() -> GivenRun.stalling(Endless.class, SOON, asides))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("without a wait. Usual cause: an endless loop");
            assertThatThrownBy(() -> GivenRun.stalling(Endless.class, SOON, asides))
                    .isInstanceOf(StalledException.class)
                    .hasMessageMatching("Endless run-1 is stalled: StallTest\\.Endless\\.run\\(StallTest\\.java:\\d+\\)"
                            + " computes since an earlier try of the turn, which was given up, and keeps a carrier thread of"
                            + " this process\\. Until it returns the turn is not tried again here\\. Usual cause: an endless"
                            + " loop\\. Mend it, and deploy the code\\.");
            assertThat(Endless.THREADS).hasSize(1);

            Endless.stop = true;
            Endless.THREADS.getFirst().join();
            GivenRun.stalling(Endless.class, Duration.ofSeconds(20), asides).evict();
            assertThat(Endless.THREADS).hasSize(2);
        } finally {
            Endless.stop = true;
        }
    }

    @Workflow
    static class Endless {
        private static final List<Thread> THREADS = new CopyOnWriteArrayList<>();
        private static volatile boolean stop;

        @Run
        String run(String ignored) {
            THREADS.add(Thread.currentThread());
            while (!stop) {
                Thread.onSpinWait();
            }
            return "";
        }
    }

    @Test
    void a_condition_that_never_answers_does_not_hang_the_driver() {
        assertThatThrownBy(() -> GivenRun.stalling(
                        w -> {
                            Durable.await(() -> {
                                while (!stop) {
                                    Thread.onSpinWait();
                                }
                                return true;
                            });
                            return "";
                        },
                        SOON))
                .hasMessageContaining("without a wait");
    }

    @Test
    void a_validator_or_a_query_that_loops_is_given_up_when_the_time_of_a_turn_is_over() {
        Looping.stop = false;
        try {
            WorkflowInstance judging = GivenRun.stalling(Looping.class, SOON);
            Failure rejection = judging.rejection(
                    new UpdateAccepted(1, Instant.EPOCH, new UUID(1, 1), "an update", "change", new Payload("[1]")));
            WorkflowInstance asked = GivenRun.stalling(Looping.class, SOON);

            assertThat(rejection)
                    .isNotNull()
                    .extracting(Failure::message)
                    .asString()
                    .startsWith("its judgement was given up: StallTest.Looping.loop(StallTest.java:")
                    .contains(" has run for PT0.2S without an end. Queries and validators of updates may only look at");
            assertThat(judging.isUsable()).isFalse();
            assertThatThrownBy(() -> asked.query("state", new Payload("[]")))
                    .isInstanceOf(QueryFailedException.class)
                    .hasMessageStartingWith("query 'state' of Looping was given up: StallTest.Looping.loop(");
            assertThat(asked.isUsable()).isFalse();
        } finally {
            Looping.stop = true;
        }
    }

    @Test
    void where_no_thread_is_left_for_validators_and_queries_the_run_waits_and_the_query_fails() throws Exception {
        CountDownLatch returns = new CountDownLatch(1);
        try (AsideThreads asides = new AsideThreads()) {
            for (int i = 0; i < AsideThreads.MOST_LOST; i++) {
                lose(asides, returns);
            }
            WorkflowInstance run = GivenRun.stalling(Looping.class, Duration.ofSeconds(20), asides);
            String text =
                    "Looping run-1 is stalled: there is no thread for queries and for the judgement of updates, as 16 of"
                            + " them run code that does not return. The log names it: \"has run for … without an end\". Mend it, and"
                            + " restart the process.";

            assertThatThrownBy(() -> run.rejection(new UpdateAccepted(
                            1, Instant.EPOCH, new UUID(1, 1), "an update", "change", new Payload("[1]"))))
                    .isInstanceOf(StalledException.class)
                    .hasMessage(text);
            assertThatThrownBy(() -> run.query("state", new Payload("[]")))
                    .isInstanceOf(QueryFailedException.class)
                    .hasMessage("query 'state' of Looping was not asked: " + text);
            assertThat(run.isUsable()).isTrue();
            run.evict();
        } finally {
            returns.countDown();
        }
    }

    private static void lose(AsideThreads asides, CountDownLatch returns) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AsideThreads.Call call = asides.begin(
                "Looping run-0",
                StallTest.class.getClassLoader(),
                () -> {
                    begun.countDown();
                    try {
                        returns.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                () -> {});
        begun.await();
        call.giveUp();
    }

    @Workflow
    static class Looping {
        private static volatile boolean stop;

        @Run
        String run(String ignored) {
            Durable.await(() -> false);
            return "";
        }

        @Update
        void change(int ignored) {}

        @Update.Validator("change")
        void loop(int ignored) {
            loop();
        }

        @Query
        int state() {
            loop();
            return 0;
        }

        private static void loop() {
            while (!stop) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void loops_that_keep_calling_are_bounded() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    while (true) {
                        Durable.timer(Duration.ofHours(1));
                    }
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("more than 50000 commands in one turn");
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    while (true) {
                        async(() -> "");
                    }
                }))
                .hasMessageContaining("more than 100000 coroutines in one turn")
                .hasMessageContaining("Usual cause: a loop that never comes to a wait");
    }

    @Test
    void a_side_effect_that_throws_is_tried_again_with_the_turn() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.sideEffect(String.class, () -> {
                    throw new java.io.IOException("disk");
                })))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Durable.sideEffect threw java.io.IOException: disk")
                .hasMessageContaining("What may fail for good belongs into an activity");
    }

    @Test
    void recorded_data_that_the_code_can_not_read_stalls_and_does_not_fail() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return w.acts.count(1);
            } catch (Throwable t) {
                return "swallowed";
            }
        })) {
            assertThatThrownBy(() -> run.completed(1, "not a number"))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("its history has data that the code can't read")
                    .hasMessageContaining("the result of Acts.count");
        }
    }

    @Test
    void a_signal_that_does_not_fit_its_handler_is_named() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.await(() -> w.has("x"));
            return "";
        })) {
            assertThatThrownBy(() -> run.tellJson("[{\"a\":1}]"))
                    .isInstanceOf(StalledException.class)
                    .hasMessageStartingWith(
                            "Scripted run-1 is stalled: signal tell, event 2 of 2026-01-01T00:00:00Z: argument 1")
                    .hasMessageContaining("of Scripted.tell can't be read as java.lang.String")
                    .hasMessageEndingWith(
                            "Usual cause: a caller without the workflow's class sent values of other types,"
                                    + " or the handler's types were changed. Deploy code that reads them, and the run goes on; or"
                                    + " terminate the run: handle.terminate(…).");
        }
    }

    @Test
    void a_condition_that_looks_at_something_else_than_state_is_found_where_assertions_are_on() {
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    Durable.await(() -> asked.incrementAndGet() % 3 == 0);
                    return "";
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("a condition of Durable.await gives another answer when it is asked again");
    }

    @Test
    void a_run_of_a_newer_version_is_left_alone() {
        WorkflowInstance instance = GivenRun.unstarted();
        assertThatThrownBy(() -> instance.feed(GivenRun.startedWithFlags(4)))
                .isInstanceOf(StalledException.class)
                .hasMessage(
                        "Scripted run-1 is stalled: it was started by a newer version of Durable (flags 4) whose rules of"
                                + " replay this one does not know. Let a worker of that version have it.");
    }

    @Test
    void a_stalled_instance_is_of_no_more_use() {
        try (GivenRun run = GivenRun.of(w -> {
            w.acts.a("x");
            throw new AssertionError("after");
        })) {
            assertThatThrownBy(() -> run.completed(1, "x")).isInstanceOf(StalledException.class);
            assertThatThrownBy(() -> run.instance().waits())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("this instance can't be used any more");
        }
    }
}
