package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.transaction.Outbox;
import dev.durable.store.postgres.internal.transaction.RelayDelivery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two transactions on one run, one of them stopped between two statements. Each test is a line of the protocol's table
 * of rules and the errors that they prevent, and fails if the rule is taken out.
 */
@Tag("slow")
class InterleavingTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    // ── close ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The sender holds KEY SHARE, the closer waits for FOR UPDATE, and the inbox is tested in a later statement. */
    @Test
    void a_close_that_waited_for_a_sender_sees_its_message() {
        Writer writer = claimed("order-1");
        Holder sender = sendingTo(writer.run(), signal("approve"));
        Meanwhile<Transition.Outcome> close = committing(writer.closing());
        sender.awaitWaiter();
        sender.commit();

        assertThat(close.get()).isEqualTo(Transition.Outcome.CLOSE_REFUSED);
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(eventTypes(writer.run())).doesNotContain("WorkflowCompleted");
    }

    @Test
    void a_sender_that_waited_for_a_close_leaves_nothing_behind() {
        Writer writer = claimed("order-1");
        StepBuilder closing = writer.closing();
        Holder event = Holder.ofEvent(writer.run(), writer.nextEventId());
        Meanwhile<Transition.Outcome> close = committing(closing);
        event.awaitWaiter();
        Meanwhile<List<Delivery.Outcome>> sent = sending(new Delivery("order-1", null, signal("late")));
        awaitTwoWaiting();
        event.close();

        assertThat(close.get()).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(sent.get()).containsExactly(Delivery.Outcome.NOT_FOUND);
        assertThat(rows("inbox")).isZero();
    }

    /** The closer locks all jobs before it tests the inbox. */
    @Test
    void a_close_that_waited_for_a_remote_outcome_sees_it() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        Holder worker = settling(job);
        Meanwhile<Transition.Outcome> close = committing(writer.closing());
        worker.awaitWaiter();
        worker.commit();

        assertThat(close.get()).isEqualTo(Transition.Outcome.CLOSE_REFUSED);
        assertThat(waitingNames(writer.run())).containsExactly("ActivityCompleted");
    }

    /** A closer's delete does not see a row that was written while it waited: it locks first, and counts what is left. */
    @Test
    void a_job_that_is_claimed_while_its_run_closes_goes_with_it() {
        Writer writer = scheduled("order-1", 2);
        Holder claimer = Holder.of("update durable.activity_job set state = 2, lease = gen_random_uuid(), session = '"
                + session + "' where seq = 1");
        Meanwhile<Transition.Outcome> close = committing(writer.closing());
        claimer.awaitWaiter();
        claimer.commit();

        assertThat(close.get()).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(rows("activity_job")).isZero();
        assertThat(rows("run_state")).isZero();
    }

    // ── one writer ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_step_that_waited_for_a_claim_finds_its_fence_gone() {
        Writer writer = claimed("order-1");
        Holder claimer = Holder.of("update durable.run_state set fence = gen_random_uuid()");
        Meanwhile<Transition.Outcome> step = committing(writer.step().event("SideEffectRecorded", "{}"));
        claimer.awaitWaiter();
        claimer.commit();

        assertThat(step.get()).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
    }

    /** A step alone in its commit tests the row anew that it waited for. */
    @Test
    void a_step_settles_a_job_that_was_changed_under_its_lease_meanwhile() {
        Writer writer = scheduled("order-1", 1);

        assertThat(settledWhile(writer, "update durable.activity_job set cancel_requested = true"))
                .isEqualTo(Transition.Outcome.APPLIED);
        assertThat(rows("activity_job")).isZero();
        assertThat(eventTypes(writer.run())).endsWith("ActivityCompleted");
    }

    @Test
    void a_step_whose_job_lost_its_lease_meanwhile_writes_nothing() {
        Writer writer = scheduled("order-1", 1);

        assertThat(settledWhile(writer, "update durable.activity_job set lease = gen_random_uuid()"))
                .isEqualTo(Transition.Outcome.STALE);
        assertThat(rows("activity_job")).isOne();
        assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    /**
     * The outcome of a step that completes the one job, if another transaction changes the job first and commits while
     * the step waits.
     */
    private Transition.Outcome settledWhile(Writer writer, String change) {
        ClaimedJob job = claimJob(session);
        Holder other = Holder.of(change);
        Meanwhile<Transition.Outcome> step = committing(writer.step().settles(job));
        other.awaitWaiter();
        other.commit();
        return step.get();
    }

    @Test
    void a_step_that_waited_keeps_a_wake_that_was_lowered_meanwhile() {
        Writer writer = claimed("order-1");
        Instant later = store.now().plusSeconds(7_200);
        Holder other = Holder.of("update durable.run_state set wake_at = durable.clock() + interval '1 hour'");
        Meanwhile<Transition.Outcome> step = committing(writer.step().wakesAt(later));
        other.awaitWaiter();
        other.commit();

        assertThat(step.get()).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(nextDue(QUEUE)).hasValueSatisfying(due -> assertThat(due).isBefore(later.minusSeconds(1_800)));
    }

    /** All transactions lock the run first. */
    @Test
    void a_step_that_waits_for_its_run_has_not_locked_its_job() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        Holder holder = Holder.of("select 1 from durable.run_state for update");
        Meanwhile<Transition.Outcome> step = committing(writer.step().settles(job));
        holder.awaitWaiter();
        Sql.execute(PostgresFixture.pool(), "select 1 from durable.activity_job for update nowait");
        holder.commit();

        assertThat(step.get()).isEqualTo(Transition.Outcome.APPLIED);
    }

    /** The claim takes NO KEY UPDATE, which a sender's KEY SHARE does not block. */
    @Test
    void a_run_that_is_being_signalled_is_claimed() {
        RunKey run = started("order-1");
        try (Holder sender = sendingTo(run, signal("approve"))) {
            assertThat(claimedIds(session)).containsExactly("order-1");
        }
    }

    /** The read-back takes the run's lock, as a transaction whose client has gone may still be at work. */
    @Test
    void a_read_back_waits_for_a_step_that_is_still_being_written() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().event("SideEffectRecorded", "{}").build();
        Holder event = Holder.ofEvent(writer.run(), writer.nextEventId());
        Meanwhile<List<Transition.Outcome>> commit =
                Meanwhile.of(() -> store.patient().commit(List.of(step)));
        event.awaitWaiter();
        Meanwhile<List<ReadBack.Outcome>> readBack = Meanwhile.of(() ->
                store.readBack(List.of(new ReadBack(writer.run(), step.fences().next(), step.nextEventId()))));
        awaitTwoWaiting();
        event.close();

        assertThat(readBack.get()).containsExactly(ReadBack.Outcome.HAPPENED);
        assertThat(commit.get()).containsExactly(Transition.Outcome.APPLIED);
    }

    /** The read-back finds the fence on the transition's first event. */
    @Test
    void a_read_back_knows_a_step_that_happened_after_a_rival_has_claimed_and_written() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().event("SideEffectRecorded", "{}").build();
        store.commit(List.of(step));
        Holder.of("update durable.run_state set fence = gen_random_uuid(), next_event_id = next_event_id + 1")
                .commit();
        Sql.execute(
                PostgresFixture.pool(),
                "insert into durable.history_event (run_id, event_id, at, shard, type, attributes)"
                        + " select run_id, next_event_id - 1, now(), shard, 'SideEffectRecorded', '{}' from durable.run_state");

        assertThat(store.readBack(
                        List.of(new ReadBack(writer.run(), step.fences().next(), step.nextEventId()))))
                .containsExactly(ReadBack.Outcome.HAPPENED);
    }

    // ── signal with start ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_signal_with_start_that_waited_for_a_close_starts_the_next_run() {
        Writer writer = claimed("order-1");
        StepBuilder closing = writer.closing();
        Holder event = Holder.ofEvent(writer.run(), writer.nextEventId());
        Meanwhile<Transition.Outcome> close = committing(closing);
        event.awaitWaiter();
        NewRun told = newRun("order-1").tells(signal("approve")).build();
        Meanwhile<List<StartOutcome>> sent = Meanwhile.of(() -> store.patient().start(List.of(told)));
        awaitTwoWaiting();
        event.close();

        assertThat(close.get()).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(sent.get()).containsExactly(new StartOutcome.Started(false));
        assertThat(waitingNames(told.run())).containsExactly("approve");
    }

    @Test
    void a_signal_with_start_that_waited_for_a_start_in_anothers_transaction_tells_its_run_once_that_commits() {
        NewRun theirs = newRun("order-1").tells(signal("theirs")).build();
        Holder other = Holder.open();
        other.start(theirs);
        Meanwhile<List<StartOutcome>> sent = Meanwhile.of(() -> store.patient()
                .start(List.of(newRun("order-1").tells(signal("ours")).build())));
        other.awaitWaiter();
        other.commit();

        assertThat(sent.get())
                .containsExactly(new StartOutcome.AlreadyOpen(theirs.run().runId(), TYPE, Delivery.Outcome.ACCEPTED));
        assertThat(waitingNames(theirs.run())).containsExactly("theirs", "ours");
    }

    @Test
    void a_signal_with_start_that_waited_for_a_start_in_anothers_transaction_starts_a_run_if_that_is_undone() {
        Holder other = Holder.open();
        other.start(newRun("order-1").tells(signal("theirs")).build());
        NewRun ours = newRun("order-1").tells(signal("ours")).build();
        Meanwhile<List<StartOutcome>> sent = Meanwhile.of(() -> store.patient().start(List.of(ours)));
        other.awaitWaiter();
        other.close();

        assertThat(sent.get()).containsExactly(new StartOutcome.Started(false));
        assertThat(waitingNames(ours.run())).containsExactly("ours");
    }

    /** The run is locked before a message is sent to it. */
    @Test
    void a_close_that_waits_for_a_signal_with_start_sees_its_signal() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signal("approve");
        // This holder has inserted the message, so the sender stops there, with the lock of the run.
        Holder place = Holder.of(insert(writer.run(), approve));
        Meanwhile<List<StartOutcome>> sent = Meanwhile.of(() ->
                store.patient().start(List.of(newRun("order-1").tells(approve).build())));
        place.awaitWaiter();
        Meanwhile<Transition.Outcome> close = committing(writer.closing());
        awaitTwoWaiting();
        place.close();

        assertThat(sent.get())
                .containsExactly(new StartOutcome.AlreadyOpen(writer.run().runId(), TYPE, Delivery.Outcome.ACCEPTED));
        assertThat(close.get()).isEqualTo(Transition.Outcome.CLOSE_REFUSED);
        assertThat(waitingNames(writer.run())).containsExactly("approve");
    }

    // ── order of locks ──────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void starts_in_opposite_order_do_not_cross() {
        List<NewRun> theirs = inLockOrder();
        List<NewRun> ours = Stream.of(theirs.get(1), theirs.get(0))
                .map(run -> newRun(run.run().workflowId()).build())
                .toList();
        Holder other = Holder.open();
        other.start(theirs.get(0));
        Meanwhile<List<StartOutcome>> starting =
                Meanwhile.of(() -> store.patient().start(ours));
        other.awaitWaiter();
        // A transaction that had locked the second one first would wait for us now, and we for it.
        other.run("set lock_timeout = 2000");
        other.start(theirs.get(1));
        other.commit();

        assertThat(starting.get())
                .containsExactly(
                        new StartOutcome.AlreadyOpen(theirs.get(1).run().runId(), TYPE, null),
                        new StartOutcome.AlreadyOpen(theirs.get(0).run().runId(), TYPE, null));
    }

    @Test
    void messages_to_several_runs_lock_them_in_the_order_of_all_others() {
        List<NewRun> runs = inLockOrder();
        store.start(runs);
        Holder closer = Holder.ofRun(runs.get(0).run(), "update");
        Meanwhile<List<Delivery.Outcome>> sent = sending(
                new Delivery(runs.get(1).run().workflowId(), null, signal("b")),
                new Delivery(runs.get(0).run().workflowId(), null, signal("a")));
        closer.awaitWaiter();
        closer.run("select 1 from durable.run_state where run_id = '"
                + runs.get(1).run().runId() + "' for update nowait");
        closer.commit();

        assertThat(sent.get()).containsOnly(Delivery.Outcome.ACCEPTED);
    }

    /** Messages are delivered in groups, one after the other, each of which would lock its own targets. */
    @Test
    void a_relay_of_messages_and_starts_locks_their_runs_in_the_order_of_all_others() throws SQLException {
        List<NewRun> runs = inLockOrder();
        store.start(runs);
        String first = runs.get(0).run().workflowId();
        String second = runs.get(1).run().workflowId();
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.joined(connection).deliver(new Delivery(second, null, signal("b")));
            store.joined(connection).start(newRun(first).tells(signal("a")).build());
            connection.commit();
        }
        Holder closer = Holder.ofRun(runs.get(0).run(), "update");
        Meanwhile<Collection<Delivery.Outcome>> relayed = Meanwhile.of(() -> relayed(TransactionSettings.LONG));
        closer.awaitWaiter();
        closer.run("select 1 from durable.run_state where run_id = '"
                + runs.get(1).run().runId() + "' for update nowait");
        closer.commit();

        assertThat(relayed.get()).containsExactly(Delivery.Outcome.ACCEPTED, Delivery.Outcome.ACCEPTED);
        assertThat(waitingNames(runs.get(0).run())).containsExactly("a");
        assertThat(waitingNames(runs.get(1).run())).containsExactly("b");
    }

    /** Delivers all messages of the outbox in one transaction with these lock timeouts; the rows of the outbox stay. */
    private static Collection<Delivery.Outcome> relayed(TransactionSettings locks) {
        Connections connections = new Connections(
                PostgresFixture.pool(),
                new SchemaName(SchemaName.DEFAULT),
                new StoreErrors("localhost/test"),
                new Guard(new SchemaName(SchemaName.DEFAULT), "localhost/test"));
        return connections.transaction(locks, tx -> {
            List<Outbox.Row> rows = new ArrayList<>();
            tx.run(new SqlScript()
                    .read("select * from durable.outbox order by event_id", row -> rows.add(Outbox.Row.read(row))));
            return new RelayDelivery(tx, rows, InboxLimit.DEFAULT, new PendingNudges())
                    .outcomes()
                    .values();
        });
    }

    /** A batch with a closer begins with one ordered lock over all its runs. */
    @Test
    void a_batch_with_a_closer_locks_its_runs_in_the_order_of_all_others() {
        List<NewRun> runs = inLockOrder();
        Map<RunKey, Writer> writers = startedAndClaimed(runs);
        // Its row would be the first to be locked if no lock over all of them came before.
        List<Transition> batch = List.of(
                writers.get(runs.get(1).run()).closing().build(),
                writers.get(runs.get(0).run())
                        .step()
                        .event("SideEffectRecorded", "{}")
                        .build());
        Holder other = Holder.ofRun(runs.get(0).run(), "update");
        Meanwhile<List<Transition.Outcome>> commit =
                Meanwhile.of(() -> store.patient().commit(batch));
        other.awaitWaiter();
        other.run("select 1 from durable.run_state where run_id = '"
                + runs.get(1).run().runId() + "' for update nowait");
        other.commit();

        assertThat(commit.get()).containsOnly(Transition.Outcome.APPLIED);
    }

    @Test
    void steps_of_a_batch_lock_their_runs_in_the_order_of_all_others() {
        List<NewRun> runs = inLockOrder();
        Holder other = Holder.of("select 1");
        Meanwhile<List<Transition.Outcome>> commit = bothSteppingWhile(
                runs, () -> other.run(ofFirst("select 1 from durable.run_state where", runs) + " for update"));
        other.awaitWaiter();
        other.run("select 1 from durable.run_state where run_id = '"
                + runs.get(1).run().runId() + "' for update nowait");
        other.commit();

        assertThat(commit.get()).containsOnly(Transition.Outcome.APPLIED);
    }

    @Test
    void of_steps_that_waited_for_a_claim_only_that_of_the_claimed_run_is_lost() {
        List<NewRun> runs = inLockOrder();
        Holder claimer = Holder.of("select 1");
        Meanwhile<List<Transition.Outcome>> commit = bothSteppingWhile(
                runs, () -> claimer.run(ofFirst("update durable.run_state set fence = gen_random_uuid() where", runs)));
        claimer.awaitWaiter();
        claimer.commit();

        // The outcomes are in the order of the batch, in which the second run comes first.
        assertThat(commit.get()).containsExactly(Transition.Outcome.APPLIED, Transition.Outcome.FENCE_LOST);
        assertThat(eventTypes(runs.get(0).run())).containsExactly("WorkflowStarted");
        assertThat(eventTypes(runs.get(1).run())).containsExactly("WorkflowStarted", "SideEffectRecorded");
    }

    @Test
    void steps_of_a_batch_that_waited_keep_a_wake_that_was_lowered_meanwhile() {
        List<NewRun> runs = inLockOrder();
        Holder other = Holder.of("select 1");
        Meanwhile<List<Transition.Outcome>> commit = bothSteppingWhile(
                runs,
                () -> other.run(ofFirst(
                        "update durable.run_state set wake_at = durable.clock() + interval '1 hour' where", runs)));
        other.awaitWaiter();
        other.commit();

        assertThat(commit.get()).containsOnly(Transition.Outcome.APPLIED);
        assertThat(nextDue(QUEUE))
                .hasValueSatisfying(due -> assertThat(due).isBefore(store.now().plusSeconds(5_400)));
    }

    /** Commits a step of two runs in one batch, after the action has been done. */
    private Meanwhile<List<Transition.Outcome>> bothSteppingWhile(List<NewRun> runs, Runnable before) {
        Map<RunKey, Writer> writers = startedAndClaimed(runs);
        List<Transition> batch = Stream.of(runs.get(1), runs.get(0))
                .map(run -> writers.get(run.run())
                        .step()
                        .event("SideEffectRecorded", "{}")
                        .wakesAt(store.now().plusSeconds(7_200))
                        .build())
                .toList();
        before.run();
        return Meanwhile.of(() -> store.patient().commit(batch));
    }

    private Map<RunKey, Writer> startedAndClaimed(List<NewRun> runs) {
        store.start(runs);
        return claimRuns(session).stream().collect(Collectors.toMap(claim -> claim.run(), claim -> writer(claim)));
    }

    private static String ofFirst(String statement, List<NewRun> runs) {
        return statement + " run_id = '" + runs.get(0).run().runId() + "'";
    }

    /** Inserts into the inbox are sorted: two senders of the same ids wait for each other in one direction only. */
    @Test
    void messages_resent_in_another_order_do_not_cross() {
        RunKey run = started("order-1");
        InboxMessage first = message(new UUID(1, 1));
        InboxMessage second = message(new UUID(2, 2));
        Holder other = sendingTo(run, first);
        Meanwhile<List<Delivery.Outcome>> sent =
                sending(new Delivery("order-1", null, second), new Delivery("order-1", null, first));
        other.awaitWaiter();
        other.run("set lock_timeout = 2000").run(insert(run, second));
        other.commit();

        assertThat(sent.get()).containsOnly(Delivery.Outcome.ACCEPTED);
        assertThat(waiting(run)).hasSize(2);
    }

    // ── judged after the insert ─────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_start_that_waited_for_a_close_is_judged_by_how_that_run_closed() {
        RunKey run = started("order-1");
        Holder closer = Holder.of(
                "insert into durable.history_event (run_id, event_id, at, shard, type, attributes)"
                        + " select run_id, next_event_id, now(), shard, 'WorkflowCompleted', '{}' from durable.run_state",
                "update durable.workflow_run set status = 'COMPLETED', closed_at = now()",
                "delete from durable.run_state");
        NewRun duplicate =
                newRun("order-1").reuse(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY).build();
        Meanwhile<List<StartOutcome>> start = Meanwhile.of(() -> store.patient().start(List.of(duplicate)));
        closer.awaitWaiter();
        closer.commit();

        assertThat(start.get()).containsExactly(new StartOutcome.Refused(run.runId(), WorkflowStatus.COMPLETED));
        assertThat(rows("run_state")).isZero();
    }

    // ── outcomes ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The lock is a statement of its own: in one with the delete, the job would survive its outcome. */
    @Test
    void an_outcome_that_waited_for_a_change_that_keeps_the_lease_takes_the_job_with_it() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        Holder annotating = Holder.of("update durable.activity_job set notes = '[{}]'");
        Meanwhile<List<JobUpdate.Outcome>> settled =
                Meanwhile.of(() -> store.patient().update(List.of(completed(job))));
        annotating.awaitWaiter();
        annotating.commit();

        assertThat(settled.get()).containsExactly(JobUpdate.Outcome.ACCEPTED);
        assertThat(rows("activity_job")).isZero();
        assertThat(waiting(run)).hasSize(1);
    }

    @Test
    void an_outcome_that_waited_for_a_sweep_is_stale() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        Holder sweep = Holder.of("update durable.activity_job set state = 0, lease = null, session = null");
        Meanwhile<List<JobUpdate.Outcome>> settled =
                Meanwhile.of(() -> store.patient().update(List.of(completed(job))));
        sweep.awaitWaiter();
        sweep.commit();

        assertThat(settled.get()).containsExactly(JobUpdate.Outcome.STALE);
        assertThat(waiting(run)).isEmpty();
        assertThat(jobStates(run)).containsEntry(1, "ready");
    }

    @Test
    void a_message_sent_again_while_it_is_being_consumed_is_not_there_twice() {
        Writer writer = claimed("order-1");
        InboxMessage message = signalled(writer.run(), "approve");
        StepBuilder consuming = writer.step().consumes(message);
        Holder event = Holder.ofEvent(writer.run(), writer.nextEventId());
        Meanwhile<Transition.Outcome> step = committing(consuming);
        event.awaitWaiter();

        assertThat(deliver(writer.run(), message)).isEqualTo(Delivery.Outcome.ACCEPTED);
        event.close();

        assertThat(step.get()).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(rows("inbox")).isZero();
        assertThat(eventTypes(writer.run())).containsOnlyOnce("SignalReceived");
    }

    // ── sweeps ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * A job that was locked at the moment of a sweep is found by the next one, and its session's row is kept until
     * then.
     */
    @Test
    void a_job_that_is_locked_during_the_sweep_is_requeued_by_the_next() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);
        store.markDead(session, 0);
        try (Holder holder = Holder.ofJob(run, 1)) {
            assertThat(store.requeueOrphans(10)).isZero();
            assertThat(rows("session")).as("sessions").isOne();
        }

        assertThat(store.requeueOrphans(10)).isOne();
        assertThat(jobStates(run)).containsEntry(1, "ready");
        assertThat(rows("session")).isZero();
    }

    /** A close meets the timeout's lock on the job. */
    @Test
    void a_job_that_is_locked_times_out_in_the_next_sweep() {
        RunKey run = scheduled("order-1", 1).run();
        advance(java.time.Duration.ofHours(2));
        try (Holder holder = Holder.ofJob(run, 1)) {
            assertThat(store.timeOutWaiting(10)).isZero();
        }
        assertThat(store.timeOutWaiting(10)).isOne();
    }

    // ── words ───────────────────────────────────────────────────────────────────────────────────────────────────────

    private Meanwhile<Transition.Outcome> committing(StepBuilder step) {
        Transition transition = step.build();
        return Meanwhile.of(() -> store.patient().commit(List.of(transition)).getFirst());
    }

    private Meanwhile<List<Delivery.Outcome>> sending(Delivery... deliveries) {
        return Meanwhile.of(() -> store.patient().deliver(List.of(deliveries)));
    }

    /** A sender in the middle of its transaction. */
    private static Holder sendingTo(RunKey run, InboxMessage message) {
        return Holder.ofRun(run, "key share").run(insert(run, message));
    }

    /**
     * A worker of another process in the middle of its transaction: the job is gone, the outcome is there, nothing is
     * committed.
     */
    private static Holder settling(ClaimedJob job) {
        return Holder.ofJob(job.key().run(), job.key().seq())
                .run("delete from durable.activity_job where lease = '" + job.lease() + "'")
                .run(insert(job.key().run(), completed(job).outcome()));
    }

    private static String insert(RunKey run, InboxMessage message) {
        return "insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)"
                + " select run_id, '%s', now(), 0, %d, shard, true, task_queue, '%s', '%s' from durable.run_state where run_id = '%s'"
                        .formatted(
                                message.messageId(),
                                message.kind().code(),
                                message.name(),
                                message.payload(),
                                run.runId())
                + " on conflict do nothing";
    }

    private static InboxMessage message(UUID id) {
        return new InboxMessage(id, MessageKind.SIGNAL, "approve", "[]", null, null);
    }

    /** Two runs in the order in which their rows are locked. */
    private List<NewRun> inLockOrder() {
        return Stream.of(newRun("order-1").build(), newRun("order-2").build())
                .sorted(java.util.Comparator.comparing(NewRun::run, RunKey.LOCK_ORDER))
                .toList();
    }

    /** Waits until one of the transactions waits for the holder, and the other for the first. */
    private static void awaitTwoWaiting() {
        assertThat(Sql.await(java.time.Duration.ofSeconds(20), () -> Sql.number(PostgresFixture.pool(), """
                                select count(*) from pg_stat_activity
                                 where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0""") >= 2))
                .isTrue();
    }

    private static long rows(String table) {
        return Sql.number(PostgresFixture.pool(), "select count(*) from durable." + table);
    }
}
