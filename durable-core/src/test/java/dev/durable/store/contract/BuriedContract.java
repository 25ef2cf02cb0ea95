package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.ActivityState;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.JobContent;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.JobRoute;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.OpenJob;
import dev.durable.store.PoisonPill;
import dev.durable.store.RunKey;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Dead letters and incidents: jobs that nobody runs until somebody says what becomes of them. */
public abstract class BuriedContract extends StoreContract {
    private static final Duration HOUR = Duration.ofHours(1);

    private OpenJob buried(String workflowId, boolean incident, String fingerprint) {
        scheduled(workflowId, 1);
        ClaimedJob job = claimJob(session);
        assertThat(update(new JobUpdate.Bury(
                        job.key(),
                        job.lease(),
                        incident,
                        2,
                        fingerprint,
                        "[{\"type\": \"IncidentRaised\"}]",
                        "declined",
                        "{\"row\": 7}",
                        null)))
                .isEqualTo(JobUpdate.Outcome.ACCEPTED);
        return store.jobs(JobFilter.of(job.key()), 1).getFirst();
    }

    private OpenJob again(OpenJob job) {
        return store.jobs(JobFilter.of(job.key()), 1).getFirst();
    }

    private Outcome order(JobOrder order) {
        return store.order(List.of(order)).getFirst();
    }

    private OpenJob onlyOne() {
        return again(store.jobs(JobFilter.ALL, 10).getFirst());
    }

    private static JobOrder.Trace trace(String action) {
        return new JobOrder.Trace(
                new JobOrder.Audit(UUID.randomUUID(), "ann", action, "{}"),
                "{\"type\":\"IncidentResolved\",\"at\":\"2026-01-01T00:00:00Z\",\"attributes\":{}}");
    }

    private JobOrder.Revive revive(OpenJob job, String input) {
        return new JobOrder.Revive(
                job.key(), trace("retry"), job.seen(), input, "{\"startToClose\": \"PT7S\"}", null, 1);
    }

    @Test
    void a_job_whose_attempts_are_used_up_stays_and_nobody_claims_it() {
        OpenJob dead = buried("order-1", false, "charge: Declined");
        OpenJob incident = buried("order-2", true, "charge: Declined");

        assertThat(dead.status().state()).isEqualTo(ActivityState.DEAD);
        assertThat(incident.status().state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(jobStates(incident.key().run())).containsExactly(Map.entry(1, "incident"));
        assertThat(dead.burial().fingerprint()).isEqualTo("charge: Declined");
        assertThat(dead.burial().at()).isBeforeOrEqualTo(store.now());
        assertThat(dead.report().lastFailure()).isEqualTo("declined");
        assertThat(dead.report().heartbeatDetails()).isEqualTo("{\"row\": 7}");
        assertThat(dead.report().notes()).isEqualTo("[{\"type\": \"IncidentRaised\"}]");
        assertThat(waitingNames(dead.key().run())).isEmpty();
        advance(Duration.ofDays(1));
        assertThat(claimJobs(session)).isEmpty();
        assertThat(store.timeOutWaiting(10)).isZero();
    }

    @Test
    void only_who_holds_the_lease_may_say_that_attempts_are_used_up() {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThat(update(new JobUpdate.Bury(job.key(), UUID.randomUUID(), true, 2, "f", "[]", "declined", null, null)))
                .isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(jobStates(job.key().run())).containsExactly(Map.entry(1, "running"));
    }

    @Test
    void one_that_is_to_be_cancelled_is_cancelled_instead() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        writer.write(writer.step().cancels(1));

        update(new JobUpdate.Bury(job.key(), job.lease(), true, 2, "f", "[]", "declined", null, null));

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
    }

    @Test
    void a_buried_job_can_be_cancelled() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Bury(job.key(), job.lease(), true, 2, "f", "[]", "declined", null, null));

        writer.write(writer.step().cancels(1));

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
    }

    @Test
    void an_incident_is_tried_again_with_other_arguments_and_options_and_keeps_its_details() {
        OpenJob incident = buried("order-1", true, "f");

        assertThat(order(revive(incident, "[\"other\"]"))).isEqualTo(Outcome.APPLIED);

        assertThat(again(incident).burial()).isNull();
        ClaimedJob next = claimJob(session);
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.content().input()).isEqualTo("[\"other\"]");
        assertThat(next.content().options()).isEqualTo("{\"startToClose\": \"PT7S\"}");
        assertThat(next.heartbeatDetails()).isEqualTo("{\"row\": 7}");
        assertThat(next.notes()).contains("IncidentRaised").contains("IncidentResolved");
    }

    @Test
    void it_is_tried_again_once_however_often_that_is_said() {
        OpenJob incident = buried("order-1", true, "f");
        JobOrder.Revive first = revive(incident, null);

        assertThat(order(first)).isEqualTo(Outcome.APPLIED);
        assertThat(order(first)).isEqualTo(Outcome.DUPLICATE);
        assertThat(order(revive(incident, null))).as("as it was seen").isEqualTo(Outcome.CHANGED);
        assertThat(order(revive(again(incident), null)))
                .as("it waits for no operator")
                .isEqualTo(Outcome.REFUSED);
    }

    @Test
    void whoever_wants_its_next_attempt_now_is_to_look_again_and_revive_it() {
        OpenJob dead = buried("order-1", false, "f");

        assertThat(order(new JobOrder.RetryNow(dead.key(), trace("retry"))))
                .as("buried since it was seen")
                .isEqualTo(Outcome.CHANGED);

        assertThat(again(dead)).isEqualTo(dead);
    }

    @Test
    void retried_as_it_is_it_has_one_attempt() {
        OpenJob dead = buried("order-1", false, "f");

        assertThat(order(revive(dead, null))).isEqualTo(Outcome.APPLIED);

        ClaimedJob next = claimJob(session);
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.content().input()).isEqualTo(dead.input());
    }

    @Test
    void of_two_who_resolve_it_one_does() {
        OpenJob incident = buried("order-1", true, "f");
        InboxMessage outcome =
                Outcomes.completed(incident.key(), UUID.randomUUID()).outcome();
        JobOrder completed = new JobOrder.End(incident.key(), trace("complete"), incident.seen(), outcome);

        assertThat(order(revive(incident, null))).isEqualTo(Outcome.APPLIED);
        assertThat(order(completed)).isEqualTo(Outcome.CHANGED);

        OpenJob other = buried("order-2", true, "f");
        InboxMessage end = Outcomes.completed(other.key(), UUID.randomUUID()).outcome();
        assertThat(order(new JobOrder.End(other.key(), trace("complete"), other.seen(), end)))
                .isEqualTo(Outcome.APPLIED);
        assertThat(order(revive(other, null))).isEqualTo(Outcome.NOT_FOUND);
        assertThat(waitingNames(other.key().run())).containsExactly("ActivityCompleted");
    }

    @Test
    void a_run_that_was_terminated_takes_its_incidents_along() {
        OpenJob incident = buried("order-1", true, "f");
        terminated(incident.key().run());

        assertThat(order(revive(incident, null))).isEqualTo(Outcome.NOT_FOUND);
        assertThat(store.count(JobFilter.ALL)).isZero();
    }

    @Test
    void one_that_is_tried_again_has_the_schedule_to_close_it_is_given() {
        OpenJob incident = buried("order-1", true, "f");
        Instant deadline = store.now().plus(HOUR);
        order(new JobOrder.Revive(incident.key(), trace("retry"), incident.seen(), null, "{}", deadline, 1));

        assertThat(again(incident).times().scheduleToCloseDeadline()).isEqualTo(deadline);
        assertThat(store.timeOutWaiting(10)).isZero();
        advance(HOUR.plusSeconds(1));
        assertThat(store.timeOutWaiting(10)).isOne();
    }

    @Test
    void an_incident_is_ended_with_a_result() {
        OpenJob incident = buried("order-1", true, "f");
        InboxMessage outcome =
                Outcomes.completed(incident.key(), UUID.randomUUID()).outcome();

        assertThat(order(new JobOrder.End(incident.key(), trace("complete"), incident.seen(), outcome)))
                .isEqualTo(Outcome.APPLIED);

        assertThat(waitingNames(incident.key().run())).containsExactly("ActivityCompleted");
        assertThat(store.jobs(JobFilter.ALL, 10)).isEmpty();
    }

    // ── poison pills ────────────────────────────────────────────────────────────────────────────────────────────────

    private Writer poisoned(String workflowId, String options) {
        Writer writer = claimed(workflowId);
        NewJob plain = Outcomes.job(1, store.now());
        writer.write(writer.step()
                .schedules(new NewJob(
                        1,
                        plain.route(),
                        plain.priority(),
                        new JobContent(
                                plain.content().input(),
                                options,
                                plain.content().headers()),
                        plain.deadlines().with(null, null),
                        plain.maxWorkerCrashes(),
                        null,
                        null,
                        Duration.ZERO)));
        for (int crash = 1; crash <= 3; crash++) {
            UUID unlucky = openSession();
            claimJob(unlucky);
            declareDead(unlucky);
            store.requeueOrphans(10);
        }
        return writer;
    }

    private void declareDead(UUID unlucky) {
        SessionInfo info = store.sessions().stream()
                .filter(session -> session.session().equals(unlucky))
                .findFirst()
                .orElseThrow();
        assertThat(store.markDead(unlucky, info.beat())).isTrue();
    }

    @Test
    void a_poison_pill_is_a_dead_letter_with_a_fingerprint_and_a_note() {
        Writer writer = poisoned("order-1", "{}");

        OpenJob dead = onlyOne();
        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "dead"));
        assertThat(dead.burial().fingerprint()).isEqualTo(ACTIVITY + ": worker lost");
        assertThat(dead.status().crashes()).isEqualTo(3);
        assertThat(dead.seen().attempt()).as("no attempt is used").isEqualTo(1);
        assertThat(dead.report().lastFailure()).isEqualTo("its worker died 3 times while it ran");
        assertThat(dead.report().notes()).contains("IncidentRaised").contains("\"crashes\":3");
    }

    @Test
    void a_poison_pill_tells_of_its_lost_workers_before_it_tells_what_became_of_it() {
        Writer writer = poisoned("order-1", "{}");
        order(revive(onlyOne(), null));
        terminated(writer.run());

        List<StoredEvent> told = history(writer.run()).stream().skip(2).toList();
        assertThat(told)
                .extracting(StoredEvent::type)
                .containsExactlyInAnyOrder(
                        "ActivityAttemptFailed", "IncidentRaised", "IncidentResolved", "WorkflowTerminated")
                .containsSubsequence("ActivityAttemptFailed", "IncidentRaised", "WorkflowTerminated");
        assertThat(told.stream()
                        .filter(event -> event.type().equals("ActivityAttemptFailed"))
                        .map(StoredEvent::attributes))
                .containsExactly(
                        "{\"informing\":true,\"seq\":1,\"attempt\":1,\"reason\":\"worker lost\",\"omitted\":2}");
    }

    @Test
    void lost_workers_that_a_worker_has_noted_are_not_noted_again() {
        String noted =
                "[{\"type\": \"ActivityAttemptFailed\",\"at\":\"2026-01-01T00:00:00Z\",\"attributes\":{\"informing\":true,"
                        + "\"seq\":1,\"attempt\":1,\"reason\":\"worker lost\",\"omitted\":1}},"
                        + "{\"type\":\"ActivityAttemptFailed\",\"at\":\"2026-01-01T00:00:00Z\",\"attributes\":{\"informing\":true,"
                        + "\"seq\":1,\"attempt\":1,\"reason\":\"failed\",\"failure\":{\"reason\":\"worker lost\"}}}]";
        JobKey key = new JobKey(newRun("order-1").key(), 1);
        Instant now = Instant.parse("2026-01-02T00:00:00Z");

        assertThat(PoisonPill.notes(key, ACTIVITY, 2, 3, true, now, noted))
                .startsWith(noted.substring(0, noted.length() - 1))
                .contains("\"attempt\":2,\"reason\":\"worker lost\",\"omitted\":0}}")
                .contains("\"type\":\"IncidentRaised\"");
        assertThat(PoisonPill.notes(key, ACTIVITY, 2, 2, true, now, noted)).doesNotContain("\"omitted\":0");
    }

    @Test
    void a_poison_pill_is_an_incident_where_its_options_say_so() {
        poisoned("order-1", "{\"retry\":{\"onExhausted\":\"INCIDENT\"}}");

        assertThat(store.jobs(JobFilter.ALL, 10).getFirst().status().state()).isEqualTo(ActivityState.INCIDENT);
    }

    @Test
    void a_poison_pill_that_is_to_be_discarded_ends_as_if_it_had_returned_null() {
        Writer writer = poisoned("order-1", "{\"retry\":{\"onExhausted\":\"DISCARD\"}}");

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCompleted");
        assertThat(store.jobs(JobFilter.ALL, 10)).isEmpty();
    }

    @Test
    void a_poison_pill_that_is_revived_has_a_crash_budget_again() {
        poisoned("order-1", "{}");
        assertThat(order(revive(store.jobs(JobFilter.ALL, 10).getFirst(), null)))
                .isEqualTo(Outcome.APPLIED);

        UUID unlucky = openSession();
        claimJob(unlucky);
        declareDead(unlucky);
        store.requeueOrphans(10);

        assertThat(store.jobs(JobFilter.ALL, 10).getFirst().status().state()).isEqualTo(ActivityState.READY);
    }

    // ── at most once ────────────────────────────────────────────────────────────────────────────────────────────────

    private RunKey atMostOnce(String workflowId, String workflowType, String onExhausted) {
        Writer writer = claimed(workflowId);
        NewJob plain = Outcomes.job(1, store.now());
        writer.write(writer.step()
                .schedules(new NewJob(
                        1,
                        new JobRoute(plain.route().activity(), plain.route().taskQueue(), workflowType),
                        plain.priority(),
                        new JobContent(
                                plain.content().input(),
                                "{\"atMostOnce\":true,\"retry\":{\"maxAttempts\":1,\"onExhausted\":\"" + onExhausted
                                        + "\"}}",
                                plain.content().headers()),
                        plain.deadlines().with(null, null),
                        plain.maxWorkerCrashes(),
                        null,
                        null,
                        Duration.ZERO)));
        return writer.run();
    }

    @Test
    void a_background_job_that_must_not_run_twice_stays_when_its_worker_is_lost() {
        RunKey dead = atMostOnce("job-1", "durable.job", "DEAD_LETTER");
        RunKey incident = atMostOnce("job-2", "durable.job", "INCIDENT");
        RunKey told = atMostOnce("order-1", TYPE, "INCIDENT");
        UUID unlucky = openSession();
        assertThat(claimJobs(unlucky)).hasSize(3);
        declareDead(unlucky);
        store.requeueOrphans(10);

        assertThat(jobStates(dead)).containsExactly(Map.entry(1, "dead"));
        assertThat(jobStates(incident)).containsExactly(Map.entry(1, "incident"));
        assertThat(waitingNames(told)).as("a workflow has code for it").containsExactly("ActivityFailed");
        OpenJob lost = store.jobs(JobFilter.ALL.workflowId("job-1").seq(1), 1).getFirst();
        assertThat(lost.burial().fingerprint()).isEqualTo(ACTIVITY + ": outcome unknown");
        assertThat(lost.report().lastFailure())
                .startsWith("dev.durable.OutcomeUnknownException: outcome unknown: the worker of attempt 1 was lost");
        assertThat(lost.report().notes()).contains("IncidentRaised").contains("OutcomeUnknownException");
        assertThat(order(revive(lost, null))).as("on the word of an operator").isEqualTo(Outcome.APPLIED);
        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_background_job_that_must_not_run_twice_stays_when_its_worker_leaves_it() {
        RunKey dead = atMostOnce("job-1", "durable.job", "DEAD_LETTER");
        RunKey told = atMostOnce("order-1", TYPE, "DEAD_LETTER");
        UUID leaving = openSession();
        assertThat(claimJobs(leaving)).hasSize(2);

        store.closeSession(leaving);

        assertThat(jobStates(dead)).containsExactly(Map.entry(1, "dead"));
        assertThat(waitingNames(told)).containsExactly("ActivityFailed");
    }

    // ── listings ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void they_are_found_by_where_they_are_and_since_when() {
        OpenJob first = buried("order-1", true, "a");
        advance(Duration.ofMinutes(1));
        Instant between = store.now();
        advance(Duration.ofMinutes(1));
        OpenJob second = buried("order-2", true, "b");
        scheduled("order-3", 1);
        JobFilter all = JobFilter.ALL;

        assertThat(keys(all.states(Set.of(ActivityState.INCIDENT, ActivityState.DEAD))))
                .containsExactly(first.key(), second.key());
        assertThat(keys(all.fingerprint("a"))).containsExactly(first.key());
        assertThat(keys(all.buriedFrom(between))).containsExactly(second.key());
        assertThat(keys(all.buriedFrom(first.burial().at()))).containsExactly(first.key(), second.key());
        assertThat(keys(all.buriedBefore(between))).containsExactly(first.key());
        assertThat(keys(all.buriedBefore(first.burial().at()))).isEmpty();
        assertThat(keys(all.workflowType(first.route().workflowType()))).hasSize(3);
        assertThat(keys(all.workflowType("Other"))).isEmpty();
        assertThat(keys(all.fingerprint("a").only(second.key()))).isEmpty();
        assertThat(store.buried(all.buriedFrom(between), 10))
                .extracting(FailedJobGroup::fingerprint)
                .containsExactly("b");
    }

    private List<JobKey> keys(JobFilter filter) {
        List<OpenJob> page = store.jobs(filter, 10);
        assertThat(store.count(filter)).isEqualTo(page.size());
        return page.stream().map(OpenJob::key).toList();
    }

    @Test
    void all_pages_are_counted() {
        buried("order-1", true, "a");
        buried("order-2", true, "a");
        buried("order-3", true, "a");
        List<OpenJob> page = store.jobs(JobFilter.ALL, 2);

        assertThat(page).hasSize(2);
        assertThat(store.count(JobFilter.ALL)).isEqualTo(3);
        assertThat(store.count(JobFilter.ALL.after(page.getLast().key()))).isOne();
    }

    @Test
    void arguments_and_notes_are_read_of_one_and_not_of_all() {
        OpenJob whole = buried("order-1", true, "a");
        OpenJob listed = store.jobs(JobFilter.ALL, 10).getFirst();

        assertThat(whole.input())
                .isEqualTo(Outcomes.job(1, store.now()).content().input());
        assertThat(whole.report().notes()).isNotNull();
        assertThat(store.jobs(JobFilter.ALL.workflowId("order-1").seq(1), 1)).containsExactly(whole);
        assertThat(listed.input()).isNull();
        assertThat(listed.report().notes()).isNull();
        assertThat(listed.report().heartbeatDetails()).isEqualTo(whole.report().heartbeatDetails());
        assertThat(listed.report().lastFailure()).isEqualTo("declined");
    }

    // ── groups, alerts, retention ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_failed_alike_is_one_group_the_latest_first() {
        OpenJob first = buried("order-1", false, "a");
        advance(Duration.ofMinutes(1));
        buried("order-2", true, "b");
        advance(Duration.ofMinutes(1));
        OpenJob last = buried("order-3", false, "a");

        List<FailedJobGroup> groups = store.buried(JobFilter.ALL, 10);

        assertThat(groups).extracting(FailedJobGroup::fingerprint).containsExactly("a", "b");
        FailedJobGroup a = groups.getFirst();
        assertThat(a.count()).isEqualTo(2);
        assertThat(a.activity()).isEqualTo(ACTIVITY);
        assertThat(a.firstSeen()).isEqualTo(first.burial().at());
        assertThat(a.lastSeen()).isEqualTo(last.burial().at());
        assertThat(a.latest()).isEqualTo(last.key());
        assertThat(a.lastFailure()).isEqualTo("declined");
        assertThat(store.buried(JobFilter.ALL.states(Set.of(ActivityState.INCIDENT)), 10))
                .extracting(FailedJobGroup::fingerprint)
                .containsExactly("b");
        assertThat(store.jobs(JobFilter.ALL.fingerprint("a"), 10)).hasSize(2);
    }

    @Test
    void of_a_group_somebody_is_told_once_an_hour_and_only_if_it_grew() {
        buried("order-1", false, "a");
        buried("order-2", false, "a");

        assertThat(store.alertsDue(HOUR, 10)).extracting(FailedJobGroup::count).containsExactly(2L);
        assertThat(store.alertsDue(HOUR, 10)).isEmpty();
        advance(HOUR.plusSeconds(1));
        assertThat(store.alertsDue(HOUR, 10)).as("it did not grow").isEmpty();
        buried("order-3", true, "a");
        assertThat(store.alertsDue(HOUR, 10)).extracting(FailedJobGroup::count).containsExactly(3L);
        advance(Duration.ofSeconds(1));
        buried("order-4", true, "a");
        assertThat(store.alertsDue(HOUR, 10)).as("within the hour").isEmpty();
        advance(HOUR.plusSeconds(1));
        assertThat(store.alertsDue(HOUR, 10)).hasSize(1);
    }

    @Test
    void dead_letters_are_kept_for_a_time_and_a_purged_one_fails_its_activity() {
        OpenJob old = buried("order-1", false, "a");
        OpenJob incident = buried("order-2", true, "a");
        advance(Duration.ofDays(3));
        OpenJob young = buried("order-3", false, "a");

        assertThat(store.purgeDeadLetters(Duration.ofDays(2), 100, 10)).isEqualTo(1);
        assertThat(store.purgeDeadLetters(Duration.ofDays(2), 100, 10)).isZero();

        assertThat(waitingNames(old.key().run())).containsExactly("ActivityFailed");
        assertThat(waiting(old.key().run()).getFirst().payload())
                .contains("no operator resolved this dead letter in the time and number that dead letters are kept for."
                        + " Its last failure: declined");
        assertThat(waiting(old.key().run()).getFirst().notes())
                .contains("IncidentRaised")
                .contains("\"resolution\":\"purged\"");
        assertThat(again(incident).status().state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(again(young).status().state()).isEqualTo(ActivityState.DEAD);
    }

    @Test
    void of_too_many_dead_letters_the_oldest_are_purged() {
        OpenJob oldest = buried("order-1", false, "a");
        advance(Duration.ofMinutes(1));
        OpenJob next = buried("order-2", false, "a");
        advance(Duration.ofMinutes(1));
        OpenJob youngest = buried("order-3", false, "a");

        assertThat(store.purgeDeadLetters(Duration.ofDays(2), 2, 10)).isEqualTo(1);

        assertThat(waitingNames(oldest.key().run())).containsExactly("ActivityFailed");
        assertThat(store.jobs(JobFilter.ALL, 10))
                .extracting(OpenJob::key)
                .containsExactlyInAnyOrder(next.key(), youngest.key());
    }
}
