package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.APPLIED_MORE;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static dev.durable.store.Transition.Outcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Steps of runs: applied whole under the current fence, or not at all. */
abstract class TransitionContract extends StoreContract {

    @Test
    void a_step_is_written_whole() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signalled(writer.run(), "approve");
        StepBuilder step = writer.step()
                .schedules(1)
                .consumes(approve)
                .schedules(2)
                .wakesAt(store.now().plusSeconds(60));

        assertThat(writer.write(step)).isEqualTo(APPLIED);

        assertThat(eventTypes(writer.run()))
                .containsExactly("WorkflowStarted", "ActivityScheduled", "SignalReceived", "ActivityScheduled");
        assertThat(history(writer.run()).get(2).messageId()).isEqualTo(approve.messageId());
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "ready"), Map.entry(2, "ready"));
        assertThat(details(writer.run()).historyLength()).isEqualTo(4);
    }

    @Test
    void events_come_back_exactly_as_they_were_written() {
        Writer writer = claimed("order-1");
        Transition step = writer.step()
                .event("SideEffectRecorded", "{\"b\": 1,\n \"a\":1E2}")
                .consumes(signal("approve"))
                .build();
        store.commit(List.of(step));

        assertThat(store.history(writer.run().runId(), 2, 10)).isEqualTo(step.events());
    }

    @Test
    void the_fence_of_the_last_step_goes_on_without_a_claim() {
        Writer writer = claimed("order-1");

        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED);
        assertThat(writer.write(writer.step().schedules(2))).isEqualTo(APPLIED);
        assertThat(eventTypes(writer.run())).hasSize(3);
    }

    @Test
    void a_step_under_a_fence_that_was_replaced_writes_nothing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().staysAwake().schedules(1));
        ClaimedJob job = claimJob(session);
        InboxMessage approve = signalled(writer.run(), "approve");
        Writer zombie = writer.zombie();
        writer.write(writer.step().event("SideEffectRecorded", "{}").staysAwake());
        List<StoredEvent> before = history(writer.run());

        assertThat(zombie.write(zombie.step()
                        .settles(job)
                        .consumes(approve)
                        .schedules(2)
                        .cancels(1)))
                .isEqualTo(FENCE_LOST);
        assertThat(zombie.write(zombie.closing().consumes(approve))).isEqualTo(FENCE_LOST);
        assertThat(zombie.write(zombie.step().stalls("no", Duration.ofDays(1)))).isEqualTo(FENCE_LOST);

        assertThat(history(writer.run())).isEqualTo(before);
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "running"));
        assertThat(details(writer.run()).stalledBy()).isNull();
    }

    @Test
    void a_step_after_somebody_else_claimed_writes_nothing() {
        Writer first = claimed("order-1");
        advance(OWNED.plusSeconds(1));
        Writer second = writer(claimRuns(openSession()).getFirst());

        assertThat(first.write(first.step().schedules(1))).isEqualTo(FENCE_LOST);
        assertThat(second.write(second.step().schedules(1))).isEqualTo(APPLIED);
        assertThat(eventTypes(first.run())).containsExactly("WorkflowStarted", "ActivityScheduled");
    }

    @Test
    void an_owner_whose_time_is_over_may_write_as_long_as_nobody_claimed() {
        Writer writer = claimed("order-1");
        advance(OWNED.plusSeconds(1));

        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED);
    }

    @Test
    void a_step_that_expects_another_event_id_writes_nothing() {
        Writer writer = claimed("order-1");
        Writer ahead = new Writer(store, writer.run(), writer.fence(), 5);

        assertThat(ahead.write(ahead.step().schedules(1))).isEqualTo(FENCE_LOST);
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED);
    }

    @Test
    void a_step_of_a_run_that_is_not_there_or_closed_writes_nothing() {
        Writer closed = claimed("order-1");
        closed.write(closed.closing());
        Writer nobody = new Writer(store, newRun("order-2").key(), UUID.randomUUID(), 2);

        assertThat(closed.write(closed.step().schedules(1))).isEqualTo(FENCE_LOST);
        assertThat(nobody.write(nobody.step().schedules(1))).isEqualTo(FENCE_LOST);
        assertThat(history(nobody.run())).isEmpty();
    }

    @Test
    void the_same_step_sent_again_is_refused_by_its_fence() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        store.commit(List.of(step));

        assertThat(store.commit(List.of(step))).containsExactly(FENCE_LOST);
        assertThat(history(writer.run())).hasSize(2);
    }

    @Test
    void a_gap_in_the_events_is_refused_before_anything_is_sent() {
        StoredEvent late = new StoredEvent(7, "SideEffectRecorded", store.now(), null, "{}");

        assertThatThrownBy(() -> new Transition(
                        newRun("order-1").key(),
                        new Transition.Fences(UUID.randomUUID(), UUID.randomUUID()),
                        2,
                        List.of(late),
                        List.of(),
                        Transition.JobChanges.NONE,
                        true,
                        null,
                        null,
                        null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("event 7")
                .hasMessageContaining("where 2 must");
    }

    @Test
    void two_steps_of_one_run_in_a_batch_are_refused_as_a_mistake() {
        Writer writer = claimed("order-1");
        Transition one = writer.step().schedules(1).build();
        Transition two = writer.step().schedules(2).build();

        assertThatThrownBy(() -> store.commit(List.of(one, two)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("order-1");
        assertThat(history(writer.run())).hasSize(1);
    }

    @Test
    void outcomes_stand_in_the_order_of_the_items_and_one_refusal_touches_no_neighbour() {
        Writer one = claimed("order-1");
        Writer stale = claimed("order-2");
        Writer refused = claimed("order-3");
        Writer lost = claimed("order-4");
        Writer closing = claimed("order-5");
        Writer zombie = stale.zombie();
        stale.write(stale.step().staysAwake());
        signalled(refused.run(), "approve");

        List<Transition.Outcome> outcomes = store.commit(List.of(
                zombie.step().schedules(1).build(),
                one.step().schedules(1).build(),
                refused.closing().build(),
                lost.step().settles(1, UUID.randomUUID()).build(),
                closing.closing().build()));

        assertThat(outcomes).containsExactly(FENCE_LOST, APPLIED, Transition.Outcome.CLOSE_REFUSED, STALE, APPLIED);
        assertThat(history(zombie.run())).hasSize(1);
        assertThat(history(one.run())).hasSize(2);
        assertThat(history(refused.run())).hasSize(1);
        assertThat(history(lost.run())).hasSize(1);
        assertThat(eventTypes(closing.run())).endsWith("WorkflowCompleted");
    }

    @Test
    void a_job_settled_under_its_lease_goes_with_its_heartbeat() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Heartbeat(job.key(), job.lease(), "1"));

        assertThat(writer.write(writer.step().settles(job).schedules(2))).isEqualTo(APPLIED);

        assertThat(jobStates(writer.run())).containsExactly(Map.entry(2, "ready"));
        assertThat(store.held(session)).isEmpty();
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.DUPLICATE);
    }

    @Test
    void a_step_that_settles_under_a_lost_lease_writes_nothing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob stale = claimJob(session);
        update(new JobUpdate.Release(stale.key(), stale.lease(), Duration.ZERO, null, true, null));
        ClaimedJob current = claimJob(session);
        InboxMessage approve = signalled(writer.run(), "approve");

        assertThat(writer.write(writer.step().settles(stale).consumes(approve).schedules(2)))
                .isEqualTo(STALE);

        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "ActivityScheduled");
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(writer.write(writer.step().settles(current).consumes(approve)))
                .isEqualTo(APPLIED);
    }

    @Test
    void a_step_that_settles_a_job_whose_outcome_waits_already_writes_nothing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        update(completed(job));

        assertThat(writer.write(writer.step().settles(job))).isEqualTo(STALE);
        assertThat(waitingNames(writer.run())).containsExactly("ActivityCompleted");
    }

    @Test
    void an_eager_job_is_born_in_the_hands_of_its_writer() {
        Writer writer = claimed("order-1");
        NewJob.Lease lease = new NewJob.Lease(UUID.randomUUID(), session);
        writer.write(writer.step().schedules(1, lease));

        assertThat(claimJobs(openSession())).isEmpty();
        assertThat(store.held(session)).extracting(held -> held.lease()).containsExactly(lease.token());
        assertThat(writer.write(writer.step().settles(1, lease.token()).schedules(2)))
                .isEqualTo(APPLIED);
    }

    @Test
    void parking_lets_the_run_rest_and_leaves_it_unowned() {
        Writer writer = claimed("order-1");
        assertThat(details(writer.run()).ownedUntil()).isAfter(store.now());
        assertThat(details(writer.run()).lastSession()).isEqualTo(session);

        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED);

        assertThat(details(writer.run()).ownedUntil()).isNull();
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void parking_while_messages_wait_tells_so_and_keeps_the_run() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signalled(writer.run(), "approve");

        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED_MORE);

        advance(Duration.ofSeconds(1));
        assertThat(claimRuns(openSession())).as("still owned").isEmpty();
        assertThat(writer.write(writer.step().consumes(approve))).isEqualTo(APPLIED);
    }

    @Test
    void histories_of_several_runs_are_read_together_each_to_the_limit_and_in_order() {
        Writer longer = claimed("order-1");
        longer.write(longer.step().schedules(1));
        longer.write(longer.step().schedules(2));
        Writer shorter = claimed("order-2");
        UUID longId = longer.run().runId();
        UUID shortId = shorter.run().runId();

        assertThat(store.histories(List.of(longId, UUID.randomUUID(), shortId), 2))
                .isEqualTo(Map.of(longId, store.history(longId, 1, 2), shortId, store.history(shortId, 1, 2)));
        assertThat(store.histories(List.of(longId), 10).get(longId)).hasSize(3).isEqualTo(store.history(longId, 1, 10));
        assertThat(store.histories(List.of(), 10)).isEmpty();
    }

    @Test
    void a_step_that_writes_nothing_gives_the_run_back_though_messages_wait() {
        Writer writer = claimed("order-1");
        Writer quiet = claimed("order-2");
        signalled(writer.run(), "approve");

        assertThat(writer.write(writer.step())).isEqualTo(APPLIED_MORE);
        assertThat(quiet.write(quiet.step())).isEqualTo(APPLIED);

        assertThat(details(writer.run()).ownedUntil()).isNull();
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void of_a_batch_those_that_write_nothing_are_given_back_though_messages_wait() {
        Writer goesOn = claimed("order-1");
        Writer givesBack = claimed("order-2");
        signalled(goesOn.run(), "approve");
        signalled(givesBack.run(), "approve");

        List<Transition.Outcome> outcomes = store.commit(
                List.of(goesOn.step().schedules(1).build(), givesBack.step().build()));

        assertThat(outcomes).containsExactly(APPLIED_MORE, APPLIED_MORE);
        assertThat(details(goesOn.run()).ownedUntil()).isNotNull();
        assertThat(details(givesBack.run()).ownedUntil()).isNull();
    }

    @Test
    void a_step_that_stays_awake_keeps_the_run_and_is_not_asked_for_messages() {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "approve");

        assertThat(writer.write(writer.step().schedules(1).staysAwake())).isEqualTo(APPLIED);
        assertThat(claimRuns(openSession())).isEmpty();
    }

    @Test
    void a_run_that_was_left_awake_is_still_due_when_its_owner_is_gone() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).staysAwake());

        advance(OWNED.plusSeconds(1));

        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void a_run_wakes_at_its_timer() {
        Writer writer = claimed("order-1");
        Instant due = store.now().plusSeconds(60);
        writer.write(writer.step().wakesAt(due));

        assertThat(details(writer.run()).wakeAt()).isEqualTo(due);
        advance(Duration.ofSeconds(61));
        assertThat(claimRuns(session))
                .singleElement()
                .extracting(ClaimedRun::wakeAt)
                .isEqualTo(due);
    }

    @Test
    void a_wake_to_come_is_only_lowered() {
        Writer writer = claimed("order-1");
        Instant soon = store.now().plusSeconds(60);
        Instant sooner = store.now().plusSeconds(30);

        writer.write(writer.step().wakesAt(soon));
        writer.write(writer.step().wakesAt(soon.plusSeconds(60)));
        assertThat(details(writer.run()).wakeAt()).isEqualTo(soon);
        writer.write(writer.step());
        assertThat(details(writer.run()).wakeAt()).isEqualTo(soon);
        writer.write(writer.step().wakesAt(sooner));
        assertThat(details(writer.run()).wakeAt()).isEqualTo(sooner);
    }

    @Test
    void a_wake_that_has_passed_is_replaced_when_the_run_parks() {
        Writer writer = claimed("order-1");
        Instant later = store.now().plusSeconds(60);

        writer.write(writer.step().wakesAt(later));
        assertThat(details(writer.run()).wakeAt()).isEqualTo(later);

        advance(Duration.ofSeconds(61));
        Writer woken = claimed(writer.run());
        woken.write(woken.step());
        assertThat(details(writer.run()).wakeAt()).isNull();
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void a_timer_that_became_due_during_the_step_wakes_the_run_at_once() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().wakesAt(store.now().minusMillis(1)));

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void of_many_runs_that_park_together_those_stay_for_whom_more_waits_than_they_consume() {
        Writer none = claimed("order-1");
        Writer waits = claimed("order-2");
        Writer consumes = claimed("order-3");
        Writer consumesOne = claimed("order-4");
        Writer awake = claimed("order-5");
        signalled(waits.run(), "approve");
        InboxMessage only = signalled(consumes.run(), "approve");
        InboxMessage older = signalled(consumesOne.run(), "approve");
        signalled(consumesOne.run(), "remind");
        signalled(awake.run(), "approve");

        List<Transition.Outcome> outcomes = store.commit(List.of(
                none.step().schedules(1).build(),
                waits.step().schedules(1).build(),
                consumes.step().consumes(only).build(),
                consumesOne.step().consumes(older).build(),
                awake.step().schedules(1).staysAwake().build()));

        assertThat(outcomes).containsExactly(APPLIED, APPLIED_MORE, APPLIED, APPLIED_MORE, APPLIED);
        assertThat(Stream.of(none, waits, consumes, consumesOne, awake)
                        .map(writer -> details(writer.run()).ownedUntil() != null))
                .containsExactly(false, true, false, true, true);
    }

    @Test
    void where_no_message_waits_for_any_of_many_all_rest() {
        Writer one = claimed("order-1");
        Writer other = claimed("order-2");
        signalled(claimed("order-3").run(), "approve");

        assertThat(store.commit(List.of(
                        one.step().schedules(1).build(),
                        other.step().schedules(1).build())))
                .containsExactly(APPLIED, APPLIED);
        assertThat(details(one.run()).ownedUntil()).isNull();
        assertThat(details(other.run()).ownedUntil()).isNull();
    }

    @Test
    void cancelling_a_ready_job_deletes_it_and_tells_the_run() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));

        assertThat(writer.write(writer.step().cancels(1))).isEqualTo(APPLIED_MORE);

        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(claimJobs(session)).isEmpty();
        InboxMessage outcome = waiting(writer.run()).getFirst();
        assertThat(outcome.name()).isEqualTo("ActivityCancelled");
        assertThat(outcome.payload()).contains("\"seq\":1").contains("\"attempt\":0");
        assertThat(writer.write(writer.step().consumes(outcome))).isEqualTo(APPLIED);
    }

    @Test
    void cancelling_a_delayed_job_keeps_what_it_was_about() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Retry(
                job.key(), job.lease(), Duration.ofHours(1), 2, "[{\"n\":1}]", "declined", "{\"row\":7}", null));

        writer.write(writer.step().cancels(1));

        InboxMessage outcome = waiting(writer.run()).getFirst();
        assertThat(outcome.payload()).contains("\"attempt\":1").contains("\"lastHeartbeatDetails\":{\"row\":7}");
        assertThat(outcome.notes()).isEqualTo("[{\"n\":1}]");
    }

    @Test
    void cancelling_a_running_job_lets_its_worker_know() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        assertThat(store.held(session))
                .extracting(held -> held.cancelRequested())
                .containsExactly(false);

        assertThat(writer.write(writer.step().cancels(1))).isEqualTo(APPLIED);

        assertThat(store.held(session))
                .extracting(held -> held.cancelRequested())
                .containsExactly(true);
        assertThat(update(new JobUpdate.Heartbeat(job.key(), job.lease(), "1")))
                .isEqualTo(JobUpdate.Outcome.CANCEL_REQUESTED);
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void cancelling_a_job_that_has_ended_changes_nothing() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        update(completed(claimJob(session)));

        writer.write(writer.step().cancels(1));

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCompleted");
    }

    @Test
    void a_stall_keeps_the_history_and_all_that_waits_and_says_why_until_when() {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "approve");

        assertThat(writer.write(writer.step().stalls("step 3 differs", Duration.ofMinutes(1))))
                .isEqualTo(APPLIED);

        assertThat(details(writer.run()).stalledBy()).isEqualTo("step 3 differs");
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
        assertThat(waitingNames(writer.run())).containsExactly("approve");
        assertThat(claimRuns(session)).as("before its time").isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(claimRuns(session))
                .singleElement()
                .extracting(ClaimedRun::stalls)
                .isEqualTo(1);
    }

    @Test
    void a_stalled_run_keeps_its_wake() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().stalls("step 3 differs", Duration.ofMinutes(1)));

        advance(Duration.ofMinutes(1));

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_step_that_comes_before_the_next_try_ends_the_stall() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().stalls("differs", Duration.ofDays(1)));
        writer.write(writer.step().schedules(1));

        signalled(writer.run(), "approve");

        assertThat(details(writer.run()).stalledBy()).isNull();
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void stalls_in_a_row_are_counted_and_a_step_ends_them() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().stalls("once", Duration.ofMinutes(1)));
        advance(Duration.ofMinutes(1));
        writer = claimed(writer.run());
        writer.write(writer.step().stalls("twice", Duration.ofMinutes(2)));
        advance(Duration.ofMinutes(2));
        ClaimedRun third = claimRuns(session).getFirst();
        assertThat(third.stalls()).isEqualTo(2);

        writer = writer(third);
        assertThat(writer.write(writer.step().schedules(1))).isEqualTo(APPLIED);

        assertThat(details(writer.run()).stalledBy()).isNull();
        signalled(writer.run(), "approve");
        assertThat(claimRuns(session))
                .singleElement()
                .extracting(ClaimedRun::stalls)
                .isEqualTo(0);
    }
}
