package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityOptions;
import dev.durable.history.ActivityFailed;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.OptionsJson;
import dev.durable.history.StoredEvent;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobContent;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Worker processes: alive by their beats, dead for ever once declared so. */
abstract class SessionContract extends StoreContract {

    @Test
    void a_session_is_listed_with_its_beat() {
        Instant before = store.now();
        UUID mine = UUID.randomUUID();
        store.openSession(mine, "worker@host", LEASE);

        assertThat(store.beat(mine)).isTrue();
        assertThat(store.beat(mine)).isTrue();

        SessionInfo info = info(mine);
        assertThat(info.identity()).isEqualTo("worker@host");
        assertThat(info.beat()).isEqualTo(2);
        assertThat(info.dead()).isFalse();
        assertThat(info.lease()).isEqualTo(LEASE);
        assertThat(info.startedAt()).isBetween(before, store.now());
    }

    @Test
    void a_session_tells_what_it_serves() {
        UUID mine = UUID.randomUUID();
        Served served = new Served(Set.of("default", "mail"), Set.of("Payments.charge"));
        store.openSession(mine, "worker@host", LEASE, served);
        store.beat(mine);

        assertThat(info(mine).served()).isEqualTo(served);
        assertThat(info(session).served()).as("of one that does not say").isNull();
        store.markDead(mine, 1);
        assertThat(info(mine).served()).isEqualTo(served);
        Served typed = new Served(Set.of("default"), Set.of(), Set.of("Order", "OldOrder"), "2026-11-28.1");
        UUID other = UUID.randomUUID();
        store.openSession(other, "worker@host", LEASE, typed);
        assertThat(info(other).served()).isEqualTo(typed);
    }

    @Test
    void opening_a_session_twice_is_opening_it_once() {
        store.beat(session);
        store.openSession(session, "again", LEASE);

        assertThat(info(session).beat()).isEqualTo(1);
        assertThat(store.sessions())
                .filteredOn(s -> s.session().equals(session))
                .hasSize(1);
    }

    @Test
    void an_unknown_session_can_not_beat() {
        assertThat(store.beat(UUID.randomUUID())).isFalse();
    }

    @Test
    void a_session_is_declared_dead_only_by_the_beat_that_was_seen() {
        store.beat(session);

        assertThat(store.markDead(session, 0)).isFalse();
        assertThat(store.beat(session)).isTrue();
        assertThat(store.markDead(session, 1)).isFalse();
        assertThat(store.markDead(session, 2)).isTrue();
        assertThat(store.markDead(session, 2)).as("a second one").isFalse();
        assertThat(store.markDead(UUID.randomUUID(), 0)).isFalse();
    }

    @Test
    void a_dead_session_can_neither_beat_nor_claim_nor_come_back() {
        scheduled("order-1", 1);
        declareDead(session);

        assertThat(store.beat(session)).isFalse();
        assertThat(claimJobs(session)).isEmpty();
        store.openSession(session, "back again", LEASE);
        assertThat(store.beat(session)).isFalse();
        assertThat(claimJobs(session)).isEmpty();
        assertThat(claimJobs(openSession())).hasSize(1);
    }

    @Test
    void an_unknown_session_claims_no_jobs() {
        scheduled("order-1", 1);

        assertThat(claimJobs(UUID.randomUUID())).isEmpty();
    }

    @Test
    void jobs_of_living_sessions_are_no_orphans() {
        scheduled("order-1", 1);
        claimJob(session);

        assertThat(store.requeueOrphans(10)).isZero();
        assertThat(store.held(session)).hasSize(1);
    }

    @Test
    void a_dead_sessions_job_is_re_queued_as_a_crash_without_using_an_attempt() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        update(new JobUpdate.Heartbeat(first.key(), first.lease(), "{\"row\":7}"));
        declareDead(session);

        assertThat(store.requeueOrphans(10)).isEqualTo(1);
        assertThat(store.requeueOrphans(10)).isZero();

        ClaimedJob second = claimJob(openSession());
        assertThat(second.attempt()).isEqualTo(1);
        assertThat(second.crashes()).isEqualTo(1);
        assertThat(second.heartbeatDetails()).isEqualTo("{\"row\":7}");
        assertThat(update(completed(first))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(update(completed(second))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void a_dead_session_may_still_settle_what_was_not_re_queued_yet() {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        declareDead(session);

        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(store.requeueOrphans(10)).isZero();
    }

    @Test
    void a_job_born_for_a_session_that_is_not_there_is_an_orphan() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1, new NewJob.Lease(UUID.randomUUID(), UUID.randomUUID())));

        assertThat(store.requeueOrphans(10)).isEqualTo(1);
        assertThat(claimJob(session).crashes()).isEqualTo(1);
    }

    @Test
    void orphans_are_re_queued_up_to_the_limit() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2).schedules(3));
        claimJobs(session);
        declareDead(session);

        assertThat(store.requeueOrphans(2)).isEqualTo(2);
        assertThat(store.requeueOrphans(2)).isEqualTo(1);
        assertThat(store.requeueOrphans(2)).isZero();
        assertThat(claimJobs(openSession())).hasSize(3);
    }

    @Test
    void a_job_whose_workers_die_more_often_than_allowed_becomes_a_dead_letter() {
        Writer writer = scheduled("order-1", 1);
        for (int crash = 1; crash <= 3; crash++) {
            UUID unlucky = openSession();
            assertThat(claimJob(unlucky).crashes()).isEqualTo(crash - 1);
            declareDead(unlucky);
            assertThat(store.requeueOrphans(10)).isEqualTo(1);
        }

        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "dead"));
        assertThat(claimJobs(session)).isEmpty();
        assertThat(store.requeueOrphans(10)).isZero();
    }

    @Test
    void a_dead_letter_can_be_cancelled() {
        Writer writer = scheduled("order-1", 1);
        for (int crash = 1; crash <= 3; crash++) {
            UUID unlucky = openSession();
            claimJob(unlucky);
            declareDead(unlucky);
            store.requeueOrphans(10);
        }

        writer.write(writer.step().cancels(1));

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
    }

    @Test
    void an_orphan_that_is_to_be_cancelled_ends_there() {
        Writer writer = scheduled("order-1", 1);
        claimJob(session);
        writer.write(writer.step().cancels(1));
        declareDead(session);

        assertThat(store.requeueOrphans(10)).isEqualTo(1);

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
        assertThat(claimJobs(openSession())).isEmpty();
    }

    @Test
    void an_orphan_over_its_budget_that_is_to_be_cancelled_ends_there() {
        Writer writer = scheduled("order-1", 1);
        for (int crash = 1; crash <= 3; crash++) {
            UUID unlucky = openSession();
            claimJob(unlucky);
            if (crash == 3) {
                writer.write(writer.step().cancels(1));
            }
            declareDead(unlucky);
            store.requeueOrphans(10);
        }

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
    }

    @Test
    void a_session_that_says_goodbye_releases_its_claims_without_a_crash() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2));
        ClaimedJob first = claimJobs(session).getFirst();
        update(new JobUpdate.Heartbeat(first.key(), first.lease(), "1"));

        store.closeSession(session);

        assertThat(store.sessions()).extracting(SessionInfo::session).doesNotContain(session);
        assertThat(store.beat(session)).isFalse();
        List<ClaimedJob> again = claimJobs(openSession());
        assertThat(again).hasSize(2).allMatch(job -> job.crashes() == 0 && job.attempt() == 1);
        assertThat(again.getFirst().heartbeatDetails()).isEqualTo("1");
        assertThat(update(completed(first))).isEqualTo(JobUpdate.Outcome.STALE);
    }

    @Test
    void a_session_that_says_goodbye_ends_what_is_to_be_cancelled() {
        Writer writer = scheduled("order-1", 1);
        claimJob(session);
        writer.write(writer.step().cancels(1));

        store.closeSession(session);

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
    }

    @Test
    void closing_a_session_twice_or_an_unknown_one_changes_nothing() {
        store.closeSession(session);
        store.closeSession(session);
        store.closeSession(UUID.randomUUID());

        assertThat(store.sessions()).isEmpty();
    }

    @Test
    void a_session_sees_its_own_claims_only() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2));
        UUID other = openSession();
        ClaimedJob mine = claimJobs(session, 1).getFirst();
        claimJobs(other, 1);

        assertThat(store.held(session)).singleElement().satisfies(held -> {
            assertThat(held.key()).isEqualTo(mine.key());
            assertThat(held.lease()).isEqualTo(mine.lease());
            assertThat(held.cancelRequested()).isFalse();
        });
        update(retry(mine, Duration.ofHours(1)));
        assertThat(store.held(session)).isEmpty();
        assertThat(store.held(other)).hasSize(1);
    }

    private void declareDead(UUID unlucky) {
        assertThat(store.markDead(unlucky, info(unlucky).beat())).isTrue();
    }

    private SessionInfo info(UUID wanted) {
        return store.sessions().stream()
                .filter(info -> info.session().equals(wanted))
                .findFirst()
                .orElseThrow();
    }

    // ── at most once ────────────────────────────────────────────────────────────────────────────────────────────────

    private Writer scheduledOnce() {
        Writer writer = claimed("order-1");
        NewJob job = Outcomes.job(1, store.now());
        NewJob once = new NewJob(
                job.seq(),
                job.route(),
                job.priority(),
                new JobContent(
                        job.content().input(),
                        OptionsJson.encode(
                                new OptionsAtCallSite().atMostOnce(true).apply(ActivityOptions.DEFAULT)),
                        job.content().headers()),
                job.deadlines().with(null, null),
                job.maxWorkerCrashes(),
                null,
                null,
                Duration.ZERO);
        assertThat(writer.write(writer.step().schedules(once))).isEqualTo(Transition.Outcome.APPLIED);
        return writer;
    }

    private void assertOutcomeUnknown(Writer writer, ClaimedJob lost) {
        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(claimJobs(openSession())).isEmpty();
        InboxMessage message = waiting(writer.run()).getFirst();
        assertThat(message.name()).isEqualTo("ActivityFailed");
        ActivityFailed failed = (ActivityFailed) EventJson.decode(
                new StoredEvent(3, message.name(), store.now(), message.messageId(), message.payload()));
        assertThat(failed.seq()).isEqualTo(1);
        assertThat(failed.attempt()).isEqualTo(1);
        assertThat(failed.failure().type()).isEqualTo("dev.durable.OutcomeUnknownException");
        assertThat(failed.failure().message()).contains("attempt 1", "not tried again");
        assertThat(update(completed(lost))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(waiting(writer.run())).hasSize(1);
    }

    @Test
    void an_at_most_once_job_of_a_dead_session_fails_as_unknown_and_is_never_handed_out_again() {
        Writer writer = scheduledOnce();
        ClaimedJob lost = claimJob(session);
        declareDead(session);

        assertThat(store.requeueOrphans(10)).isEqualTo(1);

        assertOutcomeUnknown(writer, lost);
        assertThat(store.requeueOrphans(10)).isZero();
    }

    @Test
    void an_at_most_once_job_that_a_closed_session_still_held_fails_as_unknown() {
        Writer writer = scheduledOnce();
        ClaimedJob lost = claimJob(session);

        store.closeSession(session);

        assertOutcomeUnknown(writer, lost);
    }

    @Test
    void an_at_most_once_job_that_was_not_begun_is_given_back_and_handed_out() {
        scheduledOnce();
        ClaimedJob first = claimJob(session);
        assertThat(update(new JobUpdate.Release(first.key(), first.lease(), Duration.ZERO, null, true, null)))
                .isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(claimJobs(openSession())).hasSize(1);
    }
}
