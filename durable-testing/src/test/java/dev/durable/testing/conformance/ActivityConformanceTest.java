package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.Durable;
import dev.durable.NonRetryableException;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Activities that jobs carry, and local ones, as the feature lists of other engines name them; {@code docs/conformance.md}. */
@DurableTest
class ActivityConformanceTest {

    @SuppressWarnings("serial")
    static class Refused extends Exception {
        Refused(String message) {
            super(message);
        }
    }

    @Activity(retry = @Retry(maxAttempts = 5, initialInterval = "1s", jitter = 0, doNotRetry = Refused.class))
    interface Steps {
        String step(String how) throws Refused;

        @Activity(local = true)
        String here(String how) throws Refused;
    }

    /** Makes the calls of its argument, all at the same time or one after the other, and tells what came of each. */
    @Workflow
    static class Calls {
        private final Steps steps;

        Calls(Steps steps) {
            this.steps = steps;
        }

        @Run
        List<String> run(boolean local, boolean together, List<String> hows) {
            List<Promise<String>> calls = new ArrayList<>();
            List<String> outcomes = new ArrayList<>();
            for (String how : hows) {
                Promise<String> call = local ? Durable.async(steps::here, how) : Durable.async(steps::step, how);
                calls.add(call);
                if (!together) {
                    outcomes.add(outcome(call));
                }
            }
            return together ? calls.stream().map(Calls::outcome).toList() : outcomes;
        }

        private static String outcome(Promise<String> call) {
            try {
                return call.get(Refused.class);
            } catch (Refused e) {
                return "refused: " + e.getMessage();
            } catch (ActivityFailedException e) {
                return e.attempt() + ": "
                        + (e.failure() == null ? e.getMessage() : e.failure().message());
            }
        }
    }

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final CountDownLatch bothBegan = new CountDownLatch(2);

    private final Steps steps = new Steps() {
        @Override
        public String step(String how) throws Refused {
            ActivityContext context = ActivityContext.current();
            int attempt = context.info().attempt();
            bodies.add(how);
            switch (how) {
                case "always fails" -> throw new IllegalStateException("attempt " + attempt + " failed");
                case "fails twice" -> {
                    if (attempt < 3) {
                        throw new IllegalStateException("attempt " + attempt + " failed");
                    }
                }
                case "fails for good" -> throw new NonRetryableException("no use");
                case "refuses" -> throw new Refused("not today");
                case "meets", "is met" -> {
                    bothBegan.countDown();
                    awaitBoth();
                }
                case "goes on" -> {
                    String place = context.heartbeatDetails(String.class).orElse("the beginning");
                    if (attempt == 1) {
                        context.heartbeat("row 7");
                        throw new IllegalStateException("the connection was lost");
                    }
                    return "went on at " + place;
                }
                case "tells its queue" -> {
                    return context.info().taskQueue();
                }
                default -> {}
            }
            return how + " in attempt " + attempt;
        }

        @Override
        public String here(String how) throws Refused {
            return step(how);
        }
    };

    private void awaitBoth() {
        try {
            bothBegan.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private WorkflowHandle<Calls, List<String>> calls(
            TestEngine engine, boolean local, boolean together, String... hows) {
        engine.register(Calls.class).activity(Steps.class, steps);
        return engine.client().start(Calls.class, "c-1", w -> w.run(local, together, List.of(hows)));
    }

    // ── results ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_run_without_a_timeout_of_its_own_gets_the_result_of_its_activity(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "a").result()).containsExactly("a in attempt 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void activities_that_are_called_one_after_the_other_run_in_that_order(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "a", "b", "c").result())
                .containsExactly("a in attempt 1", "b in attempt 1", "c in attempt 1");
        assertThat(bodies).as("each body ran once").containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void activities_that_are_called_together_run_at_the_same_time_and_their_results_keep_the_order_of_the_calls(
            boolean local, TestEngine engine) {
        assertThat(calls(engine, local, true, "meets", "is met").result())
                .as("each waits until the other has begun")
                .containsExactly("meets in attempt 1", "is met in attempt 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void one_that_succeeds_and_one_that_fails_at_the_same_time_have_each_their_own_outcome(
            boolean local, TestEngine engine) {
        assertThat(calls(engine, local, true, "a", "always fails", "refuses").result())
                .containsExactly("a in attempt 1", "5: attempt 5 failed", "refused: not today");
        assertThat(bodies).as("the success is not made again").containsOnlyOnce("a");
    }

    // ── attempts ────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_failure_of_the_last_attempt_is_the_one_that_the_code_gets(boolean local, TestEngine engine) {
        WorkflowHandle<Calls, List<String>> run = calls(engine, local, false, "always fails");

        assertThat(run.result()).containsExactly("5: attempt 5 failed");
        assertThat(bodies).hasSize(5);
        assertThat(run.history().events(ActivityAttemptFailed.class)).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_activity_whose_first_attempts_fail_completes_by_a_later_one(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "fails twice").result()).containsExactly("fails twice in attempt 3");
        assertThat(engine.client().handle("c-1").history().events(ActivityAttemptFailed.class))
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_failure_that_the_body_calls_final_is_not_retried(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "fails for good").result()).containsExactly("1: no use");
        assertThat(bodies).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_failure_that_the_options_name_is_not_retried(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "refuses").result()).containsExactly("refused: not today");
        assertThat(bodies).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_call_that_failed_may_be_made_again_and_fails_again(boolean local, TestEngine engine) {
        assertThat(calls(engine, local, false, "refuses", "refuses", "a").result())
                .containsExactly("refused: not today", "refused: not today", "a in attempt 1");
    }

    @Test
    void the_progress_that_a_failed_attempt_has_told_is_there_for_the_next(TestEngine engine) {
        assertThat(calls(engine, false, false, "goes on").result()).containsExactly("went on at row 7");
    }

    // ── queues ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Elsewhere {
        @Run
        String run(String queue) throws Refused {
            Steps steps =
                    Durable.activities(Steps.class, o -> o.taskQueue(queue).scheduleToStart(Duration.ofMinutes(5)));
            try {
                return steps.step("tells its queue");
            } catch (ActivityFailedException e) {
                return e.getMessage();
            }
        }
    }

    private WorkflowHandle<Elsewhere, String> elsewhere(TestEngine engine, String queue) {
        engine.register(Elsewhere.class)
                .activity(Steps.class, steps)
                .queue("default", o -> {})
                .queue("other", o -> {});
        return engine.client().start(Elsewhere.class, "e-1", w -> w.run(queue));
    }

    @Test
    void an_activity_runs_in_the_queue_that_its_call_names(TestEngine engine) {
        assertThat(elsewhere(engine, "other").result()).isEqualTo("other");
    }

    @Test
    void an_activity_in_a_queue_that_no_worker_serves_times_out_and_its_run_goes_on(TestEngine engine) {
        assertThat(elsewhere(engine, "nowhere").result()).contains("ran out of its schedule-to-start timeout");
        assertThat(bodies).isEmpty();
    }

    // ── the run meanwhile ───────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Busy {
        private final Steps steps;
        private final List<String> heard = new ArrayList<>();

        Busy(Steps steps) {
            this.steps = steps;
        }

        @Run
        String run(boolean local) throws Refused {
            return (local ? steps.here("waits") : steps.step("waits")) + heard;
        }

        @Signal
        void hear(String word) {
            heard.add(word);
        }

        @Query
        List<String> heard() {
            return heard;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_signal_is_handled_while_an_activity_runs(boolean local, TestEngine engine) throws InterruptedException {
        Semaphore begun = new Semaphore(0);
        Semaphore mayEnd = new Semaphore(0);
        engine.register(Busy.class).activity(Steps.class, new Steps() {
            @Override
            public String step(String how) {
                begun.release();
                mayEnd.acquireUninterruptibly();
                return how;
            }

            @Override
            public String here(String how) {
                return step(how);
            }
        });
        WorkflowHandle<Busy, String> run = engine.client().start(Busy.class, "b-1", w -> w.run(local));
        while (!begun.tryAcquire(10, TimeUnit.MILLISECONDS)) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
        run.signal(w -> w.hear("hello"));
        engine.advanceWhileRunning(Duration.ofMillis(1));

        List<String> heard = run.query(Busy::heard);
        mayEnd.release();

        assertThat(heard).containsExactly("hello");
        assertThat(run.result()).isEqualTo("waits[hello]");
    }

    /** Calls an activity, and then waits for a signal. */
    @Workflow
    static class Resting {
        private final Steps steps;
        private boolean on;

        Resting(Steps steps) {
            this.steps = steps;
        }

        @Run
        String run() throws Refused {
            String answer = steps.step("a") + ", " + steps.here("b");
            Durable.await(() -> on);
            return answer;
        }

        @Signal
        void on() {
            on = true;
        }
    }

    @Test
    void a_recorded_result_is_given_again_without_its_body_when_the_run_is_rebuilt(TestEngine engine) {
        engine.register(Resting.class).activity(Steps.class, steps);
        WorkflowHandle<Resting, String> run = engine.client().start(Resting.class, "r-1", Resting::run);
        engine.settle();
        run.signal(Resting::on);

        assertThat(run.result()).isEqualTo("a in attempt 1, b in attempt 1");
        assertThat(bodies).as("the kit rebuilds the run in every turn").containsExactly("a", "b");
        assertThat(run.history().events(ActivityScheduled.class))
                .as("the local one has no job")
                .hasSize(1);
    }
}
