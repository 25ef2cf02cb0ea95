package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.StoredEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.AuditFilter;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.RunChange;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.Seizure;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The end of a run without its code: terminate and time out. */
abstract class SeizureContract extends StoreContract {

    @Test
    void a_seized_run_is_closed_with_an_event_that_counts_what_it_never_handled() {
        RunKey run = started("order-1");
        signalled(run, "a");
        signalled(run, "b");
        Instant before = store.now();

        assertThat(store.seize(Seizures.terminate(run))).contains(run);

        StoredEvent last = history(run).getLast();
        assertThat(last.id()).isEqualTo(2);
        assertThat(last.type()).isEqualTo("WorkflowTerminated");
        assertThat(last.attributes()).isEqualTo("{\"droppedMessages\":2}");
        assertThat(last.at()).isBetween(before, store.now());
        RunRecord record = store.run(run.runId()).orElseThrow();
        assertThat(record.status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(record.failure()).isEqualTo("{\"type\":\"Ended\"}");
        assertThat(record.result()).isNull();
        assertThat(record.closedAt()).isNotNull();
        assertThat(deliver(run, signal("c"))).isEqualTo(Delivery.Outcome.NOT_FOUND);
    }

    @Test
    void what_its_jobs_and_outcomes_carry_stands_before_the_closing_event() {
        Writer writer = scheduled("order-1", 3);
        List<ClaimedJob> jobs = claimJobs(session).stream()
                .sorted(Comparator.comparingInt(job -> job.key().seq()))
                .toList();
        Instant now = store.now();
        update(new JobUpdate.Bury(
                jobs.get(0).key(),
                jobs.get(0).lease(),
                false,
                2,
                "f",
                "[{\"type\":\"IncidentRaised\",\"at\":\"" + now.minusSeconds(1)
                        + "\",\"attributes\":{\"informing\":true,\"seq\":1}}]",
                "declined",
                null,
                null));
        update(new JobUpdate.Heartbeat(jobs.get(1).key(), jobs.get(1).lease(), "{\"row\":7}"));
        JobUpdate.Settle third = completed(jobs.get(2));
        update(new JobUpdate.Settle(
                third.key(),
                third.lease(),
                third.outcome()
                        .with("[{\"type\":\"ActivityAttemptFailed\",\"at\":\"" + now.minusSeconds(2)
                                + "\",\"attributes\":{\"informing\":true,\"seq\":3}}]")));

        terminated(writer.run());

        assertThat(eventTypes(writer.run()).subList(4, 9))
                .containsExactly(
                        "ActivityAttemptFailed",
                        "IncidentRaised",
                        "ActivityAbandoned",
                        "ActivityAbandoned",
                        "WorkflowTerminated");
        assertThat(history(writer.run()).stream()
                        .filter(event -> event.type().equals("ActivityAbandoned"))
                        .map(StoredEvent::attributes))
                .containsExactlyInAnyOrder(
                        "{\"informing\":true,\"seq\":3,\"attempt\":1,\"outcome\":{\"type\":\"ActivityCompleted\",\"attributes\":"
                                + "{\"seq\":3,\"attempt\":1,\"result\":\"" + MarkedLines.MARKER + "\"}}}",
                        "{\"informing\":true,\"seq\":2,\"attempt\":1,\"lastHeartbeatDetails\":{\"row\":7}}");
    }

    @Test
    void the_current_run_of_a_workflow_id_is_seized() {
        terminated(started("order-1"));
        RunKey second = started("order-1");

        assertThat(store.seize(Seizures.terminateCurrent("order-1"))).contains(second);
    }

    @Test
    void a_seizure_that_names_a_run_leaves_its_successor_alone() {
        RunKey first = started("order-1");
        terminated(first);
        RunKey second = started("order-1");

        assertThat(store.seize(Seizures.terminate(first))).isEmpty();
        assertThat(store.run(second.runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void there_may_be_nothing_to_seize() {
        assertThat(store.seize(Seizures.terminateCurrent("order-1"))).isEmpty();
        assertThat(store.seize(Seizures.terminate(newRun("order-1").key()))).isEmpty();
    }

    @Test
    void a_closed_run_is_not_seized_again_but_a_resend_finds_what_it_did() {
        RunKey run = started("order-1");
        Seizure terminate = Seizures.terminate(run);
        store.seize(terminate);

        assertThat(store.seize(terminate)).as("sent again").contains(run);
        assertThat(store.seize(Seizures.terminate(run))).isEmpty();
        assertThat(history(run)).hasSize(2);
    }

    @Test
    void the_holder_of_a_seized_run_can_write_no_more() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Heartbeat(job.key(), job.lease(), "1"));

        terminated(writer.run());

        assertThat(writer.write(writer.step().settles(job))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(store.held(session)).isEmpty();
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void a_run_is_timed_out_only_after_its_deadline() {
        RunKey run = started(newRun("order-1").deadline(store.now().plusSeconds(60)));
        started("order-2");

        assertThat(store.expiredRuns(10)).isEmpty();
        assertThat(store.seize(Seizures.timeOut(run))).isEmpty();
        advance(Duration.ofSeconds(61));
        assertThat(store.expiredRuns(10)).containsExactly(run);
        assertThat(store.seize(Seizures.timeOut(run))).contains(run);
        assertThat(store.expiredRuns(10)).isEmpty();
        assertThat(store.run(run.runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.TIMED_OUT);
    }

    @Test
    void a_run_without_a_deadline_never_expires() {
        RunKey run = started("order-1");
        advance(Duration.ofDays(365));

        assertThat(store.expiredRuns(10)).isEmpty();
        assertThat(store.seize(Seizures.timeOut(run))).isEmpty();
    }

    @Test
    void a_run_that_nobody_began_in_time_expires() {
        RunKey run = started(newRun("order-1").expiresAt(store.now().plusSeconds(60)));
        advance(Duration.ofSeconds(61));

        assertThat(store.expiredRuns(10)).containsExactly(run);
        assertThat(store.seize(Seizures.timeOut(run))).contains(run);
    }

    @Test
    void a_run_whose_first_turn_is_written_in_time_does_not_expire() {
        Instant soon = store.now().plusSeconds(60);
        Writer begun = claimed(started(newRun("order-1").expiresAt(soon)));
        begun.write(begun.step().schedules(1));
        RunKey eager = started(newRun("order-2").expiresAt(soon).firstTurnDone());
        advance(Duration.ofSeconds(61));

        assertThat(store.expiredRuns(10)).isEmpty();
        assertThat(store.seize(Seizures.timeOut(begun.run()))).isEmpty();
        assertThat(store.seize(Seizures.timeOut(eager))).isEmpty();
    }

    @Test
    void a_begun_run_keeps_its_deadline() {
        Instant now = store.now();
        Writer begun =
                claimed(started(newRun("order-1").expiresAt(now.plusSeconds(60)).deadline(now.plusSeconds(120))));
        begun.write(begun.step().schedules(1));
        advance(Duration.ofSeconds(121));

        assertThat(store.expiredRuns(10)).containsExactly(begun.run());
    }

    @Test
    void expired_runs_are_listed_up_to_the_limit() {
        for (int i = 0; i < 3; i++) {
            started(newRun("order-" + i).deadline(store.now().plusSeconds(1)));
        }
        advance(Duration.ofSeconds(2));

        assertThat(store.expiredRuns(2)).hasSize(2);
        assertThat(store.expiredRuns(10)).hasSize(3);
    }

    @Test
    void the_earliest_timeout_of_each_kind_is_told_before_and_after_it_passes() {
        assertThat(store.earliestTimeouts()).isEqualTo(new EarliestTimeouts(null, null, null));
        Instant now = store.now();
        started(newRun("order-1").deadline(now.plusSeconds(90)));
        started(newRun("order-2").expiresAt(now.plusSeconds(60)));
        started(newRun("order-3").deadline(now.plusSeconds(120)).expiresAt(now.plusSeconds(130)));

        assertThat(store.earliestTimeouts()).isEqualTo(new EarliestTimeouts(null, null, now.plusSeconds(60)));
        advance(Duration.ofSeconds(61));
        assertThat(store.earliestTimeouts().runs()).isEqualTo(now.plusSeconds(60));
    }

    @Test
    void a_terminated_run_counts_as_one_that_did_not_complete() {
        terminated(started("order-1"));

        assertThat(store.latestRun("order-1").orElseThrow().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(jobStates(store.latestRun("order-1").orElseThrow().run())).isEqualTo(Map.of());
    }

    @Test
    void many_runs_are_closed_together_and_each_is_told_apart() {
        Writer writer = scheduled("order-1", 2);
        ClaimedJob job = claimJob(session);
        update(completed(job));
        RunKey signalled = started("order-2");
        signalled(signalled, "a");
        RunKey closed = started("order-3");
        terminated(closed);
        RunKey young = started(newRun("order-4").deadline(store.now().plusSeconds(60)));
        List<Seizure> seizures = List.of(
                Seizures.terminate(signalled),
                Seizures.terminate(closed),
                Seizures.terminateCurrent("no such order"),
                Seizures.timeOut(young),
                Seizures.terminate(writer.run()));

        List<RunChange> changes = store.seize(seizures);

        assertThat(changes)
                .containsExactly(
                        RunChange.changed(signalled),
                        RunChange.NOT_FOUND,
                        RunChange.NOT_FOUND,
                        RunChange.unchanged(young),
                        RunChange.changed(writer.run()));
        assertThat(store.seize(seizures)).as("sent again").isEqualTo(changes);
        assertThat(history(signalled).getLast().attributes()).isEqualTo("{\"droppedMessages\":1}");
        assertThat(eventTypes(writer.run()).subList(3, 5)).containsExactly("ActivityAbandoned", "WorkflowTerminated");
        assertThat(writer.write(writer.step().settles(job))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(store.run(young.runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(store.audit(AuditFilter.ALL, 10)).as("no operator is named").isEmpty();
    }

    @Test
    void many_runs_are_paused_and_resumed_together_and_each_is_told_apart() {
        Writer holder = claimed("order-1");
        RunKey second = started("order-2");
        RunKey closed = started("order-3");
        terminated(closed);
        paused("order-2", "ann");

        assertThat(store.pause(List.of(pause("order-3", null), pause("order-2", null), pause("order-1", "bob"))))
                .containsExactly(RunChange.NOT_FOUND, RunChange.unchanged(second), RunChange.changed(holder.run()));

        assertThat(holder.write(holder.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(claimRuns(session)).isEmpty();
        assertThat(eventTypes(second)).containsExactly("WorkflowStarted", "WorkflowPaused");
        assertThat(store.audit(AuditFilter.ALL, 10))
                .extracting(row -> row.actor() + ": " + row.action() + " " + row.target())
                .containsExactlyInAnyOrder("bob: pause run order-1", "ann: pause run order-2");
        assertThat(store.pause(List.of(resume("order-2"), resume("order-1"))))
                .containsExactly(RunChange.changed(second), RunChange.changed(holder.run()));
        assertThat(claimedIds(session)).containsExactlyInAnyOrder("order-1", "order-2");
    }

    @Test
    void many_runs_are_moved_together_and_each_is_told_apart() {
        RunKey first = started("order-1");
        RunKey second = started("order-2");
        RunMove move = new RunMove("order-2", null, "green", UUID.randomUUID(), null);

        assertThat(store.move(move)).isTrue();
        assertThat(store.move(List.of(
                        new RunMove("order-1", first.runId(), "green", UUID.randomUUID(), null),
                        move,
                        new RunMove("order-3", null, "green", UUID.randomUUID(), null))))
                .containsExactly(RunChange.changed(first), RunChange.unchanged(second), RunChange.NOT_FOUND);

        assertThat(claimRuns(session)).as("a process without a build").isEmpty();
        assertThat(store.audit(AuditFilter.ALL, 10)).as("no operator is named").isEmpty();
        assertThat(store.move(List.of())).isEmpty();
    }

    @Test
    void a_row_of_the_audit_is_written_once() {
        JobOrder.Audit row = new JobOrder.Audit(UUID.randomUUID(), "ann", "cancel runs", "{\"done\":2}");

        store.audit(row, "operation-1");
        store.audit(row, "operation-1");

        assertThat(store.audit(AuditFilter.ALL, 10)).singleElement().satisfies(entry -> {
            assertThat(entry.actor() + ": " + entry.action() + " " + entry.target())
                    .isEqualTo("ann: cancel runs operation-1");
            assertThat(entry.details()).isEqualTo("{\"done\":2}");
            assertThat(entry.at()).isBetween(store.now().minusSeconds(60), store.now());
        });
    }

    private void paused(String workflowId, String actor) {
        assertThat(store.pause(pause(workflowId, actor))).isTrue();
    }

    private static RunPause pause(String workflowId, @Nullable String actor) {
        return new RunPause(workflowId, null, true, UUID.randomUUID(), "WorkflowPaused", "{\"informing\":true}", actor);
    }

    private static RunPause resume(String workflowId) {
        return new RunPause(
                workflowId, null, false, UUID.randomUUID(), "WorkflowResumed", "{\"informing\":true}", null);
    }
}
