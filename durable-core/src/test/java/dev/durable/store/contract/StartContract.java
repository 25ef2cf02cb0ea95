package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.store.Delivery;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts: insert first, judge next. */
abstract class StartContract extends StoreContract {

    @Test
    void a_start_is_there_with_its_first_event() {
        NewRunBuilder run = newRun("order-1").started("{\"input\":[42]}").memo("customer", "7");

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(false));

        RunRecord record = store.run(run.key().runId()).orElseThrow();
        assertThat(record.run()).isEqualTo(run.key());
        assertThat(record.type()).isEqualTo(TYPE);
        assertThat(record.taskQueue()).isEqualTo(QUEUE);
        assertThat(record.status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(record.memo()).isEqualTo(Map.of("customer", "7"));
        assertThat(record.startedAt()).isBetween(run.startedAt(), store.now());
        assertThat(record.closedAt()).isNull();
        assertThat(history(run.key())).isEqualTo(run.build().firstTurn().events());
    }

    @Test
    void a_start_is_due_at_once() {
        started("order-1");

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_delayed_start_is_due_after_its_delay() {
        started(newRun("order-1").startDelay(Duration.ofMinutes(1)));

        assertThat(claimRuns(session)).isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_start_with_its_first_turn_done_rests_until_its_timer() {
        started(newRun("order-1").wakeAt(store.now().plusSeconds(60)));

        assertThat(claimRuns(session)).isEmpty();
        advance(Duration.ofSeconds(61));
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_start_with_its_first_turn_done_goes_on_under_its_own_fence() {
        Writer writer = parked("order-1");

        assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void jobs_of_the_first_turn_are_born_with_the_start() {
        Instant now = store.now();
        NewJob.Lease mine = new NewJob.Lease(UUID.randomUUID(), session);
        NewRunBuilder run = newRun("order-1")
                .schedules(Outcomes.job(1, now, ACTIVITY, QUEUE, 0, mine))
                .schedules(Outcomes.job(2, now));
        started(run);

        assertThat(jobStates(run.key())).containsExactly(Map.entry(1, "running"), Map.entry(2, "ready"));
        assertThat(store.held(session)).extracting(held -> held.lease()).containsExactly(mine.token());
    }

    @Test
    void a_signal_that_goes_with_the_start_waits_for_the_run() {
        InboxMessage hello = signal("hello");
        NewRunBuilder run = newRun("order-1").firstTurnDone().with(hello);
        started(run);

        assertThat(waitingNames(run.key())).containsExactly("hello");
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_resent_start_is_the_same_run() {
        NewRunBuilder run = newRun("order-1").with(signal("hello"));
        started(run);

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(true));
        assertThat(history(run.key())).hasSize(1);
        assertThat(waitingNames(run.key())).containsExactly("hello");
    }

    @Test
    void a_start_resent_after_its_run_went_on_changes_nothing() {
        NewRunBuilder run = newRun("order-1");
        started(run);
        Writer writer = claimed(run.key());
        writer.write(writer.step().schedules(1));

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(true));
        assertThat(eventTypes(run.key())).containsExactly("WorkflowStarted", "ActivityScheduled");
        assertThat(writer.write(writer.step().cancels(1))).isEqualTo(Transition.Outcome.APPLIED_MORE);
    }

    @ParameterizedTest
    @EnumSource(ReusePolicy.class)
    void a_start_resent_after_its_run_closed_starts_nothing(ReusePolicy policy) {
        NewRunBuilder run = newRun("order-1").reuse(policy);
        started(run);
        Writer writer = claimed(run.key());
        writer.write(writer.closing());

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(true));
        assertThat(store.run(run.key().runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(claimRuns(session)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ReusePolicy.class)
    void another_start_of_an_open_workflow_id_finds_the_open_run(ReusePolicy policy) {
        NewRunBuilder first = newRun("order-1");
        started(first);

        assertThat(start(newRun("order-1").reuse(policy)))
                .isEqualTo(new StartOutcome.AlreadyOpen(first.key().runId(), TYPE, null));
    }

    @Test
    void a_signal_of_a_start_that_finds_an_open_run_is_left_to_the_caller() {
        NewRunBuilder first = newRun("order-1");
        started(first);

        start(newRun("order-1").with(signal("hello")));

        assertThat(waiting(first.key())).isEmpty();
    }

    @Test
    void a_closed_workflow_id_may_be_started_again_by_default() {
        terminated(started("order-1"));

        assertThat(start(newRun("order-1"))).isEqualTo(new StartOutcome.Started(false));
    }

    @Test
    void reject_duplicate_refuses_whatever_became_of_the_latest_run() {
        NewRunBuilder first = newRun("order-1");
        terminated(started(first));

        assertThat(start(newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE)))
                .isEqualTo(new StartOutcome.Refused(first.key().runId(), WorkflowStatus.TERMINATED));
    }

    @Test
    void failed_only_refuses_after_a_completed_run() {
        Writer first = claimed("order-1");
        first.write(first.closing());

        assertThat(start(newRun("order-1").reuse(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)))
                .isEqualTo(new StartOutcome.Refused(first.run().runId(), WorkflowStatus.COMPLETED));
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkflowStatus.class,
            names = {"FAILED", "CANCELLED"})
    void failed_only_allows_after_a_run_that_did_not_complete(WorkflowStatus status) {
        Writer first = claimed("order-1");
        first.write(first.step().closes(status));

        assertThat(start(newRun("order-1").reuse(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)))
                .isEqualTo(new StartOutcome.Started(false));
    }

    @Test
    void the_policy_is_judged_by_the_run_that_closed_last() {
        Writer first = claimed("order-1");
        first.write(first.closing());
        advance(Duration.ofSeconds(1));
        terminated(started("order-1"));

        assertThat(start(newRun("order-1").reuse(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)))
                .isEqualTo(new StartOutcome.Started(false));
    }

    @Test
    void a_refused_start_leaves_nothing_behind() {
        terminated(started("order-1"));
        NewRunBuilder refused = newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE);
        start(refused);

        assertThat(store.run(refused.key().runId())).isEmpty();
        assertThat(history(refused.key())).isEmpty();
        assertThat(deliver("order-1", signal("hello"))).isEqualTo(Delivery.Outcome.NOT_FOUND);
        assertThat(start(newRun("order-1"))).isEqualTo(new StartOutcome.Started(false));
    }

    @Test
    void outcomes_stand_in_the_order_of_the_items_and_one_refusal_touches_no_neighbour() {
        NewRunBuilder open = newRun("order-2");
        started(open);
        terminated(started("order-3"));
        NewRunBuilder last = newRun("order-4");

        List<StartOutcome> outcomes = store.start(List.of(
                newRun("order-1").build(),
                newRun("order-2").build(),
                newRun("order-3").reuse(ReusePolicy.REJECT_DUPLICATE).build(),
                last.build(),
                open.build()));

        assertThat(outcomes.get(0)).isEqualTo(new StartOutcome.Started(false));
        assertThat(outcomes.get(1))
                .isEqualTo(new StartOutcome.AlreadyOpen(open.key().runId(), TYPE, null));
        assertThat(outcomes.get(2)).isInstanceOf(StartOutcome.Refused.class);
        assertThat(outcomes.get(3)).isEqualTo(new StartOutcome.Started(false));
        assertThat(outcomes.get(4)).isEqualTo(new StartOutcome.Started(true));
    }

    @Test
    void two_starts_of_one_workflow_id_in_a_batch_give_one_run() {
        NewRunBuilder first = newRun("order-1");
        NewRunBuilder second = newRun("order-1");

        assertThat(store.start(List.of(first.build(), second.build())))
                .containsExactly(
                        new StartOutcome.Started(false),
                        new StartOutcome.AlreadyOpen(first.key().runId(), TYPE, null));
    }

    @Test
    void one_start_twice_in_a_batch_gives_one_run() {
        NewRunBuilder run = newRun("order-1");

        assertThat(store.start(List.of(run.build(), run.build())))
                .containsExactlyInAnyOrder(new StartOutcome.Started(false), new StartOutcome.Started(true));
        assertThat(history(run.key())).hasSize(1);
    }

    @Test
    void of_many_starts_of_one_workflow_id_in_a_batch_a_policy_refuses_each() {
        NewRunBuilder first = newRun("order-1");
        terminated(started(first));
        List<NewRun> starts = IntStream.range(0, 64)
                .mapToObj(i ->
                        newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).build())
                .toList();

        assertThat(store.start(starts))
                .hasSize(64)
                .containsOnly(new StartOutcome.Refused(first.key().runId(), WorkflowStatus.TERMINATED));
    }

    @Test
    void behind_those_that_a_policy_refuses_the_next_of_the_workflow_id_in_the_batch_starts() {
        Writer first = claimed("order-1");
        first.write(first.closing());
        StartOutcome refused = new StartOutcome.Refused(first.run().runId(), WorkflowStatus.COMPLETED);
        NewRunBuilder starts = newRun("order-1");

        assertThat(store.start(List.of(
                        newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).build(),
                        newRun("order-2").build(),
                        newRun("order-1")
                                .reuse(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
                                .build(),
                        starts.build(),
                        newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).build())))
                .containsExactly(
                        refused,
                        new StartOutcome.Started(false),
                        refused,
                        new StartOutcome.Started(false),
                        new StartOutcome.AlreadyOpen(starts.key().runId(), TYPE, null));
        assertThat(history(starts.key())).hasSize(1);
    }

    @Test
    void an_empty_batch_is_nothing() {
        assertThat(store.start(List.of())).isEmpty();
        assertThat(store.deliver(List.of())).isEmpty();
        assertThat(store.update(List.of())).isEmpty();
        assertThat(store.commit(List.of())).isEmpty();
        assertThat(store.readBack(List.of())).isEmpty();
        assertThat(store.messages(List.of(), 10)).isEmpty();
        assertThat(store.closed(List.of())).isEmpty();
    }
}
