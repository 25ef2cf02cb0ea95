package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.QueueDescription;
import dev.durable.client.QueueLimits;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.store.Aging;
import dev.durable.store.AuditFilter;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.OpenJob;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import dev.durable.store.QueueStore;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pauses and limits of task queues, and limit keys. */
abstract class QueueContract extends StoreContract {

    private boolean change(QueueChange.What what) {
        return store.change(new QueueChange(UUID.randomUUID(), "ann", what));
    }

    @Test
    void the_audit_says_why_a_queue_was_changed() {
        store.change(new QueueChange(
                UUID.randomUUID(), "ann", "the \"bank\" is down", new QueueChange.PauseQueue(QUEUE, null)));
        store.change(new QueueChange(
                UUID.randomUUID(),
                "ann",
                "till ten",
                new QueueChange.PauseActivity(ACTIVITY, Instant.parse("2030-01-01T10:00:00Z"))));
        change(new QueueChange.ResumeQueue(QUEUE));

        assertThat(store.audit(AuditFilter.ALL, 10))
                .extracting(row -> row.action() + " " + row.details().replace(" ", ""))
                .containsExactlyInAnyOrder(
                        "pause queue {\"reason\":\"the\\\"bank\\\"isdown\"}",
                        "pause activity {\"reason\":\"tillten\",\"resumeAt\":\"2030-01-01T10:00:00Z\"}",
                        "resume queue {}");
    }

    private boolean limit(Consumer<QueueLimits.Builder> limits) {
        return change(new QueueChange.Limit(QUEUE, QueueLimits.of(limits)));
    }

    private QueueStore.LimitedClaim claimLimited(int most) {
        return store.claimLimitedJobs(new JobClaim(session, QUEUE, Set.of(ACTIVITY), most));
    }

    private QueueRules.Rule rule() {
        return store.queueRules(Set.of(QUEUE)).of(QUEUE);
    }

    private QueueDescription queue() {
        return store.queues().stream()
                .filter(queue -> queue.taskQueue().equals(QUEUE))
                .findFirst()
                .orElseThrow();
    }

    /** A run with jobs of these keys, in this order. */
    private Writer keyed(String workflowId, String... keys) {
        Writer writer = claimed(workflowId);
        StepBuilder step = writer.step();
        IntStream.range(0, keys.length).forEach(i -> step.schedules(Outcomes.keyed(i + 1, store.now(), keys[i])));
        writer.write(step);
        return writer;
    }

    // ── pauses ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_paused_queue_gives_no_jobs_until_it_is_resumed() {
        scheduled("order-1", 2);

        assertThat(change(new QueueChange.PauseQueue(QUEUE, null))).isTrue();
        assertThat(change(new QueueChange.PauseQueue(QUEUE, null))).as("again").isFalse();

        assertThat(claimJobs(session)).isEmpty();
        assertThat(claimLimited(10).jobs()).isEmpty();
        assertThat(rule().paused()).isTrue();
        assertThat(queue().paused()).isTrue();
        assertThat(change(new QueueChange.ResumeQueue(QUEUE))).isTrue();
        assertThat(change(new QueueChange.ResumeQueue(QUEUE))).as("again").isFalse();
        assertThat(claimJobs(session)).hasSize(2);
    }

    @Test
    void the_rules_tell_when_the_first_delayed_job_of_a_queue_is_due() {
        assertThat(store.queueRules(Set.of(QUEUE)).nextDelayed()).isEmpty();
        started(newRun("order-1").schedules(Outcomes.delayed(1, store.now(), Duration.ofHours(2))));
        started(newRun("order-2").schedules(Outcomes.delayed(1, store.now(), Duration.ofHours(1))));

        Instant first = store.queueRules(Set.of(QUEUE)).nextDelayed().get(QUEUE);

        assertThat(Duration.between(store.now(), first)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
        advance(Duration.ofMinutes(61));
        assertThat(Duration.between(
                        store.now(),
                        store.queueRules(Set.of(QUEUE)).nextDelayed().get(QUEUE)))
                .as("what is due is claimed, and not waited for")
                .isBetween(Duration.ofMinutes(58), Duration.ofMinutes(59));
    }

    @Test
    void a_pause_ends_by_itself_at_its_time() {
        scheduled("order-1", 1);
        change(new QueueChange.PauseQueue(QUEUE, store.now().plusSeconds(60)));
        change(new QueueChange.PauseActivity("Other.run", store.now().plusSeconds(60)));
        assertThat(queue().resumeAt()).isNotNull();

        advance(Duration.ofSeconds(59));
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(2));

        assertThat(rule().paused()).isFalse();
        assertThat(store.pausedActivities()).isEmpty();
        assertThat(claimJobs(session)).hasSize(1);
    }

    @Test
    void a_paused_activity_is_begun_in_no_queue_and_the_others_are() {
        Writer writer = claimed("order-1");
        writer.write(writer.step()
                .schedules(Outcomes.job(1, store.now(), ACTIVITY, QUEUE, 0, null))
                .schedules(Outcomes.job(2, store.now(), "Shipping.label", QUEUE, 0, null))
                .schedules(Outcomes.job(3, store.now(), ACTIVITY, "slow", 0, null)));
        JobClaim any = new JobClaim(session, QUEUE, Set.of(ACTIVITY, "Shipping.label"), 10);
        JobClaim slow = new JobClaim(session, "slow", Set.of(ACTIVITY), 10);

        assertThat(change(new QueueChange.PauseActivity(ACTIVITY, null))).isTrue();
        assertThat(change(new QueueChange.PauseActivity(ACTIVITY, null))).isFalse();

        assertThat(store.queueRules(Set.of(QUEUE)).pauses(ACTIVITY)).isTrue();
        assertThat(store.pausedActivities()).containsExactly(new PausedActivity(ACTIVITY, null));
        assertThat(store.claimJobs(any)).extracting(ClaimedJob::activity).containsExactly("Shipping.label");
        assertThat(store.claimJobs(slow)).isEmpty();
        assertThat(change(new QueueChange.ResumeActivity(ACTIVITY))).isTrue();
        assertThat(change(new QueueChange.ResumeActivity(ACTIVITY))).isFalse();
        assertThat(store.claimJobs(any)).hasSize(1);
        assertThat(store.claimJobs(slow)).hasSize(1);
    }

    @Test
    void the_name_of_a_type_pauses_all_of_its_activities() {
        scheduled("order-1", 1);
        change(new QueueChange.PauseActivity("Payments", null));

        assertThat(claimJobs(session)).isEmpty();
        assertThat(store.queueRules(Set.of()).pauses(ACTIVITY)).isTrue();
        assertThat(store.queueRules(Set.of()).pauses("PaymentsOfOthers.charge")).isFalse();

        change(new QueueChange.ResumeActivity("Payments"));
        assertThat(claimJobs(session)).hasSize(1);
    }

    // ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private boolean pauseRun(String workflowId, boolean wanted) {
        return store.pause(new RunPause(
                workflowId,
                null,
                wanted,
                UUID.randomUUID(),
                wanted ? "WorkflowPaused" : "WorkflowResumed",
                "{\"by\":\"ann\",\"informing\":true}",
                "ann"));
    }

    @Test
    void nobody_claims_a_paused_run_and_its_holder_can_not_go_on() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThat(pauseRun("order-1", true)).isTrue();
        assertThat(pauseRun("order-1", true)).as("again").isTrue();

        assertThat(writer.write(writer.step().settles(job))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        signalled(writer.run(), "approve");
        advance(Duration.ofMinutes(5));
        assertThat(claimRuns(session)).isEmpty();
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "ActivityScheduled", "WorkflowPaused");

        assertThat(pauseRun("order-1", false)).isTrue();
        assertThat(pauseRun("order-1", false)).as("again").isTrue();
        assertThat(claimedIds(session)).containsExactly("order-1");
        assertThat(waiting(writer.run())).hasSize(2);
        assertThat(eventTypes(writer.run())).endsWith("WorkflowPaused", "WorkflowResumed");
    }

    @Test
    void a_run_that_is_claimed_is_paused_at_once() {
        Writer writer = claimed("order-1");
        pauseRun("order-1", true);

        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
        pauseRun("order-1", false);
        advance(Duration.ofSeconds(1));
        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void only_open_runs_are_paused_and_a_paused_one_can_be_terminated() {
        RunKey run = started("order-1");
        pauseRun("order-1", true);
        terminated(run);

        assertThat(pauseRun("order-1", true)).isFalse();
        assertThat(pauseRun("nobody", true)).isFalse();
    }

    // ── limits of a queue ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_ordinary_claim_leaves_a_limited_queue_alone() {
        scheduled("order-1", 3);
        assertThat(limit(l -> l.concurrency(2))).isTrue();
        assertThat(limit(l -> l.concurrency(2))).as("again").isFalse();

        assertThat(claimJobs(session)).isEmpty();
        assertThat(rule().isFree()).isFalse();

        assertThat(limit(l -> {})).isTrue();
        assertThat(limit(l -> {})).as("again").isFalse();
        assertThat(claimJobs(session)).hasSize(3);
    }

    @Test
    void no_more_run_at_once_than_the_concurrency_of_the_queue() {
        scheduled("order-1", 5);
        limit(l -> l.concurrency(2));

        List<ClaimedJob> first = claimLimited(10).jobs();
        assertThat(first).hasSize(2);
        assertThat(claimLimited(10).jobs()).isEmpty();
        update(completed(first.getFirst()));
        assertThat(claimLimited(10).jobs()).hasSize(1);
        update(retry(first.getLast(), Duration.ofMinutes(1)));
        assertThat(claimLimited(10).jobs()).hasSize(1);
        assertThat(claimLimited(10).jobs()).isEmpty();
    }

    @Test
    void no_more_begin_within_a_second_than_the_rate_of_the_queue() {
        scheduled("order-1", 20);
        limit(l -> l.ratePerSecond(5));

        assertThat(claimLimited(3).jobs()).hasSize(3);
        QueueStore.LimitedClaim second = claimLimited(10);
        assertThat(second.jobs()).hasSize(2);
        assertThat(second.retryIn()).isBetween(Duration.ofMillis(500), Duration.ofMillis(1_100));
        advance(Duration.ofMillis(800));
        assertThat(claimLimited(10).jobs()).isEmpty();
        advance(Duration.ofMillis(300));
        assertThat(claimLimited(10).jobs()).hasSize(5);
    }

    @Test
    void a_limited_claim_of_a_queue_without_limits_is_an_ordinary_one() {
        scheduled("order-1", 3);
        limit(l -> l.concurrency(1));
        limit(l -> {});

        assertThat(claimLimited(10).jobs()).hasSize(3);
    }

    // ── bodies that go on ───────────────────────────────────────────────────────────────────────────────────────────

    /** The one job of a run in a queue that begins one at a time, claimed; another waits behind it. */
    private ClaimedJob limitedToOne() {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        scheduled("order-2", 1);
        limit(l -> l.concurrency(1));
        assertThat(claimLimited(10).jobs()).isEmpty();
        return job;
    }

    /** Its attempt ends before its body does. */
    private JobUpdate.Outcome goesOn(JobUpdate end) {
        return update(new JobUpdate.BodyGoesOn(end));
    }

    private JobUpdate.Outcome bodyEnds(ClaimedJob job) {
        return update(new JobUpdate.FreePlace(job.key(), job.lease()));
    }

    @Test
    void a_body_that_goes_on_after_its_attempt_keeps_its_place_in_the_queue_until_it_ends() {
        ClaimedJob job = limitedToOne();
        assertThat(goesOn(retry(job, Duration.ZERO))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(goesOn(retry(job, Duration.ZERO))).as("again").isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(claimLimited(10).jobs()).isEmpty();

        assertThat(bodyEnds(job)).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(claimLimited(10).jobs()).hasSize(1);
        assertThat(claimLimited(10).jobs()).isEmpty();
        assertThat(bodyEnds(job)).as("again").isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void whatever_its_attempt_ends_with_keeps_the_place_of_a_body_that_goes_on() {
        Writer writer = scheduled("order-1", 3);
        List<ClaimedJob> jobs = claimJobs(session);
        scheduled("order-2", 4);
        limit(l -> l.concurrency(4));
        ClaimedJob settled = jobs.get(0);
        ClaimedJob released = jobs.get(1);
        ClaimedJob buried = jobs.get(2);
        assertThat(store.update(List.of(
                        new JobUpdate.BodyGoesOn(completed(settled)),
                        new JobUpdate.BodyGoesOn(new JobUpdate.Release(
                                released.key(), released.lease(), Duration.ofMinutes(1), null, true, null)),
                        new JobUpdate.BodyGoesOn(new JobUpdate.Bury(
                                buried.key(), buried.lease(), false, 2, "f", "[]", "declined", null, null)))))
                .containsOnly(JobUpdate.Outcome.ACCEPTED);
        assertThat(goesOn(completed(settled))).isEqualTo(JobUpdate.Outcome.DUPLICATE);
        assertThat(waitingNames(writer.run())).containsExactly("ActivityCompleted");
        assertThat(jobStates(writer.run()).values()).containsExactlyInAnyOrder("delayed", "dead");
        assertThat(claimLimited(10).jobs()).hasSize(1);
        jobs.forEach(this::bodyEnds);
        assertThat(claimLimited(10).jobs()).hasSize(3);
    }

    @Test
    void a_body_that_ended_and_one_that_goes_on_are_told_in_one_batch() {
        ClaimedJob job = limitedToOne();
        store.update(
                List.of(new JobUpdate.BodyGoesOn(completed(job)), new JobUpdate.FreePlace(job.key(), job.lease())));
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void what_goes_on_after_the_lease_was_lost_keeps_no_place() {
        ClaimedJob job = limitedToOne();
        update(retry(job, Duration.ofMinutes(5)));
        assertThat(goesOn(completed(job))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void the_body_of_a_run_that_was_terminated_keeps_its_place() {
        ClaimedJob job = limitedToOne();
        terminated(job.key().run());
        assertThat(claimLimited(10).jobs()).isEmpty();
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.STALE);
        assertThat(claimLimited(10).jobs()).isEmpty();

        bodyEnds(job);
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void the_body_of_a_run_that_closed_without_waiting_for_it_keeps_its_place_and_one_that_ended_does_not() {
        Writer writer = scheduled("order-1", 2);
        List<ClaimedJob> jobs = claimJobs(session);
        scheduled("order-2", 3);
        limit(l -> l.concurrency(2));
        assertThat(writer.write(writer.closing().settles(jobs.getFirst()))).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(claimLimited(10).jobs()).hasSize(1);
        assertThat(claimLimited(10).jobs()).isEmpty();

        bodyEnds(jobs.getLast());
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void a_run_that_closes_beside_one_that_goes_on_leaves_its_place_too() {
        Writer closing = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        Writer going = scheduled("order-2", 1);
        limit(l -> l.concurrency(1));
        assertThat(store.commit(List.of(
                        closing.closing().build(), going.step().schedules(2).build())))
                .containsExactly(Transition.Outcome.APPLIED, Transition.Outcome.APPLIED);
        assertThat(claimLimited(10).jobs()).isEmpty();
        bodyEnds(job);
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void the_body_of_an_activity_that_an_operator_ended_keeps_its_place() {
        ClaimedJob job = limitedToOne();
        OpenJob seen = store.jobs(JobFilter.of(job.key()), 1).getFirst();
        JobOrder end = new JobOrder.End(
                job.key(),
                new JobOrder.Trace(new JobOrder.Audit(UUID.randomUUID(), "ann", "complete", "{}"), null),
                seen.seen(),
                Outcomes.completed(job.key(), UUID.randomUUID()).outcome());
        assertThat(store.order(List.of(end))).containsExactly(JobOrder.Outcome.APPLIED);
        assertThat(claimLimited(10).jobs()).isEmpty();
        bodyEnds(job);
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void a_place_is_free_when_the_session_of_its_body_is_dead_or_gone() {
        scheduled("order-1", 3);
        UUID dying = openSession();
        ClaimedJob first = claimJob(dying);
        limit(l -> l.concurrency(1));
        goesOn(completed(first));
        assertThat(claimLimited(10).jobs()).isEmpty();
        assertThat(store.markDead(dying, 0)).isTrue();
        store.requeueOrphans(10);
        List<ClaimedJob> second = claimLimited(10).jobs();
        assertThat(second).hasSize(1);

        goesOn(completed(second.getFirst()));
        store.closeSession(session);
        session = openSession();
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void a_place_is_kept_for_a_while_only() {
        ClaimedJob job = limitedToOne();
        goesOn(completed(job));
        advance(JobUpdate.PLACE_KEPT.minusSeconds(1));
        assertThat(claimLimited(10).jobs()).isEmpty();
        advance(Duration.ofSeconds(2));
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void where_nobody_counts_no_place_is_kept() {
        scheduled("order-1", 2);
        ClaimedJob job = claimJob(session);
        limit(l -> l.ratePerSecond(100));
        goesOn(completed(job));
        limit(l -> l.concurrency(1));
        assertThat(claimLimited(10).jobs()).hasSize(1);
    }

    @Test
    void a_body_that_goes_on_keeps_its_place_of_its_limit_key() {
        keyed("order-1", "a", "a", "b", "b");
        limit(l -> l.perKey(k -> k.concurrency(1)));
        store.admit(QUEUE);
        ClaimedJob first = claimJobs(session).getFirst();
        goesOn(retry(first, Duration.ofMinutes(5)));
        assertThat(store.admit(QUEUE).admitted()).isZero();
        assertThat(store.admit(QUEUE).waiting()).isTrue();

        bodyEnds(first);
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
        assertThat(claimJobs(session)).extracting(job -> job.key().seq()).containsExactly(2);
    }

    @Test
    void the_body_of_a_terminated_run_keeps_its_place_of_its_limit_key() {
        Writer terminated = keyed("order-1", "a");
        limit(l -> l.perKey(k -> k.concurrency(1)));
        store.admit(QUEUE);
        ClaimedJob first = claimJob(session);
        keyed("order-2", "a");
        terminated(terminated.run());
        assertThat(store.admit(QUEUE).admitted()).isZero();
        bodyEnds(first);
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
    }

    // ── limit keys ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void jobs_with_a_key_wait_until_they_are_let_through() {
        Writer writer = keyed("order-1", "a", "a", "b");

        assertThat(claimJobs(session)).isEmpty();
        assertThat(jobStates(writer.run())).containsEntry(1, "waiting");
        assertThat(queue().waiting()).isEqualTo(3);
        assertThat(rule().keysWait()).isTrue();

        assertThat(store.admit(QUEUE).admitted()).isEqualTo(3);
        assertThat(rule().keysWait()).isFalse();
        assertThat(claimJobs(session)).extracting(job -> job.key().seq()).containsExactly(1, 2, 3);
    }

    @Test
    void each_key_has_its_own_concurrency_and_holds_up_no_other() {
        keyed("order-1", "a", "a", "a", "a", "b", "a", "b");
        limit(l -> l.perKey(k -> k.concurrency(2)));

        assertThat(store.admit(QUEUE).admitted()).isEqualTo(4);
        List<ClaimedJob> running = claimJobs(session);
        assertThat(running).extracting(job -> job.key().seq()).containsExactly(1, 2, 5, 7);
        assertThat(store.admit(QUEUE).admitted()).isZero();
        assertThat(store.admit(QUEUE).waiting()).isTrue();

        update(completed(running.getFirst()));
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
        assertThat(claimJobs(session)).extracting(job -> job.key().seq()).containsExactly(3);
    }

    @Test
    void who_waits_for_a_retry_has_no_place_and_waits_for_its_key_again() {
        Writer writer = keyed("order-1", "a", "a");
        limit(l -> l.perKey(k -> k.concurrency(1)));
        store.admit(QUEUE);
        update(retry(claimJob(session), Duration.ofMinutes(1)));

        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
        ClaimedJob second = claimJob(session);
        advance(Duration.ofMinutes(2));
        assertThat(claimJobs(session)).isEmpty();
        assertThat(store.admit(QUEUE).admitted()).isZero();
        assertThat(jobStates(writer.run())).containsEntry(1, "waiting");

        update(completed(second));
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_claim_under_limits_leaves_what_it_does_not_want_for_others() {
        Writer writer = scheduled("order-1", 3);
        limit(l -> l.concurrency(2));
        JobClaim claim = new JobClaim(session, QUEUE, Set.of(ACTIVITY), 10, Set.of(new JobKey(writer.run(), 1)));

        assertThat(store.claimLimitedJobs(claim).jobs())
                .extracting(job -> job.key().seq())
                .containsExactlyInAnyOrder(2, 3);
    }

    @Test
    void who_is_given_back_waits_for_its_key_again() {
        Writer writer = keyed("order-1", "a", "a", "a");
        limit(l -> l.perKey(k -> k.concurrency(1)));
        store.admit(QUEUE);
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, true, null));
        assertThat(jobStates(writer.run())).containsEntry(1, "waiting");

        store.admit(QUEUE);
        UUID dying = openSession();
        assertThat(claimJobs(dying)).hasSize(1);
        store.closeSession(dying);
        assertThat(jobStates(writer.run())).containsValue("waiting").doesNotContainValue("running");

        store.admit(QUEUE);
        UUID dead = openSession();
        assertThat(claimJobs(dead)).hasSize(1);
        store.markDead(dead, 0);
        store.requeueOrphans(10);
        assertThat(jobStates(writer.run()).values()).containsOnly("waiting");
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(1);
    }

    @Test
    void no_more_of_a_key_begin_within_a_second_than_its_rate() {
        keyed("order-1", "a", "a", "a", "a", "a", "b");
        limit(l -> l.perKey(k -> k.ratePerSecond(2)));

        List<Integer> begun = new ArrayList<>();
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(3);
        advance(Duration.ofSeconds(2));
        assertThat(store.admit(QUEUE).admitted())
                .as("those let through may begin at any moment: they count")
                .isZero();
        claimLimited(10).jobs().forEach(job -> begun.add(job.key().seq()));
        assertThat(begun).containsExactly(1, 2, 6);
        advance(Duration.ofMillis(500));
        assertThat(store.admit(QUEUE).admitted()).isZero();
        advance(Duration.ofMillis(600));
        assertThat(store.admit(QUEUE).admitted()).isEqualTo(2);
    }

    @Test
    void a_job_that_waits_for_its_key_ends_when_it_is_cancelled_or_its_time_is_over() {
        Writer writer = keyed("order-1", "a", "a");
        writer.write(writer.step().cancels(1));
        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");

        advance(Duration.ofHours(2));
        assertThat(store.timeOutWaiting(10)).isEqualTo(1);
        assertThat(waitingNames(writer.run())).containsExactlyInAnyOrder("ActivityCancelled", "ActivityTimedOut");
        assertThat(store.admit(QUEUE).waiting()).isFalse();
    }

    // ── priority ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_stream_of_high_priority_holds_up_an_old_low_one_for_its_aging_bound_and_no_longer() {
        int difference = 3;
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(Outcomes.job(1, store.now(), ACTIVITY, QUEUE, 0, null)));
        Duration bound = Aging.STEP.multipliedBy(difference);
        int waited = 0;
        int seq = 1;
        do {
            advance(Duration.ofSeconds(1));
            writer.write(writer.step().schedules(Outcomes.job(++seq, store.now(), ACTIVITY, QUEUE, difference, null)));
            waited++;
        } while (claimJob(session).key().seq() != 1);

        assertThat(waited).isBetween((int) bound.toSeconds() - 1, (int) bound.toSeconds() + 1);
    }

    // ── what is in it ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_queue_is_described_by_what_is_in_it() {
        Writer writer = scheduled("order-1", 4);
        List<ClaimedJob> jobs = claimJobs(session, 2);
        update(retry(jobs.getFirst(), Duration.ofMinutes(1)));
        limit(l -> l.maxDepth(100).perKey(k -> k.concurrency(3)));

        QueueDescription queue = queue();
        assertThat(queue.ready()).isEqualTo(2);
        assertThat(queue.delayed()).isEqualTo(1);
        assertThat(queue.running()).isEqualTo(1);
        assertThat(queue.dead()).isZero();
        assertThat(queue.openRuns()).isEqualTo(1);
        assertThat(queue.depth()).isEqualTo(3);
        assertThat(queue.atLeast()).isFalse();
        assertThat(queue.oldestWaitingSince())
                .isBetween(history(writer.run()).getFirst().at(), store.now());
        assertThat(queue.limits()).isEqualTo(new QueueLimits(null, null, 100, 3, null));
        assertThat(queue.paused()).isFalse();
    }

    @Test
    void the_depth_counts_jobs_that_wait_and_runs_that_are_due() {
        scheduled("order-1", 3);
        claimJobs(session, 1);
        keyed("order-2", "a");
        started("order-3");

        assertThat(store.depth(QUEUE, 100)).isEqualTo(4);
        assertThat(store.depth(QUEUE, 2)).isEqualTo(2);
        assertThat(store.depth("empty", 2)).isZero();
    }
}
