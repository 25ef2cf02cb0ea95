package dev.durable.internal.attempt;

import static dev.durable.internal.dispatch.ActivityBench.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.RetryAfterException;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.StaleAttemptException;
import dev.durable.client.ActivityState;
import dev.durable.client.Alert;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.OptionsJson;
import dev.durable.history.TimeoutType;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.engine.LogCapture;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.upkeep.Alerts;
import dev.durable.internal.upkeep.DeadLetterRetention;
import dev.durable.store.HeldJob;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.OpenJob;
import dev.durable.store.contract.Seizures;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

/** One execution of an activity, from its lease to its outcome. */
class AttemptTest {
    private final ActivityBench bench = new ActivityBench();

    // ── used up ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void discarded_it_ends_as_if_it_had_returned_null_and_a_note_says_why() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(OnExhausted.DISCARD));

        JobKey key = bench.ran(argument -> {
            throw new IllegalStateException("declined");
        });

        ActivityCompleted completed = (ActivityCompleted) bench.outcome(key);
        assertThat(completed.result().json()).isEqualTo("null");
        assertThat(bench.notes(key)).singleElement().satisfies(note -> {
            ActivityAttemptFailed failed = (ActivityAttemptFailed) note;
            assertThat(failed.reason()).isEqualTo("discarded");
            assertThat(failed.failure().message()).isEqualTo("declined");
        });
    }

    @Test
    void used_up_it_stays_as_what_its_options_say_with_a_note_and_a_fingerprint() {
        for (OnExhausted end : List.of(OnExhausted.INCIDENT, OnExhausted.DEAD_LETTER)) {
            bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(end));

            JobKey key = bench.ran(argument -> {
                throw new IllegalStateException("declined for ann@acme.com");
            });

            OpenJob job = bench.memory.jobs(JobFilter.of(key), 1).getFirst();
            assertThat(job.status().state())
                    .isEqualTo(end == OnExhausted.INCIDENT ? ActivityState.INCIDENT : ActivityState.DEAD);
            assertThat(job.burial().fingerprint())
                    .startsWith("Work.run: java.lang.IllegalStateException at ")
                    .doesNotContain("declined");
            assertThat(job.report().lastFailure()).isEqualTo("java.lang.IllegalStateException: declined for ***@***");
            assertThat(job.report().notes()).contains("\"IncidentRaised\"");
            assertThat(bench.inbox(key)).as("its run waits").isEmpty();
            assertThat(bench.leases.isEmpty()).isTrue();
        }
    }

    @Test
    void listeners_are_told_once_and_dead_letters_are_purged_when_their_time_is_over() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(OnExhausted.DEAD_LETTER));
        JobKey key = bench.ran(argument -> {
            throw new IllegalStateException("declined");
        });
        List<Alert> told = new ArrayList<>();
        Alerts alerts = new Alerts(
                bench.memory,
                told::add,
                UnaryOperator.identity(),
                new Tries(System::nanoTime, UnaryOperator.identity()));
        DeadLetterRetention retention = new DeadLetterRetention(bench.memory, Duration.ofDays(180), 10);

        alerts.upTo(10);
        alerts.upTo(10);
        retention.upTo(10);

        assertThat(told).singleElement().satisfies(alert -> {
            assertThat(alert.activity()).isEqualTo("Work.run");
            assertThat(alert.count()).isEqualTo(1);
            assertThat(alert.workflowId()).isEqualTo(key.run().workflowId());
        });
        assertThat(bench.inbox(key)).isEmpty();

        bench.clock.advance(Duration.ofDays(181));
        retention.upTo(10);

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityFailed.class))
                .satisfies(failed -> assertThat(failed.failure().message())
                        .contains("Its last failure: java.lang.IllegalStateException: declined"));
    }

    @Test
    void a_listener_that_fails_hides_no_other_alert() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(OnExhausted.INCIDENT));
        bench.ran(argument -> {
            throw new IllegalStateException("declined");
        });
        Alerts alerts = new Alerts(
                bench.memory,
                alert -> {
                    throw new IllegalStateException("no pager");
                },
                UnaryOperator.identity(),
                new Tries(System::nanoTime, UnaryOperator.identity()));

        assertThat(alerts.upTo(10)).isEqualTo(1);
    }

    @Test
    void an_answer_reaches_the_workflow_whatever_follows_when_attempts_are_used_up() {
        bench.options = bench.with(policy -> policy.withOnExhausted(OnExhausted.DISCARD));

        JobKey key = bench.ran(argument -> {
            throw new NonRetryableException("no such account");
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
    }

    @Test
    void a_timeout_of_the_last_attempt_is_discarded_too() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(OnExhausted.DISCARD));

        JobKey key = bench.ran(argument -> {
            bench.pass(Duration.ofSeconds(60));
            return null;
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void remaining_attempts_that_the_failure_set_hold_for_the_attempts_that_follow() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(9));

        List<Boolean> last = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            last.add(context().info().isLastAttempt());
            throw new RetryableException("busy")
                    .remainingAttempts(2 - last.size())
                    .nextDelay(Duration.ofSeconds(5));
        });
        bench.pass(Duration.ofSeconds(5));
        bench.work();

        assertThat(last).containsExactly(false, true);
        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityFailed.class))
                .satisfies(failed -> assertThat(failed.attempt()).isEqualTo(2));
        assertThat(bench.notes(key))
                .singleElement()
                .satisfies(note -> assertThat(((ActivityAttemptFailed) note).remainingAttempts())
                        .isEqualTo(1));
    }

    // ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_result_goes_into_the_inbox_and_the_job_is_gone() {
        JobKey key = bench.ran(argument -> argument + "!");

        ActivityCompleted completed = (ActivityCompleted) bench.outcome(key);
        assertThat(completed.result().json()).isEqualTo("\"x!\"");
        assertThat(completed.seq()).isEqualTo(1);
        assertThat(completed.attempt()).isEqualTo(1);
        assertThat(completed.worker()).isEqualTo("me");
        assertThat(completed.startedAt()).isEqualTo(bench.clock.now());
        assertThat(bench.inbox(key).orElseThrow().notes()).isNull();
        assertThat(bench.state(key)).isEqualTo("gone");
        assertThat(bench.leases.isEmpty()).isTrue();
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void a_run_that_is_cached_here_takes_the_outcome_before_it_is_durable() {
        bench.runIsCachedHere = true;

        JobKey key = bench.ran(argument -> argument);

        assertThat(bench.taken).singleElement().extracting(AttemptOutcome::key).isEqualTo(key);
        assertThat(bench.inbox(key)).isEmpty();
        assertThat(bench.slots.free())
                .as("its slot is free for the run's next activity")
                .isEqualTo(4);
        assertThat(bench.leases.isEmpty())
                .as("the lease is answered for until it is durable")
                .isFalse();

        bench.taken.getFirst().settled();
        assertThat(bench.leases.isEmpty()).isTrue();
    }

    @Test
    void an_outcome_that_its_run_never_wrote_goes_to_the_inbox_after_some_looks() {
        bench.runIsCachedHere = true;
        JobKey key = bench.ran(argument -> argument);

        for (int look = 0; look < 3; look++) {
            bench.heldLeases.runOnce();
            bench.store();
            assertThat(bench.inbox(key)).as("the run may still be at it").isEmpty();
        }
        bench.heldLeases.runOnce();
        bench.store();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.leases.isEmpty()).isTrue();
    }

    @Test
    void an_outcome_that_its_run_wrote_without_a_word_is_answered_for_no_longer() {
        bench.runIsCachedHere = true;
        JobKey key = bench.ran(argument -> argument);
        AttemptOutcome outcome = bench.taken.getFirst();
        bench.memory.update(List.of(new JobUpdate.Settle(key, outcome.lease(), outcome.message())));

        bench.heldLeases.runOnce();

        assertThat(bench.leases.isEmpty()).isTrue();
    }

    @Test
    void the_body_knows_who_it_is_and_so_does_its_log() {
        AtomicReference<Map<String, String>> mdc = new AtomicReference<>();
        AtomicReference<ActivityContext> context = new AtomicReference<>();

        JobKey key = bench.ran(argument -> {
            mdc.set(MDC.getCopyOfContextMap());
            context.set(context());
            assertThat(context().info().workflowId()).isEqualTo("order-1");
            assertThat(context().info().isLastAttempt()).isFalse();
            assertThat(context().info().deadline()).isEqualTo(bench.clock.now().plusSeconds(60));
            assertThat(context().headers()).containsEntry("tenant", "a");
            return null;
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(mdc.get())
                .containsEntry("workflowId", "order-1")
                .containsEntry("runId", key.run().runId().toString())
                .containsEntry("activity", "Work.run")
                .containsEntry("attempt", "1");
        assertThat(MDC.get("workflowId")).isNull();
        assertThatThrownBy(ActivityContext::current).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.get().heartbeat("late")).isInstanceOf(StaleAttemptException.class);
    }

    @Test
    void a_result_that_is_too_large_fails_for_good_with_the_codecs_words() {
        JobKey key = bench.ran(argument -> "x".repeat(20_000));

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityFailed.class))
                .satisfies(failed -> assertThat(failed.failure().message()).contains("the result of Work.run"));
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void a_result_that_is_no_json_fails_for_good() {
        JobKey key = bench.ran(argument -> Thread.currentThread());

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
    }

    @Test
    void an_error_while_the_result_is_written_is_a_failed_attempt_and_its_slot_is_free_again() {
        JobKey key = bench.ran(argument -> new AbstractMap<String, String>() {
            @Override
            public Set<Entry<String, String>> entrySet() {
                throw new NoClassDefFoundError("Could not initialize class Catalogue");
            }
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    // ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_failed_attempt_is_followed_by_another_after_the_policys_delay() {
        List<String> starts = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            starts.add(context().info().attempt() + " at "
                    + Duration.ofNanos(bench.clock.nanoTime()).toSeconds());
            throw new IllegalStateException("broken " + context().info().attempt());
        });
        assertThat(bench.state(key)).isEqualTo("delayed 2");

        for (int second = 0; second < 60; second++) {
            bench.pass(Duration.ofSeconds(1));
            bench.work();
        }

        assertThat(starts).containsExactly("1 at 0", "2 at 10", "3 at 30");
        assertThat(bench.outcome(key)).asInstanceOf(type(ActivityFailed.class)).satisfies(failed -> {
            assertThat(failed.attempt()).isEqualTo(3);
            assertThat(failed.failure().type()).isEqualTo("java.lang.IllegalStateException");
            assertThat(failed.failure().message()).isEqualTo("broken 3");
        });
        assertThat(bench.notes(key))
                .extracting(note -> ((ActivityAttemptFailed) note).failure().message())
                .containsExactly("broken 1", "broken 2");
    }

    @Test
    void the_queue_is_looked_at_when_a_retry_is_due() {
        AtomicInteger looks = new AtomicInteger();
        bench.ran(argument -> {
            throw new IllegalStateException("broken");
        });
        bench.queue.onNudge(looks::incrementAndGet);

        bench.pass(Duration.ofSeconds(9));
        assertThat(looks).hasValue(0);
        bench.pass(Duration.ofSeconds(1));

        assertThat(looks).hasValue(1);
    }

    @Test
    void an_error_of_the_body_is_a_failure_like_any_other() {
        JobKey key = bench.ran(argument -> {
            throw new NoClassDefFoundError("com/acme/Gone");
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void a_body_that_recurses_without_end_is_a_failure_like_any_other() {
        JobKey key = bench.ran(AttemptTest::recurse);

        assertThat(bench.state(key)).isEqualTo("delayed 2");
    }

    @Test
    void a_non_retryable_failure_ends_the_activity_at_once() {
        JobKey key = bench.ran(argument -> {
            throw new NonRetryableException("no such account");
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
    }

    @Test
    void the_body_may_name_the_next_delay() {
        JobKey key = bench.ran(argument -> {
            throw new RetryAfterException(Duration.ofSeconds(3), null);
        });
        bench.body = argument -> "done";

        bench.pass(Duration.ofMillis(2999));
        bench.work();
        assertThat(bench.state(key)).isEqualTo("delayed 2");
        bench.pass(Duration.ofSeconds(1));
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void defer_uses_no_attempt() {
        bench.options = bench.with(
                policy -> new RetryPolicy(1, Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 0, List.of(), 3));
        AtomicInteger runs = new AtomicInteger();
        JobKey key = bench.ran(argument -> {
            if (runs.incrementAndGet() < 5) {
                context().heartbeat("at " + runs);
                throw new DeferException(Duration.ofMinutes(1));
            }
            return context().info().attempt();
        });
        assertThat(bench.state(key)).isEqualTo("delayed 1 \"at 1\"");

        for (int minute = 0; minute < 5; minute++) {
            bench.pass(Duration.ofMinutes(1));
            bench.work();
        }

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("1");
        assertThat(bench.inbox(key).orElseThrow().notes()).isNull();
    }

    @Test
    void the_last_details_go_with_a_failure() {
        bench.options = bench.with(Duration.ofMinutes(5), null, bench.options.retry());
        JobKey key = bench.ran(argument -> {
            for (int row = 1; row <= 1000; row++) {
                context().heartbeat(row);
            }
            throw new IllegalStateException("broken");
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2 1000");

        bench.body = argument -> context().heartbeatDetails(Integer.class).orElseThrow() + 1;
        bench.pass(Duration.ofSeconds(10));
        bench.work();
        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("1001");
    }

    @Test
    void a_worker_that_was_lost_is_told_of_in_the_notes() {
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        bench.memory.markDead(bench.session.id(), 0);
        bench.memory.requeueOrphans(10);
        bench.held.clear();
        ActivityBench.crank(bench.session);
        bench.bodiesOn(Runnable::run);
        bench.body = argument -> context().info().attempt();

        bench.pass(Duration.ofSeconds(2));
        bench.work();

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json())
                .as("a crash uses no attempt")
                .isEqualTo("1");
        assertThat(bench.notes(key))
                .singleElement()
                .asInstanceOf(type(ActivityAttemptFailed.class))
                .satisfies(note -> {
                    assertThat(note.reason()).isEqualTo("worker lost");
                    assertThat(note.omitted()).isZero();
                });
    }

    @Test
    void crashes_of_a_job_that_was_given_some_back_are_all_told() {
        bench.options = bench.with(
                policy -> new RetryPolicy(3, Duration.ofSeconds(10), 2, Duration.ofMinutes(1), 0, List.of(), 1));
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        crash();
        crash();
        OpenJob dead = bench.memory.jobs(JobFilter.ALL, 1).getFirst();
        assertThat(dead.status().state()).isEqualTo(ActivityState.DEAD);
        bench.memory.order(
                List.of(new JobOrder.Revive(key, JobOrder.Trace.NONE, dead.seen(), null, dead.options(), null, 1)));

        crash();
        bench.bodiesOn(Runnable::run);
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.notes(key).stream()
                        .filter(ActivityAttemptFailed.class::isInstance)
                        .mapToInt(note -> 1 + ((ActivityAttemptFailed) note).omitted())
                        .sum())
                .isEqualTo(3);
    }

    /** The process of an attempt dies, and another takes its place. */
    private void crash() {
        bench.work();
        bench.memory.markDead(bench.session.id(), 0);
        bench.memory.requeueOrphans(10);
        bench.held.clear();
        ActivityBench.crank(bench.session);
        bench.pass(Duration.ofSeconds(2));
    }

    // ── left to others ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void heartbeats_of_who_has_the_token_go_with_the_job_when_the_body_fails_after_all() {
        bench.runIsCachedHere = true;

        JobKey key = bench.ran(argument -> {
            context().completeLater();
            beat("half");
            throw new NonRetryableException("the bank refused");
        });

        assertThat(bench.state(key)).as("not written yet").isEqualTo("running 1 \"half\"");
        assertThat(bench.taken).singleElement().satisfies(outcome -> {
            assertThat(outcome.message().name()).isEqualTo("ActivityFailed");
            assertThat(outcome.settlement().heartbeats())
                    .as("its transition drops them")
                    .isTrue();
        });
    }

    @Test
    void heartbeats_of_who_has_the_token_stay_when_the_body_returns() {
        JobKey key = bench.ran(argument -> {
            context().completeLater();
            beat("half");
            return "ignored";
        });

        assertThat(bench.state(key)).isEqualTo("external 1 \"half\"");
    }

    /** Sends a heartbeat as the holder of the token does, from another process. */
    private void beat(String details) {
        OpenJob job = bench.memory.jobs(JobFilter.ALL, 1).getFirst();
        JobOrder beat = new JobOrder.Beat(job.key(), JobOrder.Trace.NONE, job.seen(), "\"" + details + "\"", null);
        assertThat(bench.memory.order(List.of(beat))).containsExactly(JobOrder.Outcome.APPLIED);
    }

    @Test
    void retryIf_is_the_one_that_the_options_name_when_the_attempt_fails() {
        JobKey key = bench.ran(argument -> {
            OptionsAtCallSite never = new OptionsAtCallSite();
            never.retryIf(Never.class);
            bench.leases
                    .attempts()
                    .getFirst()
                    .hear(new HeldJob.Ordered(1, null, OptionsJson.encode(never.apply(bench.options)), null, null));
            throw new IllegalStateException("broken");
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
    }

    /** A predicate by which no failure is worth another attempt. */
    static final class Never implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return false;
        }
    }

    @Test
    void options_that_an_order_changed_unheard_stand_against_what_the_failure_says() {
        String ordered = OptionsJson.encode(bench.with(policy -> policy.withMaxAttempts(7)));
        JobKey key = bench.ran(argument -> {
            OpenJob job = bench.memory.jobs(JobFilter.ALL, 1).getFirst();
            bench.memory.order(List.of(
                    new JobOrder.UpdateOptions(job.key(), JobOrder.Trace.NONE, job.seen(), ordered, null, null, 0)));
            throw new RetryableException("busy").remainingAttempts(1);
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
        assertThat(bench.memory.jobs(JobFilter.ALL, 1).getFirst().options()).isEqualTo(ordered);
    }

    // ── timeouts ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void start_to_close_ends_the_attempt_and_the_policy_gives_another() {
        JobKey key = bench.ran(argument -> {
            bench.pass(Duration.ofSeconds(60));
            return "too late";
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
        assertThat(Thread.interrupted())
                .as("the interrupt is not left to the thread's next task")
                .isFalse();
    }

    @Test
    void a_late_completion_after_the_timeout_is_dropped() {
        bench.holdBodies();
        AtomicReference<Attempt> first = new AtomicReference<>();
        JobKey key = bench.schedule("[\"x\"]");
        bench.body = argument -> {
            if (first.get() == null) {
                first.set(bench.leases.attempts().getFirst());
                bench.pass(Duration.ofSeconds(60));
                assertThat(bench.state(key)).isEqualTo("delayed 2");
                bench.pass(Duration.ofSeconds(10));
                bench.work();
                assertThat(bench.state(key)).as("the second attempt runs").isEqualTo("running 2");
                return "late";
            }
            return "second";
        };
        bench.work();

        bench.runHeld();
        bench.store();
        assertThat(bench.inbox(key)).as("nothing of the first attempt").isEmpty();
        assertThat(bench.reports.stale()).as("it is not even told").isZero();
        bench.runHeld();
        bench.store();

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("\"second\"");
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void details_of_a_timed_out_attempt_reach_the_next() {
        JobKey key = bench.ran(argument -> {
            context().heartbeat(Map.of("row", 1));
            context().heartbeat(Map.of("row", 2));
            bench.pass(Duration.ofSeconds(60));
            return null;
        });
        assertThat(bench.state(key)).isEqualTo("delayed 2 {\"row\":2}");

        bench.body =
                argument -> context().heartbeatDetails(Map.class).orElseThrow().get("row");
        bench.pass(Duration.ofSeconds(10));
        bench.work();

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("2");
    }

    @Test
    void the_last_timeout_ends_the_activity_with_its_details() {
        bench.options = bench.with(
                policy -> new RetryPolicy(1, Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 0, List.of(), 3));
        JobKey key = bench.ran(argument -> {
            context().heartbeat("half");
            bench.pass(Duration.ofSeconds(60));
            return null;
        });

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityTimedOut.class))
                .satisfies(timedOut -> {
                    assertThat(timedOut.timeout()).isEqualTo(TimeoutType.START_TO_CLOSE);
                    assertThat(timedOut.lastHeartbeatDetails().json()).isEqualTo("\"half\"");
                });
    }

    @Test
    void a_body_is_interrupted_and_told_when_it_times_out() {
        List<String> seen = new ArrayList<>();
        bench.ran(argument -> {
            ActivityContext context = context();
            context.onCancel(() -> seen.add("told"));
            bench.pass(Duration.ofSeconds(60));
            seen.add(Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted");
            seen.add(context.cancelRequested() ? "cancelled" : "not cancelled");
            assertThatThrownBy(() -> context.heartbeat("late"))
                    .isInstanceOf(StaleAttemptException.class)
                    .hasMessageContaining("STALE: ")
                    .hasMessageContaining("start-to-close (PT1M)");
            assertThatThrownBy(() -> context.checkpoint("late")).isInstanceOf(StaleAttemptException.class);
            assertThatThrownBy(() -> context.updateTimeout(Duration.ofHours(1)))
                    .isInstanceOf(StaleAttemptException.class);
            return null;
        });

        assertThat(seen).containsExactly("told", "interrupted", "cancelled");
    }

    @Test
    void a_body_that_ignores_its_interrupt_loses_its_slot_after_a_grace() {
        bench.ran(argument -> {
            bench.pass(Duration.ofSeconds(60));
            assertThat(bench.slots.zombies()).isZero();
            int free = bench.slots.free();
            bench.pass(Attempt.INTERRUPT_GRACE);
            assertThat(bench.slots.zombies()).isEqualTo(1);
            assertThat(bench.slots.free()).isEqualTo(free + 1);
            return null;
        });

        assertThat(bench.slots.zombies()).isZero();
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void a_body_that_goes_on_after_its_timeout_keeps_its_place_until_it_ends() {
        List<Integer> beginnable = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            bench.schedule("[\"another\"]");
            bench.limitToOne();
            bench.pass(Duration.ofSeconds(60));
            beginnable.add(bench.beginnable());
            bench.pass(Duration.ofSeconds(30));
            beginnable.add(bench.beginnable());
            return null;
        });
        assertThat(beginnable).as("its own next attempt, and the other one").containsExactly(0, 0);
        assertThat(bench.state(key)).startsWith("ready 2");

        bench.store();
        assertThat(bench.beginnable()).isEqualTo(1);
    }

    @Test
    void the_last_timeout_of_a_body_that_goes_on_keeps_its_place_too() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1));
        bench.runIsCachedHere = true;
        List<Integer> beginnable = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            bench.schedule("[\"another\"]");
            bench.limitToOne();
            bench.pass(Duration.ofSeconds(60));
            beginnable.add(bench.beginnable());
            return null;
        });
        assertThat(beginnable).containsExactly(0);
        assertThat(bench.taken).as("what keeps a place goes to the inbox").isEmpty();
        assertThat(bench.outcome(key)).isInstanceOf(ActivityTimedOut.class);

        bench.store();
        assertThat(bench.beginnable()).isEqualTo(1);
    }

    @Test
    void a_body_that_never_stops_keeps_its_place_for_a_while_and_the_log_says_when_it_is_given_up() {
        List<Integer> beginnable = new ArrayList<>();
        List<String> logged = new ArrayList<>();
        bench.ran(argument -> {
            bench.schedule("[\"another\"]");
            bench.limitToOne();
            bench.pass(Duration.ofSeconds(60));
            bench.pass(JobUpdate.PLACE_KEPT.minusSeconds(1));
            beginnable.add(bench.beginnable());
            try (LogCapture log = LogCapture.of(LimitPlace.class)) {
                bench.pass(Duration.ofSeconds(1));
                logged.addAll(log.messages());
            }
            beginnable.add(bench.beginnable());
            return null;
        });

        assertThat(beginnable).containsExactly(0, 1);
        assertThat(logged)
                .singleElement()
                .asString()
                .matches("attempt 1 of Work.run \\(activity 1 of workflow order-1\\) goes on PT1M after it was to end:"
                        + " thread .*\\. Its place under the limits of queue default is given up, and another may run"
                        + " beside it\\. Usual cause: a call without a time limit, which hears no interrupt\\.");
    }

    @Test
    void a_body_whose_run_was_terminated_keeps_its_place_until_it_ends() {
        List<Integer> beginnable = new ArrayList<>();
        bench.ran(argument -> {
            bench.schedule("[\"another\"]");
            bench.limitToOne();
            Attempt attempt = bench.leases.attempts().getFirst();
            bench.memory.seize(Seizures.terminate(attempt.key().run()));
            beginnable.add(bench.beginnable());
            bench.heldLeases.runOnce();
            assertThat(context().cancelRequested()).as("it is told").isTrue();
            beginnable.add(bench.beginnable());
            return null;
        });
        assertThat(beginnable).containsExactly(0, 0);
        bench.store();
        assertThat(bench.beginnable()).isEqualTo(1);
    }

    @Test
    void a_body_that_ends_before_it_hears_that_its_run_was_terminated_frees_its_place() {
        bench.ran(argument -> {
            bench.schedule("[\"another\"]");
            bench.limitToOne();
            bench.memory.seize(
                    Seizures.terminate(bench.leases.attempts().getFirst().key().run()));
            return "done";
        });
        bench.store();
        assertThat(bench.reports.stale()).isEqualTo(1);
        assertThat(bench.beginnable()).isEqualTo(1);
    }

    // ── cancelled ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_cancelled_background_job_is_left_to_its_body_for_a_grace_and_then_ends_as_cancelled() {
        bench.workflowType = BackgroundJob.TYPE;
        List<String> seen = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            ActivityContext context = context();
            bench.limitToOne();
            bench.schedule("[\"another\"]");
            Attempt attempt = bench.leases.attempts().getFirst();
            attempt.cancel();
            attempt.cancel();
            bench.pass(ActivityBench.CANCEL_GRACE.minusSeconds(1));
            assertThatThrownBy(() -> context.checkpoint("cleaned")).isInstanceOf(CancelledException.class);
            seen.add(Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted");
            try (LogCapture log = LogCapture.of(Attempt.class)) {
                bench.pass(Duration.ofSeconds(1));
                seen.addAll(log.messages());
            }
            seen.add(Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted");
            seen.add("beginnable: " + bench.beginnable());
            return "late";
        });

        assertThat(seen)
                .containsExactly(
                        "not interrupted",
                        "attempt 1 of Work.run (activity 1 of workflow order-1) was cancelled, and its body has not ended"
                                + " within the grace of PT30S: its job ends as cancelled, and the body is interrupted."
                                + " Usual cause: it asks neither cancelRequested nor heartbeat, nor has an onCancel."
                                + " Let it, or give it longer: cancelGrace.",
                        "interrupted",
                        "beginnable: 0");
        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityCancelled.class))
                .satisfies(cancelled ->
                        assertThat(cancelled.lastHeartbeatDetails().json()).isEqualTo("\"cleaned\""));
        bench.store();
        assertThat(bench.beginnable()).isEqualTo(1);
    }

    @Test
    void a_workflows_activity_that_is_cancelled_has_its_timeouts_and_no_grace() {
        JobKey key = bench.ran(argument -> {
            bench.leases.attempts().getFirst().cancel();
            bench.pass(Duration.ofSeconds(59));
            return "printed";
        });
        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_timeout_is_found_by_its_type_in_doNotRetry() {
        bench.options = bench.with(policy -> new RetryPolicy(
                3,
                Duration.ofSeconds(1),
                1,
                Duration.ofSeconds(1),
                0,
                List.of("dev.durable.ActivityTimedOutException"),
                3));
        JobKey key = bench.ran(argument -> {
            bench.pass(Duration.ofSeconds(60));
            return null;
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityTimedOut.class);
    }

    @Test
    void silence_for_the_heartbeat_timeout_ends_the_attempt() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        JobKey key = bench.ran(argument -> {
            for (int i = 1; i <= 5; i++) {
                bench.pass(Duration.ofSeconds(9));
                context().heartbeat(i);
            }
            bench.pass(Duration.ofSeconds(10));
            assertThat(context().cancelRequested()).isTrue();
            return null;
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2 5");
    }

    @Test
    void a_heartbeat_without_details_is_a_sign_of_life_and_forgets_nothing() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        JobKey key = bench.ran(argument -> {
            context().heartbeat("half");
            for (int i = 1; i <= 5; i++) {
                bench.pass(Duration.ofSeconds(9));
                context().heartbeat(null);
            }
            throw new IllegalStateException("broken");
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2 \"half\"");
    }

    @Test
    void schedule_to_close_ends_the_activity_whatever_the_policy_allows() {
        bench.options = bench.with(Duration.ofMinutes(10), null, Duration.ofSeconds(30), null, bench.options.retry());
        JobKey key = bench.ran(argument -> {
            assertThat(context().info().deadline()).isEqualTo(bench.clock.now().plusSeconds(30));
            bench.pass(Duration.ofSeconds(30));
            return "late";
        });

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityTimedOut.class))
                .extracting(ActivityTimedOut::timeout)
                .isEqualTo(TimeoutType.SCHEDULE_TO_CLOSE);
    }

    @Test
    void a_deadline_that_somebody_gave_it_before_its_body_began_holds() {
        bench.holdBodies();
        bench.body = argument -> {
            assertThat(context().info().deadline()).isEqualTo(bench.clock.now().plusSeconds(20));
            bench.pass(Duration.ofSeconds(20));
            return "late";
        };
        bench.options = bench.with(policy -> policy.withMaxAttempts(1));
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        bench.leases
                .attempts()
                .getFirst()
                .hear(new HeldJob.Ordered(
                        1, bench.clock.now().plusSeconds(30), OptionsJson.encode(bench.options), null, null));
        bench.clock.advance(Duration.ofSeconds(10));

        bench.runHeld();

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityTimedOut.class))
                .extracting(ActivityTimedOut::timeout)
                .isEqualTo(TimeoutType.START_TO_CLOSE);
    }

    @Test
    void another_order_before_its_body_began_takes_nothing_of_its_time() {
        bench.holdBodies();
        bench.body = argument -> "in time";
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        bench.leases
                .attempts()
                .getFirst()
                .hear(new HeldJob.Ordered(1, null, OptionsJson.encode(bench.options), null, null));
        bench.pass(Duration.ofMinutes(2));

        bench.runHeld();
        bench.store();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_failure_with_no_time_left_for_a_retry_is_out_of_time_at_once_and_tells_the_failure() {
        bench.options = bench.with(Duration.ofMinutes(10), null, Duration.ofSeconds(10), null, bench.options.retry());
        JobKey key = bench.ran(argument -> {
            throw new IllegalStateException("broken");
        });

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityTimedOut.class))
                .extracting(ActivityTimedOut::timeout)
                .isEqualTo(TimeoutType.SCHEDULE_TO_CLOSE);
        assertThat(bench.notes(key))
                .singleElement()
                .asInstanceOf(type(ActivityAttemptFailed.class))
                .satisfies(note -> {
                    assertThat(note.failure().message()).isEqualTo("broken");
                    assertThat(note.nextAttemptAt()).isNull();
                });
    }

    @Test
    void a_job_that_waited_too_long_never_runs() {
        AtomicInteger runs = new AtomicInteger();
        bench.body = argument -> runs.incrementAndGet();
        bench.options = bench.with(
                Duration.ofMinutes(10), Duration.ofSeconds(5), Duration.ofHours(1), null, bench.options.retry());
        JobKey toStart = bench.schedule("[\"x\"]");
        bench.options = bench.with(Duration.ofMinutes(10), null, Duration.ofSeconds(5), null, bench.options.retry());
        JobKey toClose = bench.schedule("[\"x\"]");

        bench.pass(Duration.ofSeconds(6));
        bench.work();

        assertThat(((ActivityTimedOut) bench.outcome(toStart)).timeout()).isEqualTo(TimeoutType.SCHEDULE_TO_START);
        assertThat(((ActivityTimedOut) bench.outcome(toClose)).timeout()).isEqualTo(TimeoutType.SCHEDULE_TO_CLOSE);
        assertThat(runs).hasValue(0);
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    // ── the database is away ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void nothing_dies_while_the_database_is_away_and_outcomes_arrive_after() {
        bench.away("update", 3);
        JobKey key = bench.ran(argument -> {
            context().heartbeat("half");
            bench.clock.advance(Duration.ofSeconds(50));
            bench.deadlines.runOnce();
            return "done";
        });
        assertThat(bench.inbox(key)).isEmpty();

        bench.store();
        bench.store();
        bench.store();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.faulty.allSeen()).isTrue();
    }

    private static Object recurse(String argument) {
        return argument.isEmpty() ? "never" : recurse(argument + "x".substring(argument.length() % 2));
    }

    // ── at most once ────────────────────────────────────────────────────────────────────────────────────────────────

    private JobKey ranOnce(ActivityBench.Work work) {
        bench.atMostOnce = true;
        bench.options = bench.with(
                policy -> new RetryPolicy(1, Duration.ZERO, 1, Duration.ZERO, 0, List.of(), policy.maxWorkerCrashes()));
        return bench.ran(work);
    }

    @Test
    void at_most_once_a_failed_attempt_is_the_last_whatever_it_asks_for() {
        JobKey key = ranOnce(argument -> {
            throw new RetryAfterException(Duration.ofSeconds(1), new IllegalStateException("no"));
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
        assertThat(bench.state(key)).isEqualTo("gone");
    }

    @Test
    void at_most_once_no_failure_leaves_itself_another_attempt() {
        JobKey key = ranOnce(argument -> {
            throw new RetryableException("no").remainingAttempts(2);
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityFailed.class);
    }

    static Stream<Throwable> thrownInShutdowns() {
        return Stream.of(
                new IllegalStateException("interrupted"),
                new InterruptedException(),
                new CancelledException("it stops"),
                new DeferException(Duration.ofMinutes(1)),
                new RetryableException("again").remainingAttempts(3),
                new NonRetryableException("no"),
                new StackOverflowError());
    }

    @ParameterizedTest
    @MethodSource("thrownInShutdowns")
    void at_most_once_whatever_is_thrown_after_a_shutdown_is_an_unknown_outcome_with_its_cause(Throwable thrown) {
        JobKey key = ranOnce(argument -> {
            bench.leases.attempts().forEach(Attempt::shutDown);
            return sneaky(thrown);
        });

        assertThat(bench.state(key)).isEqualTo("gone");
        assertThat(bench.outcome(key)).isInstanceOfSatisfying(ActivityFailed.class, failed -> {
            assertThat(failed.failure().type()).isEqualTo("dev.durable.OutcomeUnknownException");
            assertThat(failed.failure().message())
                    .startsWith("outcome unknown: the worker of attempt 1 was lost or shut");
            assertThat(failed.failure().cause().type())
                    .isEqualTo(thrown.getClass().getName());
        });
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> Object sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    // ── what has begun ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_body_that_gave_itself_back_is_called_again_after_schedule_to_start() {
        bench.options = bench.with(Duration.ofMinutes(10), Duration.ofSeconds(5), null, null, bench.options.retry());
        AtomicInteger runs = new AtomicInteger();
        JobKey key = bench.ran(argument -> {
            if (runs.incrementAndGet() == 1) {
                throw new DeferException(Duration.ofMinutes(1));
            }
            return "done";
        });
        bench.pass(Duration.ofMinutes(2));
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_body_that_a_shutdown_interrupted_is_called_again_after_schedule_to_start() {
        bench.options = bench.with(Duration.ofMinutes(10), Duration.ofSeconds(5), null, null, bench.options.retry());
        AtomicInteger runs = new AtomicInteger();
        JobKey key = bench.ran(argument -> {
            if (runs.incrementAndGet() == 1) {
                bench.leases.attempts().forEach(Attempt::shutDown);
                bench.clock.advance(Duration.ofMinutes(1));
                throw new IllegalStateException("interrupted");
            }
            return "done";
        });
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_job_whose_worker_could_not_tell_its_end_has_begun() {
        bench.options = bench.with(Duration.ofMinutes(10), Duration.ofSeconds(5), null, null, bench.options.retry());
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        bench.leases.attempts().forEach(attempt -> bench.leases.forget(attempt.lease()));

        bench.heldLeases.runOnce();
        bench.store();
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("ready 1");
        bench.clock.advance(Duration.ofMinutes(1));

        assertThat(bench.memory.timeOutWaiting(10)).isZero();
    }

    @Test
    void at_most_once_a_body_that_outlives_its_worker_fails_as_unknown() {
        AtomicReference<Attempt> attempt = new AtomicReference<>();
        JobKey key = ranOnce(argument -> {
            bench.leases.attempts().forEach(attempt::set);
            attempt.get().giveBack();
            return "too late";
        });
        bench.store();

        assertThat(bench.outcome(key))
                .isInstanceOfSatisfying(
                        ActivityFailed.class,
                        failed -> assertThat(failed.failure().type()).isEqualTo("dev.durable.OutcomeUnknownException"));
    }
}
