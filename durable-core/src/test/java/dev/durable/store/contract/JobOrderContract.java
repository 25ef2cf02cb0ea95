package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.ActivityState;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.ClaimedJob;
import dev.durable.store.HeldJob;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.JobUpdate;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What operators, holders of tokens and the sweep can do to jobs, and what they can't. */
abstract class JobOrderContract extends StoreContract {
    private static final String NOTE = note("ActivityOperated");
    private static final Duration HOUR = Duration.ofHours(1);

    // ── pause and resume ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_paused_job_is_claimed_by_nobody_until_it_is_resumed() {
        RunKey run = scheduled("order-1", 1).run();

        assertThat(order(pause(key(run)))).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.PAUSED);
        assertThat(open(run).report().notes()).isEqualTo("[" + NOTE + "]");
        assertThat(claimJobs(session)).isEmpty();
        assertThat(order(resume(key(run)))).isEqualTo(Outcome.APPLIED);
        assertThat(claimJob(session).key()).isEqualTo(key(run));
    }

    @Test
    void pausing_twice_is_as_pausing_once() {
        RunKey run = scheduled("order-1", 1).run();
        order(pause(key(run)));

        assertThat(order(pause(key(run)))).isEqualTo(Outcome.UNCHANGED);
        assertThat(order(resume(key(run)))).isEqualTo(Outcome.APPLIED);
        assertThat(order(resume(key(run)))).isEqualTo(Outcome.UNCHANGED);
        assertThat(open(run).status().state()).isEqualTo(ActivityState.READY);
    }

    @Test
    void resumed_before_its_time_it_waits_for_its_time() {
        RunKey run = retriedIn(HOUR);
        order(pause(key(run)));
        order(resume(key(run)));

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(claimJobs(session)).isEmpty();
        advance(HOUR);
        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void what_became_due_while_it_was_paused_is_due_when_it_is_resumed() {
        RunKey run = retriedIn(HOUR);
        order(pause(key(run)));
        advance(HOUR);
        assertThat(claimJobs(session)).isEmpty();

        order(resume(key(run)));

        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_running_job_that_is_paused_ends_its_attempt_and_its_retry_is_held() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        assertThat(order(pause(key(run)))).isEqualTo(Outcome.APPLIED);
        assertThat(open(run).status().state()).isEqualTo(ActivityState.RUNNING);

        assertThat(update(retry(job, Duration.ZERO))).isEqualTo(JobUpdate.Outcome.ACCEPTED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.PAUSED);
        assertThat(claimJobs(session)).isEmpty();
    }

    @Test
    void a_paused_job_whose_worker_dies_is_held() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);
        order(pause(key(run)));

        store.markDead(session, 0);
        store.requeueOrphans(10);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.PAUSED);
        assertThat(open(run).status().crashes()).isOne();
    }

    @Test
    void a_paused_job_runs_out_of_schedule_to_close_all_the_same() {
        RunKey run = scheduled("order-1", 1).run();
        order(pause(key(run)));
        advance(HOUR);

        assertThat(store.timeOutWaiting(10)).isOne();
        assertThat(onlyMessage(run).name()).isEqualTo("ActivityTimedOut");
        assertThat(onlyMessage(run).notes()).isEqualTo("[" + NOTE + "]");
    }

    @Test
    void a_paused_job_is_cancelled_at_once() {
        Writer writer = scheduled("order-1", 1);
        order(pause(key(writer.run())));

        writer.write(writer.step().cancels(1));

        assertThat(onlyMessage(writer.run()).name()).isEqualTo("ActivityCancelled");
    }

    // ── cancel ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_cancel_asks_the_run_to_stop_and_changes_nothing_else_at_the_job() {
        RunKey run = scheduled("order-1", 1).run();
        OpenJob before = open(run);
        JobOrder cancel = cancel(run);

        assertThat(order(cancel)).isEqualTo(Outcome.APPLIED);
        assertThat(order(cancel)).isEqualTo(Outcome.DUPLICATE);

        assertThat(onlyMessage(run).kind()).isEqualTo(MessageKind.CANCEL);
        assertThat(onlyMessage(run).payload()).contains("too late");
        assertThat(open(run)).isEqualTo(before);
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_job_that_was_asked_to_stop_is_not_asked_again() {
        Writer writer = scheduled("order-1", 1);
        claimJob(session);
        writer.write(writer.step().cancels(1));

        assertThat(order(cancel(writer.run()))).isEqualTo(Outcome.UNCHANGED);
        assertThat(waiting(writer.run())).isEmpty();
    }

    @Test
    void a_job_that_has_ended_is_not_cancelled() {
        RunKey run = scheduled("order-1", 1).run();
        order(end(run, open(run)));

        assertThat(order(cancel(run))).isEqualTo(Outcome.NOT_FOUND);
        assertThat(waiting(run)).hasSize(1);
    }

    private static JobOrder cancel(RunKey run) {
        UUID id = UUID.randomUUID();
        return new JobOrder.Cancel(
                key(run),
                new JobOrder.Trace(new JobOrder.Audit(id, "ann", "cancel", "{}"), null),
                new InboxMessage(
                        id, MessageKind.CANCEL, "WorkflowCancelRequested", "{\"reason\":\"too late\"}", null, null));
    }

    // ── reschedule ──────────────────────────────────────────────────────────────────────────────────────────────────

    private JobOrder.Reschedule reschedule(RunKey run, Instant at, JobDeadlines moved) {
        return new JobOrder.Reschedule(
                key(run), audited("reschedule"), open(run).seen(), at, moved);
    }

    @Test
    void a_rescheduled_job_is_claimed_at_its_new_time() {
        RunKey run = scheduled("order-1", 1).run();

        assertThat(order(reschedule(run, store.now().plus(HOUR), null))).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(open(run).report().notes()).isEqualTo("[" + NOTE + "]");
        advance(HOUR.minusSeconds(1));
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(2));
        assertThat(claimJob(session).key()).isEqualTo(key(run));
    }

    @Test
    void rescheduled_to_a_time_that_has_passed_it_is_ready() {
        RunKey run = retriedIn(HOUR);

        assertThat(order(reschedule(run, Instant.EPOCH, null))).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.READY);
        assertThat(open(run).times().visibleAt()).isNull();
        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void what_it_is_promised_moves_where_that_is_said_and_else_stays() {
        RunKey run = scheduled("order-1", 1).run();
        OpenJob.Times before = open(run).times();
        Instant at = store.now().plus(HOUR);
        order(reschedule(run, at, null));
        assertThat(open(run).times().scheduledAt()).isEqualTo(before.scheduledAt());
        assertThat(open(run).times().scheduleToCloseDeadline()).isEqualTo(before.scheduleToCloseDeadline());

        order(reschedule(run, at, new JobDeadlines(at, at.plus(HOUR), null)));

        assertThat(open(run).times().scheduledAt()).isEqualTo(at);
        assertThat(open(run).times().scheduleToCloseDeadline()).isNull();
        advance(HOUR.multipliedBy(2).minusSeconds(1));
        assertThat(store.timeOutWaiting(10)).isZero();
        advance(Duration.ofSeconds(2));
        assertThat(store.timeOutWaiting(10)).isOne();
    }

    @Test
    void a_paused_job_that_is_rescheduled_stays_so() {
        RunKey run = scheduled("order-1", 1).run();
        order(pause(key(run)));
        order(reschedule(run, store.now().plus(HOUR), null));

        assertThat(open(run).status().state()).isEqualTo(ActivityState.PAUSED);
        order(resume(key(run)));
        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
    }

    @Test
    void a_job_that_runs_or_has_moved_on_is_not_rescheduled() {
        RunKey run = scheduled("order-1", 1).run();
        JobOrder.Reschedule early = reschedule(run, store.now().plus(HOUR), null);
        claimJob(session);

        assertThat(order(early)).isEqualTo(Outcome.CHANGED);
        assertThat(order(reschedule(run, store.now().plus(HOUR), null))).isEqualTo(Outcome.REFUSED);
        assertThat(open(run).status().state()).isEqualTo(ActivityState.RUNNING);
    }

    // ── retry now ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void retried_now_the_next_attempt_does_not_wait() {
        RunKey run = retriedIn(HOUR);

        assertThat(order(retryNow(key(run)))).isEqualTo(Outcome.APPLIED);

        ClaimedJob job = claimJob(session);
        assertThat(job.attempt()).isEqualTo(2);
        assertThat(job.notes()).as("both notes").isEqualTo("[{\"type\":\"ActivityAttemptFailed\"}," + NOTE + "]");
    }

    @Test
    void a_running_job_is_not_retried() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);

        assertThat(order(retryNow(key(run)))).isEqualTo(Outcome.REFUSED);
        assertThat(open(run).status().state()).isEqualTo(ActivityState.RUNNING);
    }

    @Test
    void a_ready_job_is_due_already() {
        RunKey run = scheduled("order-1", 1).run();

        assertThat(order(retryNow(key(run)))).isEqualTo(Outcome.UNCHANGED);
    }

    @Test
    void a_paused_job_that_is_retried_now_is_due_when_it_is_resumed() {
        RunKey run = retriedIn(HOUR);
        order(pause(key(run)));

        assertThat(order(retryNow(key(run)))).isEqualTo(Outcome.APPLIED);
        assertThat(claimJobs(session)).isEmpty();
        order(resume(key(run)));

        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_dead_job_that_is_retried_has_its_crashes_back() {
        RunKey run = scheduled("order-1", 1).run();
        for (int crash = 1; crash <= 3; crash++) {
            UUID worker = openSession();
            claimJob(worker);
            store.markDead(worker, 0);
            store.requeueOrphans(10);
        }
        assertThat(open(run).status().state()).isEqualTo(ActivityState.DEAD);
        assertThat(order(pause(key(run)))).as("there is nothing to hold").isEqualTo(Outcome.REFUSED);

        assertThat(order(retryNow(key(run)))).as("it is to be revived").isEqualTo(Outcome.CHANGED);

        order(new JobOrder.Revive(
                key(run), audited("retry"), open(run).seen(), null, open(run).options(), null, 1));
        UUID unlucky = openSession();
        claimJob(unlucky);
        store.markDead(unlucky, 0);
        store.requeueOrphans(10);
        assertThat(open(run).status().state()).as("one more crash is allowed").isEqualTo(ActivityState.READY);
    }

    @Test
    void a_dead_job_that_is_revived_has_begun_and_is_not_late_to_start() {
        RunKey run = scheduled("order-1", 1).run();
        order(new JobOrder.UpdateOptions(
                key(run),
                audited("options"),
                open(run).seen(),
                open(run).options(),
                store.now().plus(Duration.ofMinutes(5)),
                null,
                -2));
        UUID worker = openSession();
        claimJob(worker);
        store.markDead(worker, 0);
        store.requeueOrphans(10);
        assertThat(open(run).status().state()).isEqualTo(ActivityState.DEAD);
        advance(HOUR);

        order(new JobOrder.Revive(
                key(run), audited("retry"), open(run).seen(), null, open(run).options(), null, 1));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(claimJob(session).key()).isEqualTo(key(run));
    }

    // ── options and timeouts ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_worker_of_a_running_job_hears_what_was_ordered() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);
        assertThat(store.held(session).getFirst().ordered()).isNull();
        var until = store.now().plus(HOUR.multipliedBy(2));

        assertThat(order(new JobOrder.UpdateTimeout(
                        key(run), audited("timeout"), open(run).seen(), until)))
                .isEqualTo(Outcome.APPLIED);

        HeldJob.Ordered heard = store.held(session).getFirst().ordered();
        assertThat(heard).isNotNull();
        assertThat(heard.revision()).isOne();
        assertThat(heard.deadline()).isEqualTo(until);
        assertThat(heard.notes()).isEqualTo("[" + NOTE + "]");
    }

    @Test
    void the_timeout_of_a_job_that_nobody_runs_is_not_updated() {
        RunKey run = scheduled("order-1", 1).run();

        assertThat(order(new JobOrder.UpdateTimeout(
                        key(run), audited("timeout"), open(run).seen(), store.now())))
                .isEqualTo(Outcome.REFUSED);
    }

    @Test
    void changed_options_are_those_of_the_next_attempt() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);

        assertThat(order(options(run, "{\"startToClose\":\"PT5M\"}"))).isEqualTo(Outcome.APPLIED);

        assertThat(store.held(session).getFirst().ordered().options()).isEqualTo("{\"startToClose\":\"PT5M\"}");
        store.closeSession(session);
        ClaimedJob next = claimJob(openSession());
        assertThat(next.content().options()).isEqualTo("{\"startToClose\":\"PT5M\"}");
        assertThat(next.deadlines().toClose())
                .isEqualTo(next.deadlines().scheduledAt().plus(HOUR.multipliedBy(3)));
    }

    @Test
    void a_deadline_that_options_move_is_that_of_a_waiting_job() {
        RunKey run = scheduled("order-1", 1).run();
        order(options(run, "{}"));
        advance(HOUR.multipliedBy(2));
        assertThat(store.timeOutWaiting(10)).isZero();

        advance(HOUR);

        assertThat(store.timeOutWaiting(10)).isOne();
    }

    @Test
    void a_schedule_to_start_that_an_order_sets_does_not_end_what_has_begun() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, true, null));
        OpenJob seen = open(run);
        order(new JobOrder.UpdateOptions(
                key(run),
                audited("options"),
                seen.seen(),
                seen.options(),
                store.now().plusSeconds(60),
                null,
                0));
        advance(HOUR);

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(claimJob(session).deadlines().toStart()).isNull();
    }

    @Test
    void who_decided_by_what_has_changed_since_is_told() {
        RunKey run = scheduled("order-1", 1).run();
        JobOrder.UpdateOptions late = options(run, "{}");
        claimJob(session);

        assertThat(order(late)).isEqualTo(Outcome.CHANGED);
        assertThat(open(run).options()).isEqualTo("{\"priority\":0}");
    }

    // ── by hand ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void ended_by_hand_the_job_goes_and_its_outcome_comes_with_all_notes() {
        RunKey run = retriedIn(HOUR);
        order(pause(key(run)));
        JobOrder.End end = end(run, open(run));

        assertThat(order(end)).isEqualTo(Outcome.APPLIED);

        assertThat(jobStates(run)).isEmpty();
        assertThat(onlyMessage(run).name()).isEqualTo("ActivityCompleted");
        assertThat(onlyMessage(run).notes())
                .isEqualTo("[{\"type\":\"ActivityAttemptFailed\"}," + NOTE + "," + NOTE + "]");
        assertThat(order(end)).as("a resend").isEqualTo(Outcome.DUPLICATE);
        assertThat(claimedIds(session)).containsExactly(run.workflowId());
    }

    @Test
    void ended_by_hand_under_its_worker_the_worker_is_stale() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);

        assertThat(order(end(run, open(run)))).isEqualTo(Outcome.APPLIED);

        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(store.held(session)).isEmpty();
        assertThat(waiting(run)).hasSize(1);
    }

    @Test
    void an_order_for_what_is_gone_finds_nothing() {
        Writer writer = scheduled("order-1", 1);
        OpenJob seen = open(writer.run());
        terminated(writer.run());

        assertThat(order(pause(key(writer.run())))).isEqualTo(Outcome.NOT_FOUND);
        assertThat(order(retryNow(key(writer.run())))).isEqualTo(Outcome.NOT_FOUND);
        assertThat(order(end(writer.run(), seen))).isEqualTo(Outcome.NOT_FOUND);
    }

    @Test
    void the_same_order_sent_again_is_carried_out_once() {
        RunKey run = retriedIn(HOUR);
        JobOrder.RetryNow now = retryNow(key(run));

        assertThat(order(now)).isEqualTo(Outcome.APPLIED);
        assertThat(order(now)).isEqualTo(Outcome.DUPLICATE);
    }

    @Test
    void one_order_refused_keeps_no_other_from_being_carried_out() {
        RunKey run = scheduled("order-1", 2).run();

        assertThat(store.order(
                        List.of(pause(new JobKey(run, 2)), retryNow(new JobKey(run, 7)), pause(new JobKey(run, 1)))))
                .containsExactly(Outcome.APPLIED, Outcome.NOT_FOUND, Outcome.APPLIED);
        assertThatThrownBy(() -> store.order(List.of(pause(key(run)), resume(key(run)))))
                .hasMessageContaining("two orders for");
    }

    // ── external ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_detached_job_keeps_its_lease_and_belongs_to_no_session() {
        RunKey run = detached(HOUR, null);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.EXTERNAL);
        assertThat(open(run).seen().lease()).isNotNull();
        assertThat(open(run).worker()).isNull();
        assertThat(open(run).report().heartbeatDetails()).isEqualTo("{\"row\":1}");
        assertThat(store.held(session)).isEmpty();
        store.markDead(session, 0);
        assertThat(store.requeueOrphans(10)).isZero();
    }

    @Test
    void the_holder_of_the_token_ends_it_once() {
        RunKey run = detached(HOUR, null);
        JobOrder.End end = end(run, open(run));

        assertThat(order(end)).isEqualTo(Outcome.APPLIED);
        assertThat(order(end)).isEqualTo(Outcome.DUPLICATE);
        assertThat(waiting(run)).hasSize(1);
    }

    @Test
    void an_attempt_that_failed_in_other_hands_is_followed_by_another() {
        RunKey run = detached(HOUR, null);
        JobOrder.Seen seen = open(run).seen();

        assertThat(order(giveBack(run, seen, HOUR, 2))).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(open(run).seen().attempt()).isEqualTo(2);
        assertThat(open(run).report().lastFailure()).isEqualTo("declined");
        assertThat(open(run).report().notes()).isEqualTo("[" + note("ActivityAttemptFailed") + "]");
        advance(HOUR);
        assertThat(claimJob(session).heartbeatDetails()).isEqualTo("{\"row\":1}");
    }

    @Test
    void an_attempt_that_failed_before_its_body_returned_belongs_to_its_worker_no_more() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);

        assertThat(order(giveBack(run, open(run).seen(), HOUR, 2))).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(update(new JobUpdate.Detach(job.key(), job.lease(), null, null, HOUR, null, 0, null)))
                .isEqualTo(JobUpdate.Outcome.STALE);
    }

    @Test
    void given_back_by_other_hands_no_attempt_is_used_and_nothing_is_noted() {
        RunKey run = detached(HOUR, null);
        JobOrder defer = new JobOrder.GiveBack(
                key(run), JobOrder.Trace.NONE, open(run).seen(), new JobOrder.Next(HOUR, 1, null), null);

        assertThat(order(defer)).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(open(run).seen().attempt()).isOne();
        assertThat(open(run).report().lastFailure()).isNull();
        assertThat(open(run).report().notes()).isIn(null, "[]");
    }

    @Test
    void a_failure_told_again_is_known_whatever_has_become_of_the_job() {
        RunKey run = detached(HOUR, null);
        JobOrder.GiveBack told = new JobOrder.GiveBack(
                key(run), audited("fail"), open(run).seen(), new JobOrder.Next(Duration.ZERO, 2, null), "declined");

        assertThat(order(told)).isEqualTo(Outcome.APPLIED);

        assertThat(order(told)).as("its retry waits").isEqualTo(Outcome.DUPLICATE);
        ClaimedJob second = claimJob(session);
        assertThat(order(told)).as("the next attempt runs").isEqualTo(Outcome.DUPLICATE);
        assertThat(open(run).seen().lease()).isEqualTo(second.lease());
        update(completed(second));
        assertThat(order(told)).as("the activity has ended").isEqualTo(Outcome.DUPLICATE);
        assertThat(order(giveBack(run, told.seen(), HOUR, 2))).as("another one").isEqualTo(Outcome.NOT_FOUND);
    }

    @Test
    void the_last_failure_told_again_is_known_when_an_operator_has_revived_the_job() {
        RunKey run = detached(HOUR, null);
        JobOrder.Bury told = new JobOrder.Bury(
                key(run), audited("fail"), open(run).seen(), true, "Payments.charge: Declined", "declined");

        assertThat(order(told)).isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(open(run).seen().attempt()).isEqualTo(2);
        assertThat(open(run).report().lastFailure()).isEqualTo("declined");
        assertThat(open(run).report().notes()).isEqualTo("[" + NOTE + "]");
        assertThat(order(told)).isEqualTo(Outcome.DUPLICATE);
        order(new JobOrder.Revive(
                key(run), audited("retry"), open(run).seen(), null, open(run).options(), null, 3));
        assertThat(claimJob(session).attempt()).isEqualTo(2);
        assertThat(order(told)).isEqualTo(Outcome.DUPLICATE);
    }

    @Test
    void the_last_attempt_that_failed_before_its_body_returned_is_buried_and_its_worker_is_stale() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);

        assertThat(order(new JobOrder.Bury(
                        key(run), JobOrder.Trace.NONE, open(run).seen(), false, "Payments.charge: Declined", "no")))
                .isEqualTo(Outcome.APPLIED);

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DEAD);
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.STALE);
    }

    @Test
    void options_that_say_nothing_of_crashes_leave_what_an_operator_gave_back() {
        RunKey run = scheduled("order-1", 1).run();
        for (int crash = 1; crash <= 3; crash++) {
            crash();
        }
        order(new JobOrder.Revive(
                key(run), audited("retry"), open(run).seen(), null, open(run).options(), null, 1));

        order(new JobOrder.UpdateOptions(
                key(run), audited("options"), open(run).seen(), "{\"startToClose\":\"PT5M\"}", null, null, 0));

        crash();
        assertThat(open(run).status().state()).as("the one that was given").isEqualTo(ActivityState.READY);
        crash();
        assertThat(open(run).status().state()).isEqualTo(ActivityState.DEAD);
        assertThat(open(run).status().crashes()).as("all there were").isEqualTo(5);
    }

    @Test
    void options_that_allow_more_crashes_add_them_to_what_an_operator_gave_back() {
        RunKey run = scheduled("order-1", 1).run();
        for (int crash = 1; crash <= 3; crash++) {
            crash();
        }
        order(new JobOrder.Revive(
                key(run), audited("retry"), open(run).seen(), null, open(run).options(), null, 1));

        order(new JobOrder.UpdateOptions(
                key(run), audited("options"), open(run).seen(), open(run).options(), null, null, 1));

        crash();
        crash();
        assertThat(open(run).status().state())
                .as("the one that was given, and one more")
                .isEqualTo(ActivityState.READY);
        crash();
        assertThat(open(run).status().state()).isEqualTo(ActivityState.DEAD);
    }

    private void crash() {
        UUID worker = openSession();
        claimJob(worker);
        store.markDead(worker, 0);
        store.requeueOrphans(10);
    }

    @Test
    void options_that_an_operator_changed_meanwhile_stand_against_those_of_a_failure() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        order(options(run, "{\"startToClose\":\"PT5M\"}"));

        update(failedWith(
                job, new JobUpdate.NewOptions("{\"limit\":2}", job.content().options())));

        assertThat(open(run).status().state()).isEqualTo(ActivityState.DELAYED);
        assertThat(open(run).options()).isEqualTo("{\"startToClose\":\"PT5M\"}");
    }

    @Test
    void an_order_that_leaves_the_options_alone_does_not_undo_what_a_failure_says_of_them() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        order(pause(key(run)));

        update(failedWith(
                job, new JobUpdate.NewOptions("{\"limit\":2}", job.content().options())));

        assertThat(open(run).options()).isEqualTo("{\"limit\":2}");
    }

    @Test
    void external_jobs_out_of_time_are_found() {
        RunKey run = detached(HOUR, null);
        assertThat(store.overdueExternal(10)).isEmpty();
        assertThat(store.earliestTimeouts().external())
                .isBetween(store.now(), store.now().plus(HOUR));

        advance(HOUR);
        assertThat(store.earliestTimeouts().external()).isBeforeOrEqualTo(store.now());

        assertThat(store.overdueExternal(10)).extracting(OpenJob::key).containsExactly(key(run));
    }

    @Test
    void external_jobs_that_are_silent_are_found_and_a_beat_gives_them_time() {
        RunKey run = detached(HOUR, Duration.ofMinutes(5));
        advance(Duration.ofMinutes(5));
        assertThat(store.overdueExternal(10)).hasSize(1);
        JobOrder.Seen before = open(run).seen();

        assertThat(order(new JobOrder.Beat(
                        key(run),
                        JobOrder.Trace.NONE,
                        before,
                        "{\"row\":2}",
                        store.now().plus(Duration.ofMinutes(5)))))
                .isEqualTo(Outcome.APPLIED);

        assertThat(store.overdueExternal(10)).isEmpty();
        assertThat(open(run).report().heartbeatDetails()).isEqualTo("{\"row\":2}");
        assertThat(open(run).seen()).as("who saw it silent has to look again").isNotEqualTo(before);
    }

    @Test
    void the_timeout_of_an_external_job_becomes_longer_and_shorter() {
        Duration quarter = HOUR.dividedBy(4);
        RunKey run = detached(quarter, null);
        order(new JobOrder.UpdateTimeout(
                key(run), JobOrder.Trace.NONE, open(run).seen(), store.now().plus(quarter.multipliedBy(2))));
        advance(quarter);
        assertThat(store.overdueExternal(10)).isEmpty();

        order(new JobOrder.UpdateTimeout(
                key(run), JobOrder.Trace.NONE, open(run).seen(), store.now().plusSeconds(1)));
        advance(Duration.ofSeconds(1));

        assertThat(store.overdueExternal(10)).hasSize(1);
    }

    @Test
    void a_longer_timeout_of_an_external_job_does_not_outlast_schedule_to_close() {
        RunKey run = detached(HOUR, null);
        order(new JobOrder.UpdateTimeout(
                key(run), JobOrder.Trace.NONE, open(run).seen(), store.now().plus(HOUR.multipliedBy(2))));
        order(new JobOrder.UpdateOptions(
                key(run),
                audited("options"),
                open(run).seen(),
                open(run).options(),
                null,
                store.now().plus(HOUR.dividedBy(2)),
                0));

        advance(HOUR.dividedBy(2));

        assertThat(store.overdueExternal(10)).extracting(OpenJob::key).containsExactly(key(run));
    }

    @Test
    void a_deadline_ordered_just_before_it_was_detached_is_kept() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        order(new JobOrder.UpdateTimeout(
                key(run), audited("timeout"), open(run).seen(), store.now().plusSeconds(30)));

        update(new JobUpdate.Detach(job.key(), job.lease(), null, null, HOUR, null, 0, null));

        advance(Duration.ofSeconds(30));
        assertThat(store.overdueExternal(10)).hasSize(1);
    }

    @Test
    void an_external_job_that_is_cancelled_is_told_with_its_next_beat() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Detach(job.key(), job.lease(), null, null, HOUR, null, 0, null));

        writer.write(writer.step().cancels(1));

        assertThat(open(writer.run()).status().state()).isEqualTo(ActivityState.EXTERNAL);
        assertThat(open(writer.run()).status().cancelRequested()).isTrue();
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(order(giveBack(writer.run(), open(writer.run()).seen(), HOUR, 2)))
                .isEqualTo(Outcome.APPLIED);
        assertThat(onlyMessage(writer.run()).name()).isEqualTo("ActivityCancelled");
    }

    // ── the listing ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void jobs_are_listed_page_by_page_and_by_what_they_are() {
        RunKey first = scheduled("order-1", 2).run();
        RunKey second = scheduled("order-2", 1).run();
        order(pause(new JobKey(first, 2)));

        List<OpenJob> page = store.jobs(JobFilter.ALL, 2);
        List<OpenJob> rest = store.jobs(JobFilter.ALL.after(page.getLast().key()), 2);

        assertThat(page).hasSize(2);
        assertThat(rest).hasSize(1);
        assertThat(store.jobs(JobFilter.ALL.workflowId("order-2"), 10))
                .extracting(OpenJob::key)
                .containsExactly(key(second));
        assertThat(store.jobs(JobFilter.ALL.runId(first.runId()).seq(2), 10)).hasSize(1);
        assertThat(store.jobs(JobFilter.ALL.states(Set.of(ActivityState.PAUSED)), 10))
                .extracting(OpenJob::key)
                .containsExactly(new JobKey(first, 2));
        assertThat(store.jobs(JobFilter.ALL.activity("Payments.refund"), 10)).isEmpty();
        assertThat(store.jobs(JobFilter.ALL.activity(ACTIVITY).taskQueue(QUEUE), 10))
                .hasSize(3);
        assertThat(store.jobs(JobFilter.ALL.minAttempt(2), 10)).isEmpty();
    }

    @Test
    void a_listing_says_who_runs_a_job_since_when() {
        RunKey run = scheduled("order-1", 1).run();
        claimJob(session);

        assertThat(open(run).worker().session()).isEqualTo(session);
        assertThat(open(run).worker().identity()).startsWith("worker-");
        assertThat(open(run).times().claimedAt()).isNotNull();
    }

    // ── words ───────────────────────────────────────────────────────────────────────────────────────────────────────

    private Outcome order(JobOrder order) {
        return store.order(List.of(order)).getFirst();
    }

    private OpenJob open(RunKey run) {
        return store.jobs(JobFilter.of(key(run)), 1).getFirst();
    }

    private InboxMessage onlyMessage(RunKey run) {
        assertThat(waiting(run)).hasSize(1);
        return waiting(run).getFirst();
    }

    private RunKey retriedIn(Duration delay) {
        RunKey run = scheduled("order-1", 1).run();
        update(retry(claimJob(session), delay));
        return run;
    }

    private RunKey detached(Duration left, Duration silence) {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        JobUpdate detach = new JobUpdate.Detach(job.key(), job.lease(), null, "{\"row\":1}", left, silence, 0, null);
        assertThat(update(detach)).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        return run;
    }

    private static JobOrder giveBack(RunKey run, JobOrder.Seen seen, Duration delay, int attempt) {
        return new JobOrder.GiveBack(
                key(run),
                new JobOrder.Trace(null, note("ActivityAttemptFailed")),
                seen,
                new JobOrder.Next(delay, attempt, null),
                "declined");
    }

    private static JobUpdate failedWith(ClaimedJob job, JobUpdate.NewOptions options) {
        return new JobUpdate.Retry(job.key(), job.lease(), HOUR, 2, "[]", "declined", null, options);
    }

    private static JobKey key(RunKey run) {
        return new JobKey(run, 1);
    }

    private static JobOrder.Pause pause(JobKey key) {
        return new JobOrder.Pause(key, audited("pause"));
    }

    private static JobOrder.Resume resume(JobKey key) {
        return new JobOrder.Resume(key, audited("resume"));
    }

    private static JobOrder.RetryNow retryNow(JobKey key) {
        return new JobOrder.RetryNow(key, audited("retry"));
    }

    private JobOrder.UpdateOptions options(RunKey run, String options) {
        OpenJob job = open(run);
        return new JobOrder.UpdateOptions(
                job.key(),
                audited("options"),
                job.seen(),
                options,
                null,
                job.times().scheduledAt().plus(HOUR.multipliedBy(3)),
                0);
    }

    private static JobOrder.End end(RunKey run, OpenJob seen) {
        String outcome = "{\"seq\":1,\"attempt\":" + seen.seen().attempt() + ",\"result\":\"ok\"}";
        return new JobOrder.End(
                key(run),
                audited("complete"),
                seen.seen(),
                new InboxMessage(
                        UUID.randomUUID(), MessageKind.ACTIVITY_OUTCOME, "ActivityCompleted", outcome, null, null));
    }

    private static JobOrder.Trace audited(String action) {
        return new JobOrder.Trace(new JobOrder.Audit(UUID.randomUUID(), "ann", action, "{}"), NOTE);
    }

    private static String note(String type) {
        return "{\"type\":\"" + type + "\"}";
    }
}
