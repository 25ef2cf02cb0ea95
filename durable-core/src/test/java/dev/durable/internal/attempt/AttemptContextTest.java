package dev.durable.internal.attempt;

import static dev.durable.internal.dispatch.ActivityBench.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.PayloadException;
import dev.durable.StaleAttemptException;
import dev.durable.TypeRef;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.store.ClaimedRun;
import dev.durable.store.JobKey;
import dev.durable.store.RunClaim;
import dev.durable.store.Seizure;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The calls of a body on its context: heartbeats, timeouts, cancellation. */
class AttemptContextTest {
    private final ActivityBench bench = new ActivityBench();

    // ── heartbeats ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void heartbeats_are_throttled_to_eight_tenths_of_their_timeout() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        List<String> stored = new ArrayList<>();
        bench.ran(argument -> {
            JobKey key = bench.leases.attempts().getFirst().key();
            for (int second = 0; second <= 17; second++) {
                context().heartbeat(second);
                bench.store();
                stored.add(bench.state(key).substring("running 1 ".length()));
                bench.pass(Duration.ofSeconds(1));
            }
            return null;
        });

        assertThat(stored.stream().distinct()).containsExactly("0", "7", "15");
    }

    @Test
    void without_a_timeout_heartbeats_are_stored_every_thirty_seconds() {
        bench.options = bench.with(Duration.ofHours(1), null, bench.options.retry());
        bench.ran(argument -> {
            JobKey key = bench.leases.attempts().getFirst().key();
            context().heartbeat("first");
            context().heartbeat("second");
            bench.pass(Duration.ofMillis(29_999));
            assertThat(bench.state(key)).isEqualTo("running 1 \"first\"");
            bench.pass(Duration.ofMillis(1));
            assertThat(bench.state(key)).isEqualTo("running 1 \"second\"");
            return null;
        });
    }

    @Test
    void details_are_those_of_the_moment_they_were_told() {
        JobKey key = bench.ran(argument -> {
            List<Integer> rows = new ArrayList<>(List.of(1));
            context().heartbeat(rows);
            rows.add(2);
            throw new IllegalStateException("broken");
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2 [1]");
    }

    @Test
    void details_that_can_not_be_stored_are_refused_where_they_are_told() {
        JobKey key = bench.ran(argument -> {
            assertThatThrownBy(() -> context().heartbeat("x".repeat(20_000)))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("the heartbeat details of Work.run");
            return "done";
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_checkpoint_is_durable_before_it_returns() {
        bench.ran(argument -> {
            JobKey key = bench.leases.attempts().getFirst().key();
            for (int row = 1; row <= 3; row++) {
                context().checkpoint(Map.of("row", row));
                assertThat(bench.state(key)).isEqualTo("running 1 {\"row\":" + row + "}");
            }
            return null;
        });
    }

    @Test
    void a_checkpoint_waits_for_the_database_and_its_silence_is_not_held_against_it() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        JobKey key = bench.ran(argument -> {
            bench.away("update", 50);
            bench.whileWaiting = () -> bench.clock.advance(Duration.ofSeconds(1));
            context().checkpoint("half");
            bench.whileWaiting = () -> {};
            context().heartbeat("more");
            return "done";
        });

        assertThat(bench.faulty.allSeen()).isTrue();
        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void generic_details_come_back_as_they_were() {
        JobKey key = bench.ran(argument -> {
            context().heartbeat(Map.of("rows", List.of(1, 2)));
            throw new IllegalStateException("broken");
        });
        bench.body = argument -> context()
                .heartbeatDetails(new TypeRef<Map<String, List<Integer>>>() {})
                .orElseThrow()
                .get("rows")
                .getLast();

        bench.pass(Duration.ofSeconds(10));
        bench.work();

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("2");
    }

    @Test
    void a_first_attempt_has_no_details_but_those_of_attempts_before() {
        List<Optional<String>> found = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            context().heartbeat("of attempt " + context().info().attempt());
            found.add(context().heartbeatDetails(String.class));
            if (found.size() < 3) {
                throw new IllegalStateException("broken");
            }
            return null;
        });
        bench.pass(Duration.ofSeconds(10));
        bench.work();
        bench.pass(Duration.ofSeconds(20));
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(found).containsExactly(Optional.empty(), Optional.of("of attempt 1"), Optional.of("of attempt 2"));
    }

    // ── timeout update ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_deadline_that_was_moved_back_lets_the_attempt_go_on_and_is_recorded() {
        Instant start = bench.clock.now();
        JobKey key = bench.ran(argument -> {
            bench.pass(Duration.ofSeconds(50));
            context().updateTimeout(Duration.ofMinutes(10));
            assertThat(context().info().deadline()).isEqualTo(start.plusSeconds(650));
            bench.pass(Duration.ofSeconds(599));
            return "done";
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.notes(key))
                .singleElement()
                .asInstanceOf(type(ActivityTimeoutUpdated.class))
                .satisfies(updated -> {
                    assertThat(updated.oldDeadline()).isEqualTo(start.plusSeconds(60));
                    assertThat(updated.newDeadline()).isEqualTo(start.plusSeconds(650));
                    assertThat(updated.attempt()).isEqualTo(1);
                    assertThat(updated.by()).isEqualTo("me");
                });
    }

    @Test
    void a_deadline_may_be_moved_forward() {
        JobKey key = bench.ran(argument -> {
            context().updateTimeout(Duration.ofSeconds(5));
            bench.pass(Duration.ofSeconds(5));
            assertThat(context().cancelRequested()).isTrue();
            return "late";
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
    }

    @Test
    void a_deadline_is_never_moved_past_schedule_to_close() {
        bench.options = bench.with(Duration.ofSeconds(10), null, Duration.ofSeconds(30), null, bench.options.retry());
        Instant start = bench.clock.now();
        JobKey key = bench.ran(argument -> {
            context().updateTimeout(Duration.ofHours(1));
            assertThat(context().info().deadline()).isEqualTo(start.plusSeconds(30));
            bench.pass(Duration.ofSeconds(30));
            return "late";
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityTimedOut.class);
    }

    @Test
    void a_moved_deadline_is_noted_with_the_job_for_who_takes_over() {
        JobKey key = bench.ran(argument -> {
            context().updateTimeout(Duration.ofMinutes(2));
            context().updateTimeout(Duration.ofMinutes(3));
            throw new IllegalStateException("broken");
        });
        bench.body = argument -> "done";
        bench.pass(Duration.ofSeconds(10));
        bench.work();

        assertThat(bench.notes(key))
                .extracting(note -> note.getClass().getSimpleName())
                .containsExactly("ActivityTimeoutUpdated", "ActivityTimeoutUpdated", "ActivityAttemptFailed");
    }

    @Test
    void a_timeout_that_is_not_positive_is_refused() {
        bench.ran(argument -> {
            assertThatThrownBy(() -> context().updateTimeout(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("now plus a positive duration");
            return null;
        });
    }

    // ── cancellation ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void cancellation_arrives_without_heartbeats() {
        List<String> told = new ArrayList<>();
        JobKey key = bench.ran(argument -> {
            ActivityContext context = context();
            context.onCancel(() -> told.add("told"));
            cancelByWorkflow();
            assertThat(context.cancelRequested()).isFalse();
            bench.heldLeases.runOnce();
            assertThat(context.cancelRequested()).isTrue();
            assertThatThrownBy(() -> context.heartbeat(1))
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("Work.run was cancelled by workflow order-1");
            throw new CancelledException("as you wish");
        });

        assertThat(told).containsExactly("told");
        assertThat(bench.outcome(key)).isInstanceOf(ActivityCancelled.class);
    }

    @Test
    void cancellation_arrives_with_the_answer_to_a_checkpoint_which_is_durable() {
        JobKey key = bench.ran(argument -> {
            cancelByWorkflow();
            context().checkpoint("half");
            return "unreached";
        });

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityCancelled.class))
                .satisfies(cancelled ->
                        assertThat(cancelled.lastHeartbeatDetails().json()).isEqualTo("\"half\""));
    }

    @Test
    void a_cancelled_body_that_completes_all_the_same_has_completed() {
        JobKey key = bench.ran(argument -> {
            cancelByWorkflow();
            bench.heldLeases.runOnce();
            return "done";
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_cancelled_body_that_fails_is_not_retried() {
        JobKey key = bench.ran(argument -> {
            cancelByWorkflow();
            bench.heldLeases.runOnce();
            throw new IllegalStateException("could not undo");
        });

        assertThat(bench.outcome(key))
                .asInstanceOf(type(ActivityFailed.class))
                .satisfies(failed -> assertThat(failed.failure().message()).isEqualTo("could not undo"));
    }

    @Test
    void a_cancelled_exception_that_nobody_asked_for_is_a_failure() {
        JobKey key = bench.ran(argument -> {
            throw new CancelledException("of my own");
        });

        assertThat(bench.state(key)).isEqualTo("delayed 2");
    }

    @Test
    void a_job_that_was_cancelled_before_its_body_began_never_runs() {
        bench.holdBodies();
        bench.body = argument -> {
            throw new AssertionError("it ran");
        };
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        bench.leases.attempts().getFirst().cancel();

        bench.runHeld();
        bench.store();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCancelled.class);
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void an_attempt_of_a_run_that_was_terminated_is_stale() {
        JobKey key = bench.ran(argument -> {
            terminate(bench.leases.attempts().getFirst().key());
            bench.heldLeases.runOnce();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThatThrownBy(() -> context().heartbeat(1)).isInstanceOf(StaleAttemptException.class);
            return "late";
        });

        assertThat(bench.inbox(key)).isEmpty();
        assertThat(bench.leases.isEmpty()).isTrue();
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void a_stale_answer_to_a_heartbeat_ends_the_attempt_and_its_late_outcome_is_dropped() {
        JobKey key = bench.ran(argument -> {
            terminate(bench.leases.attempts().getFirst().key());
            context().heartbeat(1);
            bench.store();
            assertThat(context().cancelRequested()).isTrue();
            assertThatThrownBy(() -> context().checkpoint(2)).isInstanceOf(StaleAttemptException.class);
            return "late";
        });

        assertThat(bench.inbox(key)).isEmpty();
        assertThat(bench.reports.stale()).isEqualTo(1);
    }

    private void cancelByWorkflow() {
        JobKey key = bench.leases.attempts().getFirst().key();
        // A signal wakes the run, which then cancels its activity.
        bench.signal(key.run());
        ClaimedRun claim = bench.memory
                .claimRuns(new RunClaim(
                        bench.session.id(),
                        Set.of(ActivityBench.QUEUE),
                        Set.of("OrderWorkflow"),
                        10,
                        Duration.ofSeconds(10)))
                .runs()
                .getFirst();
        Transition.Outcome cancelled = bench.memory
                .commit(List.of(new Transition(
                        claim.run(),
                        new Transition.Fences(claim.fence(), UUID.randomUUID()),
                        claim.nextEventId(),
                        List.of(),
                        List.of(),
                        new Transition.JobChanges(List.of(), List.of(), List.of(1)),
                        true,
                        null,
                        null,
                        null)))
                .getFirst();
        assertThat(cancelled).isEqualTo(Transition.Outcome.APPLIED_MORE);
    }

    private void terminate(JobKey key) {
        bench.memory.seize(new Seizure(
                key.run().workflowId(),
                null,
                false,
                UUID.randomUUID(),
                WorkflowStatus.TERMINATED,
                "WorkflowTerminated",
                dropped -> "{}",
                null));
    }
}
