package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.CLOSE_REFUSED;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityAbandoned;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClosedRun;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Runs that another run continues, in one transaction with their close. */
abstract class ContinuationContract extends StoreContract {
    private NewRunBuilder next(Writer writer) {
        return newRun(writer.run().workflowId());
    }

    private Writer writerOf(NewRun run) {
        return new Writer(store, run.run(), run.fence(), 2);
    }

    private NewRun continued(Writer writer) {
        NewRun next = next(writer).build();
        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);
        return next;
    }

    @Test
    void the_next_run_takes_the_place_of_the_closed_one() {
        RunKey first = started(newRun("order-1").memo("customer", "ann"));
        Writer writer = claimed(first);
        NewRun next =
                next(writer).type("Other").deadline(store.now().plusSeconds(60)).build();

        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);

        RunRecord closed = store.run(first.runId()).orElseThrow();
        RunRecord open = store.latestRun("order-1").orElseThrow();
        assertThat(closed.status()).isEqualTo(WorkflowStatus.CONTINUED_AS_NEW);
        assertThat(closed.links())
                .isEqualTo(new RunRecord.Links(first.runId(), null, next.run().runId(), 1));
        assertThat(open.run()).isEqualTo(next.run());
        assertThat(open.links()).isEqualTo(new RunRecord.Links(first.runId(), first.runId(), null, 1));
        assertThat(open.status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(open.type()).isEqualTo("Other");
        assertThat(open.memo()).containsEntry("customer", "ann");
        assertThat(open.startedAt()).isAfter(closed.startedAt());
        assertThat(eventTypes(first)).containsExactly("WorkflowStarted", "WorkflowContinuedAsNew");
        assertThat(eventTypes(next.run())).containsExactly("WorkflowStarted");
        assertThat(store.closed(List.of(first.runId(), next.run().runId())))
                .containsExactly(new ClosedRun(
                        first.runId(),
                        WorkflowStatus.CONTINUED_AS_NEW,
                        null,
                        null,
                        next.run().runId()));
    }

    @Test
    void a_start_takes_no_run_that_is_asked_to_cancel_and_takes_one_with_other_messages_along() {
        NewRunBuilder waits = newRun("order-1");
        RunKey run = started(waits.fenced(waits.key().runId()).startDelay(Duration.ofHours(1)));
        Writer writer = new Writer(store, run, run.runId(), 2);
        NewRun start = newRun("order-1").build();
        signalled(run, "urge");
        InboxMessage cancel = new InboxMessage(UUID.randomUUID(), MessageKind.CANCEL, "cancel", "{}", null, null);
        assertThat(deliver(run, cancel)).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(writer.write(writer.step().continuesAs(start))).isEqualTo(CLOSE_REFUSED);
        assertThat(waitingNames(run)).containsExactly("urge", "cancel");
        assertThat(eventTypes(run)).containsExactly("WorkflowStarted");

        RunKey other = started(newRun("order-2"));
        signalled(other, "urge");
        Writer claimed = claimed(other);
        assertThat(deliver(other, cancel)).isEqualTo(Delivery.Outcome.ACCEPTED);
        NewRun next = newRun("order-2").build();
        assertThat(claimed.write(claimed.step().continuesAs(next)))
                .as("by the code of a run")
                .isEqualTo(APPLIED);
        assertThat(waitingNames(next.run())).containsExactly("urge", "cancel");
    }

    @Test
    void the_next_run_is_due_at_once() {
        NewRun next = continued(claimed("order-1"));

        ClaimedRun claim = claimRuns(session).getFirst();

        assertThat(claim.run()).isEqualTo(next.run());
        assertThat(claim.nextEventId()).isEqualTo(2);
    }

    @Test
    void messages_of_senders_move_along_and_outcomes_of_activities_do_not() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2));
        ClaimedJob done = claimJobs(session, 1).getFirst();
        update(completed(done));
        InboxMessage seen = signalled(writer.run(), "seen");
        for (int i = 0; i < 20; i++) {
            signalled(writer.run(), "waits-" + i);
        }

        NewRun next = next(writer).build();
        assertThat(writer.write(writer.step().consumes(seen).continuesAs(next))).isEqualTo(APPLIED);

        assertThat(waitingNames(next.run()))
                .hasSize(20)
                .startsWith("waits-0", "waits-1")
                .endsWith("waits-19");
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(jobStates(next.run())).isEmpty();
        assertThat(claimJobs(session, 9)).isEmpty();
    }

    @Test
    void the_history_tells_of_an_outcome_that_the_next_run_is_not_given() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).schedules(2));
        List<ClaimedJob> done = claimJobs(session, 2);
        done.forEach(job -> update(completed(job)));
        InboxMessage fed = waiting(writer.run()).getFirst();

        assertThat(writer.write(
                        writer.step().consumes(fed).continuesAs(next(writer).build())))
                .isEqualTo(APPLIED);

        assertThat(eventTypes(writer.run())).endsWith("ActivityAbandoned", "WorkflowContinuedAsNew");
        assertThat(history(writer.run()))
                .filteredOn(event -> event.type().equals("ActivityAbandoned"))
                .extracting(EventJson::decode)
                .singleElement(as(type(ActivityAbandoned.class)))
                .satisfies(left -> {
                    assertThat(left.seq()).isIn(1, 2);
                    assertThat(left.outcome()).isNotNull();
                    assertThat(left.outcome().json()).contains("ActivityCompleted");
                });
    }

    @Test
    void a_chain_is_reached_by_its_workflow_id_and_by_its_first_run_but_a_later_run_by_its_own_id_alone() {
        RunKey first = started("order-1");
        NewRun second = continued(claimed(first));
        NewRun third = continued(claimed(second.run()));

        assertThat(deliver("order-1", signal("by id"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(first, signal("by chain"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(second.run(), signal("by a closed run"))).isEqualTo(Delivery.Outcome.NOT_FOUND);
        assertThat(deliver(third.run(), signal("by run"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(waitingNames(third.run())).containsExactly("by id", "by chain", "by run");
        assertThat(start(newRun("order-1")))
                .isInstanceOfSatisfying(
                        StartOutcome.AlreadyOpen.class,
                        open -> assertThat(open.runId()).isEqualTo(first.runId()));
        assertThat(store.seize(Seizures.terminate(first))).contains(third.run());
        assertThat(store.latestRun("order-1").orElseThrow().status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_message_that_a_later_run_of_a_closed_chain_has_consumed_is_known_when_it_is_sent_again() {
        RunKey first = started("order-1");
        Writer second = writerOf(continued(claimed(first)));
        InboxMessage message = signalled(first, "approve");
        second.write(second.step().consumes(message));
        second.write(second.closing());

        assertThat(deliver(first, message)).as("to the chain").isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver("order-1", message)).as("to the workflow id").isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(second.run(), message)).as("to the run").isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(first, signal("approve"))).as("another").isEqualTo(Delivery.Outcome.NOT_FOUND);
    }

    @Test
    void the_first_start_sent_again_is_known_in_every_later_run() {
        NewRunBuilder start = newRun("order-1");
        RunKey first = started(start);
        continued(claimed(first));

        assertThat(start(start)).isEqualTo(new StartOutcome.Started(true));
    }

    @Test
    void a_delay_of_the_next_run_is_ended_by_a_message() {
        Writer writer = claimed("order-1");
        NewRun next = next(writer).startDelay(Duration.ofHours(1)).build();
        writer.write(writer.step().continuesAs(next));
        assertThat(claimRuns(session)).isEmpty();

        deliver("order-1", signal("now"));

        assertThat(claimRuns(session)).extracting(ClaimedRun::run).containsExactly(next.run());
    }

    @Test
    void whether_a_continuation_was_written_is_read_back() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().continuesAs(next(writer).build()).build();
        ReadBack attempt = new ReadBack(writer.run(), step.fences().next(), step.nextEventId());
        assertThat(store.readBack(List.of(attempt))).containsExactly(ReadBack.Outcome.NOT_HAPPENED);

        store.commit(List.of(step));

        assertThat(store.readBack(List.of(attempt))).containsExactly(ReadBack.Outcome.HAPPENED);
        assertThat(store.commit(List.of(step))).containsExactly(FENCE_LOST);
    }

    @Test
    void answers_of_all_runs_of_a_chain_are_found_under_it() {
        RunKey first = started("order-1");
        Writer writer = claimed(first);
        UUID answer = Reply.idOf("u-1");
        NewRun next = next(writer).build();
        writer.write(writer.step()
                .event("UpdateAccepted", "{\"updateId\":\"u-1\"}")
                .event("UpdateCompleted", "{\"updateId\":\"u-1\"}")
                .replies(new Reply(answer, Reply.Kind.COMPLETED, "1"))
                .continuesAs(next));
        InboxMessage later = new InboxMessage(
                UUID.randomUUID(), dev.durable.history.MessageKind.UPDATE, "redirect", "{}", null, null);
        deliver(first, later);

        assertThat(store.replies(List.of(
                        new Reply.Question(first, UUID.randomUUID(), answer),
                        new Reply.Question(first, later.messageId(), Reply.idOf("u-2")))))
                .extracting(state -> state.reply() != null, Reply.State::waits, Reply.State::open)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(true, false, true),
                        org.assertj.core.groups.Tuple.tuple(false, true, true));
    }

    @Test
    void runs_that_go_on_end_and_continue_are_written_in_one_batch() {
        Writer goes = claimed("order-1");
        Writer ends = claimed("order-2");
        Writer continues = claimed("order-3");
        signalled(continues.run(), "waits");
        NewRun next = next(continues).build();

        assertThat(store.commit(List.of(
                        goes.step().schedules(1).build(),
                        ends.closing().build(),
                        continues.step().continuesAs(next).build())))
                .containsExactly(APPLIED, APPLIED, APPLIED);

        assertThat(waitingNames(next.run())).containsExactly("waits");
        assertThat(store.run(ends.run().runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(jobStates(goes.run())).hasSize(1);
    }

    @Test
    void no_message_is_lost_doubled_or_refused_while_a_run_continues_as_new_again_and_again() throws Exception {
        int links = 30;
        int each = 40;
        RunKey first = started("order-1");
        Queue<UUID> acknowledged = new ConcurrentLinkedQueue<>();
        AtomicInteger senders = new AtomicInteger(Race.THREADS - 1);
        List<UUID> handled = new ArrayList<>();

        Race.run(thread -> {
            if (thread == 0) {
                Writer writer = claimed(first);
                for (int link = 0; link < links || senders.get() > 0; link++) {
                    StepBuilder step = writer.step();
                    for (InboxMessage message : waiting(writer.run())) {
                        step.consumes(message);
                        handled.add(message.messageId());
                    }
                    NewRun next = next(writer).build();
                    assertThat(writer.write(step.continuesAs(next))).isEqualTo(APPLIED);
                    writer = writerOf(next);
                }
                for (InboxMessage message : waiting(writer.run())) {
                    handled.add(message.messageId());
                }
                return null;
            }
            try {
                for (int i = 0; i < each; i++) {
                    InboxMessage message = signal("m");
                    Delivery.Outcome outcome = i % 2 == 0 ? deliver("order-1", message) : deliver(first, message);
                    while (outcome == Delivery.Outcome.LOCKED || outcome == Delivery.Outcome.INBOX_FULL) {
                        outcome = deliver("order-1", message);
                    }
                    assertThat(outcome).isEqualTo(Delivery.Outcome.ACCEPTED);
                    acknowledged.add(message.messageId());
                }
            } finally {
                senders.decrementAndGet();
            }
            return null;
        });

        assertThat(handled).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    @Test
    void the_run_timeout_of_the_next_run_is_its_own() {
        Writer writer = claimed("order-1");
        Instant deadline = store.now().plus(Duration.ofMinutes(1));
        continued(writer);
        assertThat(store.expiredRuns(10)).isEmpty();
        Writer second = writerOf(
                continuedUntil(claimed(store.latestRun("order-1").orElseThrow().run()), deadline));
        advance(Duration.ofMinutes(2));

        assertThat(store.expiredRuns(10))
                .extracting(RunKey::runId)
                .containsExactly(second.run().runId());
    }

    private NewRun continuedUntil(Writer writer, Instant deadline) {
        NewRun next = next(writer).deadline(deadline).build();
        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);
        return next;
    }
}
