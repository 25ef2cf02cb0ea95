package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityOptions;
import dev.durable.history.InboxMessage;
import dev.durable.history.OptionsJson;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobContent;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Jobs that nobody claims, perhaps because no worker for them lives, run out of their time all the same. */
abstract class WaitingTimeoutContract extends StoreContract {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void a_ready_job_past_its_schedule_to_start_ends_with_an_outcome_in_the_inbox() {
        RunKey run = with(MINUTE, null);

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(store.earliestTimeouts().waiting())
                .isBetween(store.now(), store.now().plus(MINUTE));
        advance(MINUTE);
        assertThat(store.earliestTimeouts().waiting()).isBeforeOrEqualTo(store.now());

        assertThat(store.timeOutWaiting(10)).isOne();
        assertThat(jobStates(run)).isEmpty();
        assertThat(onlyMessage(run).name()).isEqualTo("ActivityTimedOut");
        assertThat(onlyMessage(run).payload()).isEqualTo("{\"seq\":1,\"attempt\":0,\"timeout\":\"SCHEDULE_TO_START\"}");
        assertThat(claimedIds(openSession())).as("its run wakes").containsExactly(run.workflowId());
        assertThat(store.timeOutWaiting(10)).as("once").isZero();
        assertThat(store.earliestTimeouts().waiting()).isNull();
    }

    @Test
    void schedule_to_close_counts_where_both_have_passed() {
        RunKey run = with(MINUTE, MINUTE.multipliedBy(2));
        advance(MINUTE.multipliedBy(2));

        store.timeOutWaiting(10);

        assertThat(onlyMessage(run).payload()).contains("\"timeout\":\"SCHEDULE_TO_CLOSE\"");
    }

    @Test
    void a_job_that_waits_for_its_next_attempt_runs_out_of_schedule_to_close_only() {
        RunKey run = with(MINUTE, MINUTE.multipliedBy(3));
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Retry(
                job.key(), job.lease(), Duration.ofHours(1), 2, "[{}]", "declined", "{\"row\":7}", null));
        advance(MINUTE.multipliedBy(2));
        assertThat(store.timeOutWaiting(10)).as("it did start in time").isZero();

        advance(MINUTE);

        assertThat(store.timeOutWaiting(10)).isOne();
        assertThat(onlyMessage(run).payload())
                .isEqualTo(
                        "{\"seq\":1,\"attempt\":1,\"timeout\":\"SCHEDULE_TO_CLOSE\",\"lastHeartbeatDetails\":{\"row\":7}}");
        assertThat(onlyMessage(run).notes()).isEqualTo("[{}]");
    }

    @Test
    void a_job_of_a_dead_worker_that_waits_again_has_started_in_time() {
        RunKey run = with(MINUTE, null);
        claimJob(session);
        store.markDead(session, 0);
        store.requeueOrphans(10);
        advance(MINUTE.multipliedBy(2));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(jobStates(run)).containsEntry(1, "ready");
    }

    @Test
    void a_job_that_is_given_back_unused_still_waits_for_its_start() {
        RunKey run = with(MINUTE, null);
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ofHours(1), null, false, null));
        advance(MINUTE);

        assertThat(store.timeOutWaiting(10)).isOne();
        assertThat(jobStates(run)).isEmpty();
    }

    @Test
    void a_job_that_began_and_was_given_back_is_not_late_to_start() {
        RunKey run = with(MINUTE, null);
        ClaimedJob job = claimJob(session);
        assertThat(job.deadlines().toStart())
                .isEqualTo(job.deadlines().scheduledAt().plus(MINUTE));
        update(new JobUpdate.Release(job.key(), job.lease(), MINUTE, "{\"row\":7}", true, null));
        advance(MINUTE.multipliedBy(2));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(store.earliestTimeouts().waiting()).isNull();
        ClaimedJob again = claimJob(session);
        assertThat(again.key().run()).isEqualTo(run);
        assertThat(again.deadlines().toStart()).as("it has started").isNull();
        assertThat(again.heartbeatDetails()).isEqualTo("{\"row\":7}");
    }

    @Test
    void what_began_once_has_begun_though_its_next_worker_gives_it_back_unused() {
        with(MINUTE, null);
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, true, null));
        ClaimedJob again = claimJob(session);
        update(new JobUpdate.Release(again.key(), again.lease(), Duration.ZERO, null, false, null));
        advance(MINUTE.multipliedBy(2));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(claimJob(session).deadlines().toStart()).isNull();
    }

    @Test
    void what_a_session_left_when_it_said_goodbye_may_have_begun_and_is_not_late_to_start() {
        RunKey run = with(MINUTE, null);
        claimJob(session);
        store.closeSession(session);
        advance(MINUTE.multipliedBy(2));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(jobStates(run)).containsEntry(1, "ready");
    }

    @Test
    void what_has_begun_still_runs_out_of_schedule_to_close() {
        RunKey run = with(MINUTE, MINUTE.multipliedBy(3));
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ofHours(1), null, true, null));
        advance(MINUTE.multipliedBy(3));

        assertThat(store.timeOutWaiting(10)).isOne();
        assertThat(onlyMessage(run).payload()).isEqualTo("{\"seq\":1,\"attempt\":0,\"timeout\":\"SCHEDULE_TO_CLOSE\"}");
    }

    @Test
    void a_job_whose_expiry_comes_before_its_schedule_to_start_ends_as_expired() {
        Instant now = store.now();
        RunKey expires = expiring("order-1", now.plus(MINUTE), now.plus(MINUTE));
        RunKey late = expiring("order-2", now.plus(MINUTE.multipliedBy(2)), now.plus(MINUTE));
        advance(MINUTE.multipliedBy(3));

        store.timeOutWaiting(10);

        assertThat(onlyMessage(expires).payload()).isEqualTo("{\"seq\":1,\"attempt\":0,\"timeout\":\"EXPIRY\"}");
        assertThat(onlyMessage(late).payload()).contains("\"timeout\":\"SCHEDULE_TO_START\"");
    }

    private RunKey expiring(String workflowId, Instant expiry, Instant toStart) {
        NewJob job = Outcomes.job(1, store.now(), toStart, null);
        NewRunBuilder run = newRun(workflowId)
                .schedules(new NewJob(
                        1,
                        job.route(),
                        job.priority(),
                        new JobContent(
                                job.content().input(),
                                OptionsJson.encode(
                                        ActivityOptions.DEFAULT.withExpiry(expiry.truncatedTo(ChronoUnit.MICROS))),
                                job.content().headers()),
                        job.deadlines().with(toStart, null),
                        job.maxWorkerCrashes(),
                        null,
                        null,
                        Duration.ZERO));
        started(run);
        return run.key();
    }

    @Test
    void a_running_job_is_left_to_its_worker() {
        with(MINUTE, MINUTE);
        ClaimedJob job = claimJob(session);
        advance(MINUTE.multipliedBy(2));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void jobs_without_deadlines_wait_for_ever() {
        RunKey run = with(null, null);
        advance(Duration.ofDays(1_000));

        assertThat(store.timeOutWaiting(10)).isZero();
        assertThat(jobStates(run)).containsEntry(1, "ready");
    }

    @Test
    void the_earliest_go_first_and_no_more_than_asked_for() {
        Instant now = store.now();
        NewRunBuilder run = newRun("order-1")
                .schedules(Outcomes.job(1, now, now.plus(MINUTE.multipliedBy(3)), null))
                .schedules(Outcomes.job(2, now, null, now.plus(MINUTE)))
                .schedules(Outcomes.job(3, now, now.plus(MINUTE.multipliedBy(2)), null));
        started(run);
        advance(MINUTE.multipliedBy(5));

        assertThat(store.timeOutWaiting(2)).isEqualTo(2);
        assertThat(jobStates(run.key())).containsOnlyKeys(1);
        assertThat(store.timeOutWaiting(2)).isOne();
    }

    @Test
    void a_cancellation_and_a_timeout_end_a_job_once() {
        Instant now = store.now();
        Writer writer = claimed("order-1");
        NewJob job = Outcomes.job(1, now, now.plus(MINUTE), null);
        writer.write(writer.step().schedules(job).staysAwake());
        advance(MINUTE);
        store.timeOutWaiting(10);

        writer.write(writer.step().cancels(1));

        assertThat(onlyMessage(writer.run()).name()).isEqualTo("ActivityTimedOut");
    }

    @Test
    void nobody_gets_a_job_that_timed_out() {
        with(MINUTE, null);
        advance(MINUTE);
        store.timeOutWaiting(10);

        assertThat(claimJobs(session)).isEmpty();
    }

    private RunKey with(Duration toStart, Duration toClose) {
        Instant now = store.now();
        NewRunBuilder run = newRun("order-" + UUID.randomUUID())
                .schedules(Outcomes.job(
                        1,
                        now,
                        toStart == null ? null : now.plus(toStart),
                        toClose == null ? null : now.plus(toClose)));
        started(run);
        return run.key();
    }

    private InboxMessage onlyMessage(RunKey run) {
        assertThat(waiting(run)).hasSize(1);
        return waiting(run).getFirst();
    }
}
