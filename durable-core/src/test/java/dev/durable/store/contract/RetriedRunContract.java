package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClosedRun;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.RunClaim;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Runs that fail and are followed by another attempt, in one transaction with their close. */
abstract class RetriedRunContract extends StoreContract {
    private static final Duration BACK_OFF = Duration.ofMinutes(1);

    private NewRun attempt(Writer failed, int number, Duration backOff) {
        return newRun(failed.run().workflowId())
                .started("{\"attempt\":{\"number\":" + number + "}}")
                .startDelay(backOff)
                .build();
    }

    private NewRun retried(Writer failed, int number, Duration backOff) {
        NewRun next = attempt(failed, number, backOff);
        assertThat(failed.write(failed.step().retriedAs(next))).isEqualTo(APPLIED);
        return next;
    }

    private Instant nextDue() {
        return store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 1, OWNED))
                .nextDue();
    }

    @Test
    void a_failed_run_names_the_next_attempt_which_takes_its_place() {
        RunKey first = started(newRun("order-1").memo("customer", "ann"));
        NewRun second = retried(claimed(first), 2, Duration.ZERO);
        NewRun third = retried(claimed(second.run()), 3, BACK_OFF);

        RunRecord failed = store.run(first.runId()).orElseThrow();
        RunRecord open = store.latestRun("order-1").orElseThrow();
        assertThat(failed.status()).isEqualTo(WorkflowStatus.FAILED);
        assertThat(failed.isRetried()).isTrue();
        assertThat(failed.failure()).isEqualTo("{\"type\":\"Broken\"}");
        assertThat(failed.links())
                .isEqualTo(new RunRecord.Links(first.runId(), null, second.run().runId(), 1));
        assertThat(store.run(second.run().runId()).orElseThrow().links())
                .isEqualTo(new RunRecord.Links(
                        first.runId(), first.runId(), third.run().runId(), 2));
        assertThat(open.run()).isEqualTo(third.run());
        assertThat(open.links())
                .isEqualTo(new RunRecord.Links(first.runId(), second.run().runId(), null, 3));
        assertThat(open.memo()).containsEntry("customer", "ann");
        assertThat(eventTypes(first)).containsExactly("WorkflowStarted", "WorkflowFailed");
        assertThat(eventTypes(third.run())).containsExactly("WorkflowStarted");
        assertThat(store.closed(List.of(first.runId(), third.run().runId())))
                .containsExactly(new ClosedRun(
                        first.runId(),
                        WorkflowStatus.FAILED,
                        null,
                        "{\"type\":\"Broken\"}",
                        third.run().runId()));
    }

    @Test
    void no_message_ends_the_back_off_and_all_of_them_move_along() {
        Writer failed = claimed("order-1");
        signalled(failed.run(), "before");
        NewRun next = retried(failed, 2, BACK_OFF);
        assertThat(deliver("order-1", signal("by id"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(failed.run(), signal("by chain"))).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(claimRuns(session)).isEmpty();
        advance(BACK_OFF.minusSeconds(1));
        assertThat(claimRuns(session)).isEmpty();
        advance(Duration.ofSeconds(2));

        assertThat(claimRuns(session)).extracting(ClaimedRun::run).containsExactly(next.run());
        assertThat(waitingNames(next.run())).containsExactly("before", "by id", "by chain");
    }

    @Test
    void the_next_attempt_is_given_signals_of_this_one_once_and_before_those_that_wait() {
        Writer failed = claimed("order-1");
        signalled(failed.run(), "one");
        signalled(failed.run(), "two");
        List<InboxMessage> fed = waiting(failed.run());
        failed.write(failed.step().consumes(fed.get(0)).consumes(fed.get(1)).staysAwake());
        signalled(failed.run(), "three");
        NewRun next = attempt(failed, 2, BACK_OFF);
        Transition close = failed.step()
                .handsOn(fed.get(0))
                .handsOn(fed.get(1))
                .retriedAs(next)
                .build();

        assertThat(store.commit(List.of(close))).containsExactly(APPLIED);
        assertThat(store.commit(List.of(close))).as("sent again").containsExactly(FENCE_LOST);

        assertThat(waitingNames(next.run())).containsExactly("one", "two", "three");
        assertThat(waiting(next.run()).getFirst().at()).isEqualTo(fed.getFirst().at());
        assertThat(waiting(failed.run())).isEmpty();
        assertThat(claimRuns(session)).isEmpty();
        assertThat(deliver("order-1", fed.getFirst())).isEqualTo(Delivery.Outcome.ACCEPTED);
    }

    @Test
    void a_worker_is_told_when_the_back_off_ends() {
        Instant before = store.now();
        retried(claimed("order-1"), 2, BACK_OFF);

        assertThat(nextDue()).isBetween(before.plus(BACK_OFF), store.now().plus(BACK_OFF));
    }

    @Test
    void a_run_that_has_continued_as_new_begins_its_attempts_anew() {
        NewRun second = retried(claimed("order-1"), 2, Duration.ZERO);
        Writer writer = claimed(second.run());
        NewRun third = newRun("order-1").build();
        writer.write(writer.step().continuesAs(third));

        assertThat(store.latestRun("order-1").orElseThrow().links().attempt()).isEqualTo(1);
    }

    @Test
    void whether_a_retry_was_written_is_read_back() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().retriedAs(attempt(writer, 2, BACK_OFF)).build();
        ReadBack attempt = new ReadBack(writer.run(), step.fences().next(), step.nextEventId());
        assertThat(store.readBack(List.of(attempt))).containsExactly(ReadBack.Outcome.NOT_HAPPENED);

        store.commit(List.of(step));

        assertThat(store.readBack(List.of(attempt))).containsExactly(ReadBack.Outcome.HAPPENED);
        assertThat(store.commit(List.of(step))).containsExactly(FENCE_LOST);
    }

    @Test
    void an_attempt_that_waits_can_be_terminated_and_refuses_another_start() {
        RunKey first = started("order-1");
        NewRun next = retried(claimed(first), 2, BACK_OFF);

        assertThat(start(newRun("order-1"))).isInstanceOf(StartOutcome.AlreadyOpen.class);
        assertThat(store.seize(Seizures.terminate(first))).contains(next.run());
        assertThat(store.latestRun("order-1").orElseThrow().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(store.run(first.runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.FAILED);
    }

    @Test
    void listings_have_failed_attempts_only_where_their_workflow_id_is_asked_for() {
        RunKey first = started("order-1");
        NewRun next = retried(claimed(first), 2, Duration.ZERO);
        Writer last = claimed(next.run());
        Set<WorkflowStatus> failed = Set.of(WorkflowStatus.FAILED);

        assertThat(store.views().runs(RunFilter.ALL, 9))
                .extracting(RunRecord::run)
                .containsExactly(next.run());
        assertThat(store.views().runs(RunFilter.ALL.statuses(failed), 9)).isEmpty();
        assertThat(store.views().runs(RunFilter.ALL.workflowId("order-1"), 9)).hasSize(2);
        assertThat(store.views().tally(RunFilter.ALL)).isEqualTo(Map.of(WorkflowStatus.RUNNING, 1L));

        last.write(last.step().closes(WorkflowStatus.FAILED));

        assertThat(store.views().runs(RunFilter.ALL.statuses(failed), 9))
                .extracting(RunRecord::run)
                .containsExactly(next.run());
        assertThat(store.views().count(RunFilter.ALL)).isEqualTo(1);
        assertThat(store.views().runs(RunFilter.ALL.closedAfter(Instant.EPOCH), 9))
                .extracting(RunRecord::run)
                .containsExactly(next.run());
    }

    @Test
    void runs_that_go_on_end_continue_and_are_retried_are_written_in_one_batch() {
        Writer goes = claimed("order-1");
        Writer ends = claimed("order-2");
        Writer continues = claimed("order-3");
        Writer fails = claimed("order-4");
        signalled(fails.run(), "waits");
        NewRun next = newRun("order-3").build();
        NewRun again = attempt(fails, 2, BACK_OFF);

        assertThat(store.commit(List.of(
                        goes.step().schedules(1).build(),
                        ends.closing().build(),
                        continues.step().continuesAs(next).build(),
                        fails.step().retriedAs(again).build())))
                .containsExactly(APPLIED, APPLIED, APPLIED, APPLIED);

        assertThat(waitingNames(again.run())).containsExactly("waits");
        assertThat(claimRuns(session)).extracting(ClaimedRun::run).containsExactly(next.run());
    }
}
