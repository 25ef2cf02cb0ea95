package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.CLOSE_REFUSED;
import static dev.durable.store.Transition.Outcome.LOCKED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.ReadBack;
import dev.durable.store.RunRecord;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The end of a run: never over a message that was acknowledged. */
abstract class CloseContract extends StoreContract {

    @Test
    void a_close_ends_the_run_with_its_result() {
        Writer writer = claimed("order-1");
        Instant before = store.now();

        assertThat(writer.write(writer.closing())).isEqualTo(APPLIED);

        RunRecord record = store.run(writer.run().runId()).orElseThrow();
        assertThat(record.status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(record.result()).isEqualTo("{\"status\":\"COMPLETED\"}");
        assertThat(record.failure()).isNull();
        assertThat(record.closedAt()).isBetween(before, store.now());
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "WorkflowCompleted");
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void a_failure_is_kept_as_it_was_written() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().closes(WorkflowStatus.FAILED).build();
        Transition failing = new Transition(
                step.run(),
                step.fences(),
                step.nextEventId(),
                step.events(),
                List.of(),
                Transition.JobChanges.NONE,
                true,
                null,
                null,
                new Transition.Close(WorkflowStatus.FAILED, null, "{\"type\":\"Declined\", \"b\":1E2}", false));
        store.commit(List.of(failing));

        RunRecord record = store.run(writer.run().runId()).orElseThrow();
        assertThat(record.failure()).isEqualTo("{\"type\":\"Declined\", \"b\":1E2}");
        assertThat(record.result()).isNull();
    }

    @Test
    void a_close_is_refused_by_a_waiting_message() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signalled(writer.run(), "approve");

        assertThat(writer.write(writer.closing().schedules(1))).isEqualTo(CLOSE_REFUSED);

        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(writer.write(writer.closing().consumes(approve))).isEqualTo(APPLIED);
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "SignalReceived", "WorkflowCompleted");
    }

    @Test
    void a_close_is_refused_by_one_message_beside_those_it_consumes() {
        Writer writer = claimed("order-1");
        InboxMessage first = signalled(writer.run(), "first");
        signalled(writer.run(), "second");

        assertThat(writer.write(writer.closing().consumes(first))).isEqualTo(CLOSE_REFUSED);
        assertThat(waitingNames(writer.run())).containsExactly("first", "second");
    }

    @Test
    void a_close_is_refused_by_the_outcome_of_an_activity() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        update(completed(claimJob(session)));

        assertThat(writer.write(writer.closing())).isEqualTo(CLOSE_REFUSED);

        InboxMessage outcome = waiting(writer.run()).getFirst();
        assertThat(writer.write(writer.closing().consumes(outcome))).isEqualTo(APPLIED);
    }

    @Test
    void jobs_that_nobody_waits_for_go_with_the_run() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2).schedules(3));
        ClaimedJob running = claimJobs(session, 1).getFirst();
        update(new JobUpdate.Heartbeat(running.key(), running.lease(), "1"));
        update(retry(claimJobs(session, 1).getFirst(), Duration.ofHours(1)));

        assertThat(writer.write(writer.closing())).isEqualTo(APPLIED);

        assertThat(store.held(session)).isEmpty();
        assertThat(claimJobs(session)).isEmpty();
        assertThat(update(new JobUpdate.Heartbeat(running.key(), running.lease(), "2")))
                .isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(update(completed(running))).isEqualTo(JobUpdate.Outcome.STALE);
    }

    // ── what jobs carried ───────────────────────────────────────────────────────────────────────────────────────────

    /** An informing event as it stands among notes. */
    private static String note(String type, Instant at, int n) {
        return "{\"type\": \"" + type + "\",\"at\":\"" + at + "\", \"attributes\": {\"informing\":true,\"seq\":1,\"n\":"
                + n + ",\"text\":\"a \\\" b ]},\"}}";
    }

    /** The activities of a run, of which the first has failed once, was paused before that, and tells how far it is. */
    private Writer withFailedAttempt(String workflowId) {
        Writer writer = scheduled(workflowId, 3);
        ClaimedJob job = claimJobs(session).stream()
                .filter(claimed -> claimed.key().run().equals(writer.run())
                        && claimed.key().seq() == 1)
                .findFirst()
                .orElseThrow();
        Instant now = store.now();
        store.order(List.of(new JobOrder.Pause(
                job.key(), new JobOrder.Trace(null, note("ActivityOperated", now.minusSeconds(5), 2)))));
        update(new JobUpdate.Retry(
                job.key(),
                job.lease(),
                Duration.ofHours(1),
                2,
                "[" + note("ActivityAttemptFailed", now.minusSeconds(9), 1) + " , "
                        + note("ActivityAttemptFailed", now.minusSeconds(1), 3) + "]",
                "declined",
                "{\"row\": [7, 8]}",
                null));
        return writer;
    }

    private void assertThatItIsTold(Writer writer, String... before) {
        List<StoredEvent> history = history(writer.run());
        List<String> all = new ArrayList<>(List.of(before));
        all.addAll(List.of(
                "ActivityAttemptFailed",
                "ActivityOperated",
                "ActivityAttemptFailed",
                "ActivityAbandoned",
                "WorkflowCompleted"));
        assertThat(history.stream().map(StoredEvent::type)).endsWith(all.toArray(String[]::new));
        int last = history.size() - 1;
        for (int n = 1; n <= 3; n++) {
            assertThat(history.get(last - 5 + n).attributes())
                    .isEqualTo("{\"informing\":true,\"seq\":1,\"n\":" + n + ",\"text\":\"a \\\" b ]},\"}");
        }
        assertThat(history.get(last - 1).attributes())
                .isEqualTo("{\"informing\":true,\"seq\":1,\"attempt\":2,\"lastHeartbeatDetails\":{\"row\": [7, 8]}}");
    }

    @Test
    void what_jobs_carry_that_go_with_the_run_stands_in_its_history_in_the_order_in_which_it_happened() {
        Writer writer = withFailedAttempt("order-1");
        Transition closing = writer.closing().build();

        assertThat(store.commit(List.of(closing))).containsExactly(APPLIED);

        assertThatItIsTold(writer, "ActivityScheduled");
        assertThat(store.readBack(
                        List.of(new ReadBack(writer.run(), closing.fences().next(), closing.nextEventId()))))
                .as("whoever does not hear the answer finds out")
                .containsExactly(ReadBack.Outcome.HAPPENED);
    }

    @Test
    void the_same_of_a_run_that_cancels_and_settles_with_its_close() {
        Writer writer = withFailedAttempt("order-1");
        advance(OWNED.plusSeconds(1));
        Writer other = scheduled("order-2", 1);
        ClaimedJob second = claimJob(session);

        assertThat(writer.write(writer.closing().cancels(1).cancels(2))).isEqualTo(APPLIED);
        assertThat(other.write(other.closing().settles(second))).isEqualTo(APPLIED);

        assertThatItIsTold(writer, "ActivityCancelRequested", "ActivityCancelRequested");
        assertThat(eventTypes(other.run())).endsWith("ActivityScheduled", "ActivityCompleted", "WorkflowCompleted");
    }

    @Test
    void of_runs_that_close_together_or_go_on_each_tells_what_its_own_jobs_carried() {
        Writer told = withFailedAttempt("order-1");
        Writer silent = scheduled("order-2", 2);
        Writer goesOn = withFailedAttempt("order-3");

        assertThat(store.commit(List.of(
                        told.closing().build(),
                        silent.closing().build(),
                        goesOn.step().schedules(4).build())))
                .containsExactly(APPLIED, APPLIED, APPLIED);

        assertThatItIsTold(told);
        assertThat(eventTypes(silent.run())).endsWith("ActivityScheduled", "ActivityScheduled", "WorkflowCompleted");
        assertThat(eventTypes(goesOn.run())).endsWith("ActivityScheduled");
        assertThat(jobStates(goesOn.run())).hasSize(4);
    }

    @Test
    void a_running_job_that_told_nothing_leaves_nothing_to_tell() {
        Writer writer = scheduled("order-1", 2);
        claimJobs(session, 1);

        assertThat(writer.write(writer.closing())).isEqualTo(APPLIED);

        assertThat(eventTypes(writer.run()))
                .containsExactly("WorkflowStarted", "ActivityScheduled", "ActivityScheduled", "WorkflowCompleted");
    }

    @Test
    void a_close_settles_the_jobs_that_ended_with_it() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);

        assertThat(writer.write(writer.closing().settles(job))).isEqualTo(APPLIED);
        assertThat(eventTypes(writer.run())).endsWith("ActivityCompleted", "WorkflowCompleted");
    }

    @Test
    void a_close_that_settles_under_a_lost_lease_writes_nothing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob stale = claimJob(session);
        update(new JobUpdate.Release(stale.key(), stale.lease(), Duration.ZERO, null, true, null));

        assertThat(writer.write(writer.closing().settles(stale))).isEqualTo(Transition.Outcome.STALE);
        assertThat(store.run(writer.run().runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(jobStates(writer.run())).hasSize(1);
    }

    @Test
    void of_runs_that_close_together_each_is_judged_by_itself() {
        List<Writer> writers = List.of(claimed("order-1"), claimed("order-2"), claimed("order-3"), claimed("order-4"));
        writers.forEach(writer -> writer.write(writer.step().schedules(1)));
        List<ClaimedJob> claimed = claimJobs(session);
        List<ClaimedJob> jobs = writers.stream()
                .map(writer -> claimed.stream()
                        .filter(job -> job.key().run().equals(writer.run()))
                        .findFirst()
                        .orElseThrow())
                .toList();
        signalled(writers.get(1).run(), "approve");
        update(new JobUpdate.Release(jobs.get(2).key(), jobs.get(2).lease(), Duration.ZERO, null, true, null));

        List<Transition> closing = IntStream.range(0, 4)
                .mapToObj(n -> writers.get(n).closing().settles(jobs.get(n)).build())
                .toList();

        assertThat(store.commit(closing)).containsExactly(APPLIED, CLOSE_REFUSED, Transition.Outcome.STALE, APPLIED);
        assertThat(writers)
                .extracting(
                        writer -> store.run(writer.run().runId()).orElseThrow().status())
                .containsExactly(
                        WorkflowStatus.COMPLETED,
                        WorkflowStatus.RUNNING,
                        WorkflowStatus.RUNNING,
                        WorkflowStatus.COMPLETED);
        assertThat(jobStates(writers.get(1).run())).hasSize(1);
    }

    @Test
    void no_job_is_born_where_the_run_closes() {
        Writer writer = claimed("order-1");

        assertThat(writer.write(writer.closing().schedules(1))).isEqualTo(APPLIED);
        assertThat(claimJobs(session)).isEmpty();
    }

    @Test
    void a_cancelled_job_of_a_closing_run_leaves_no_message() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));

        assertThat(writer.write(writer.closing().cancels(1))).isEqualTo(APPLIED);
        assertThat(waiting(writer.run())).isEmpty();
    }

    @Test
    void a_forced_close_that_is_refused_makes_senders_wait_until_the_run_is_closed() {
        Writer writer = claimed("order-1");
        InboxMessage first = signalled(writer.run(), "first");
        InboxMessage second = signal("second");

        assertThat(writer.write(writer.closing().byForce())).isEqualTo(CLOSE_REFUSED);
        assertThat(deliver(writer.run(), second)).isEqualTo(Delivery.Outcome.CLOSING);
        assertThat(deliver("order-1", second)).isEqualTo(Delivery.Outcome.CLOSING);
        assertThat(waitingNames(writer.run())).containsExactly("first");

        assertThat(writer.write(writer.closing().byForce().consumes(first))).isEqualTo(APPLIED);
        assertThat(deliver(writer.run(), second)).isEqualTo(Delivery.Outcome.NOT_FOUND);
        assertThat(deliver(writer.run(), first)).isEqualTo(Delivery.Outcome.ACCEPTED);
    }

    @Test
    void a_close_that_is_refused_without_force_keeps_no_sender_waiting() {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "first");

        assertThat(writer.write(writer.closing())).isEqualTo(CLOSE_REFUSED);
        assertThat(deliver(writer.run(), signal("second"))).isEqualTo(Delivery.Outcome.ACCEPTED);
    }

    @Test
    void a_forced_close_without_messages_closes() {
        Writer writer = claimed("order-1");

        assertThat(writer.write(writer.closing().byForce())).isEqualTo(APPLIED);
    }

    @Test
    void a_closing_run_still_takes_outcomes_and_whoever_claims_it_learns_that_it_is_closing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).staysAwake());
        ClaimedJob job = claimJob(session);
        signalled(writer.run(), "first");
        writer.write(writer.closing().byForce());

        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(waitingNames(writer.run())).containsExactly("first", "ActivityCompleted");
        advance(OWNED.plusSeconds(1));
        assertThat(claimRuns(openSession())).singleElement().matches(claim -> claim.closing());
    }

    @Test
    void the_workflow_id_is_free_again_after_a_close() {
        Writer writer = claimed("order-1");
        writer.write(writer.closing());

        advance(Duration.ofSeconds(1));
        assertThat(started("order-1")).isNotEqualTo(writer.run());
    }

    @Test
    void a_close_waits_for_a_sender_in_the_middle_and_is_refused_by_its_message() throws Exception {
        Writer writer = claimed("order-1");
        InboxMessage approve = signal("approve");
        StoreFixture.HeldSender sender = fixture.holdSender(writer.run(), approve);

        CompletableFuture<Transition.Outcome> close =
                CompletableFuture.supplyAsync(() -> writer.write(writer.closing()));
        sender.awaitSomebodyWaiting();
        sender.commit();

        Transition.Outcome outcome = close.get(30, TimeUnit.SECONDS);
        if (outcome == LOCKED) {
            // It waited longer than it may, as on a busy machine: whoever writes tries again.
            outcome = writer.write(writer.closing());
        }
        assertThat(outcome).isEqualTo(CLOSE_REFUSED);
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(writer.write(writer.closing().consumes(approve))).isEqualTo(APPLIED);
    }

    @Test
    void a_step_does_not_wait_for_a_sender_in_the_middle() throws Exception {
        Writer writer = claimed("order-1");
        StoreFixture.HeldSender sender = fixture.holdSender(writer.run(), signal("approve"));

        Transition.Outcome outcome = CompletableFuture.supplyAsync(
                        () -> writer.write(writer.step().schedules(1)))
                .get(30, TimeUnit.SECONDS);
        sender.commit();

        assertThat(outcome).isIn(APPLIED, Transition.Outcome.APPLIED_MORE);
        advance(OWNED.plusSeconds(1));
        assertThat(claimedIds(session)).containsExactly("order-1");
    }
}
