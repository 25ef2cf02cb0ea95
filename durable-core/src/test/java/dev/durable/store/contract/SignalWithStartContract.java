package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A signal that goes to the open run of a workflow id, or into a new one, by one commit. */
abstract class SignalWithStartContract extends StoreContract {

    @Test
    void where_no_run_is_open_one_is_started_with_the_signal_in_its_inbox() {
        NewRunBuilder run = newRun("order-1").tells(signal("approve"));

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(false));
        assertThat(waitingNames(run.key())).containsExactly("approve");
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void where_a_run_is_open_the_signal_goes_into_its_inbox_and_nothing_is_started() {
        Writer open = parked("order-1");
        NewRunBuilder other = newRun("order-1").tells(signal("approve"));

        assertThat(start(other)).isEqualTo(taken(open.run()));
        assertThat(waitingNames(open.run())).containsExactly("approve");
        assertThat(store.run(other.key().runId())).isEmpty();
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_closed_run_is_followed_by_a_new_one_with_the_signal() {
        terminated(started("order-1"));
        NewRunBuilder next = newRun("order-1").tells(signal("approve"));

        assertThat(start(next)).isEqualTo(new StartOutcome.Started(false));
        assertThat(waitingNames(next.key())).containsExactly("approve");
    }

    @Test
    void a_reuse_policy_refuses_the_start_and_the_signal_with_it() {
        RunKey closed = started("order-1");
        terminated(closed);

        assertThat(start(newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).tells(signal("approve"))))
                .isEqualTo(new StartOutcome.Refused(closed.runId(), WorkflowStatus.TERMINATED));
    }

    @Test
    void a_reuse_policy_does_not_concern_a_run_that_is_open() {
        RunKey open = started("order-1");

        assertThat(start(newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).tells(signal("approve"))))
                .isEqualTo(taken(open));
        assertThat(waitingNames(open)).containsExactly("approve");
    }

    @Test
    void a_run_of_another_type_is_told_nothing() {
        RunKey open = started("order-1");

        assertThat(start(newRun("order-1").type("Shipping").tells(signal("approve"))))
                .isEqualTo(new StartOutcome.AlreadyOpen(open.runId(), TYPE, null));
        assertThat(waiting(open)).isEmpty();
    }

    @Test
    void a_run_under_a_former_name_of_the_type_is_of_the_same_type() {
        RunKey open = started("order-1");

        assertThat(start(newRun("order-1")
                        .type("RenamedWorkflow")
                        .formerTypes(TYPE)
                        .tells(signal("approve"))))
                .isEqualTo(taken(open));
        assertThat(waitingNames(open)).containsExactly("approve");
    }

    @Test
    void a_run_that_is_about_to_close_takes_no_signal() {
        Writer writer = claimed("order-1");
        deliver(writer.run(), signal("first"));
        assertThat(writer.write(writer.closing().byForce())).isEqualTo(Transition.Outcome.CLOSE_REFUSED);

        assertThat(start(newRun("order-1").tells(signal("approve"))))
                .isEqualTo(new StartOutcome.AlreadyOpen(writer.run().runId(), TYPE, Delivery.Outcome.CLOSING));
        assertThat(waitingNames(writer.run())).containsExactly("first");
    }

    @Test
    void a_full_inbox_takes_no_signal() {
        RunKey open = started("order-1");
        IntStream.range(0, fixture.inboxLimit().messages()).forEach(i -> deliver(open, signal("s" + i)));

        assertThat(start(newRun("order-1").tells(signal("approve"))))
                .isEqualTo(new StartOutcome.AlreadyOpen(open.runId(), TYPE, Delivery.Outcome.INBOX_FULL));
    }

    @Test
    void an_inbox_of_many_bytes_takes_no_signal() {
        RunKey open = started("order-1");
        deliver(open, signal("large", text((int) fixture.inboxLimit().bytes())));

        assertThat(start(newRun("order-1").tells(signal("approve"))))
                .isEqualTo(new StartOutcome.AlreadyOpen(open.runId(), TYPE, Delivery.Outcome.INBOX_TOO_LARGE));
    }

    @Test
    void two_of_one_workflow_id_in_a_batch_give_one_run_with_both_signals_in_their_order() {
        NewRunBuilder first = newRun("order-1").tells(signal("a"));
        NewRunBuilder second = newRun("order-1").tells(signal("b"));
        NewRunBuilder third = newRun("order-1").tells(signal("c"));

        assertThat(store.start(List.of(first.build(), second.build(), third.build())))
                .containsExactly(new StartOutcome.Started(false), taken(first.key()), taken(first.key()));
        assertThat(waitingNames(first.key())).containsExactly("a", "b", "c");
    }

    @Test
    void behind_those_that_a_policy_refuses_the_next_of_the_workflow_id_starts_and_the_rest_tells_it() {
        RunKey closed = started("order-1");
        terminated(closed);
        StartOutcome refused = new StartOutcome.Refused(closed.runId(), WorkflowStatus.TERMINATED);
        NewRunBuilder starts = newRun("order-1").tells(signal("c"));

        assertThat(store.start(List.of(
                        rejecting("a"),
                        rejecting("b"),
                        starts.build(),
                        rejecting("d"),
                        newRun("order-1").tells(signal("e")).build())))
                .containsExactly(
                        refused, refused, new StartOutcome.Started(false), taken(starts.key()), taken(starts.key()));
        assertThat(waitingNames(starts.key())).containsExactly("c", "d", "e");
    }

    private NewRun rejecting(String name) {
        return newRun("order-1")
                .reuse(ReusePolicy.REJECT_DUPLICATE)
                .tells(signal(name))
                .build();
    }

    @Test
    void neighbours_in_a_batch_have_their_own_outcomes() {
        RunKey open = started("order-1");
        RunKey other = started(newRun("order-2").type("Shipping"));
        terminated(started("order-3"));
        NewRunBuilder fresh = newRun("order-4");
        NewRunBuilder told = newRun("order-5").tells(signal("e"));

        assertThat(store.start(List.of(
                        newRun("order-1").tells(signal("a")).build(),
                        newRun("order-2").tells(signal("b")).build(),
                        newRun("order-3")
                                .reuse(ReusePolicy.REJECT_DUPLICATE)
                                .tells(signal("c"))
                                .build(),
                        fresh.build(),
                        told.build(),
                        newRun("order-1").build())))
                .satisfiesExactly(
                        o -> assertThat(o).isEqualTo(taken(open)),
                        o -> assertThat(o).isEqualTo(new StartOutcome.AlreadyOpen(other.runId(), "Shipping", null)),
                        o -> assertThat(o).isInstanceOf(StartOutcome.Refused.class),
                        o -> assertThat(o).isEqualTo(new StartOutcome.Started(false)),
                        o -> assertThat(o).isEqualTo(new StartOutcome.Started(false)),
                        o -> assertThat(o).isEqualTo(new StartOutcome.AlreadyOpen(open.runId(), TYPE, null)));
        assertThat(waitingNames(open)).containsExactly("a");
        assertThat(waiting(other)).isEmpty();
        assertThat(waiting(fresh.key())).isEmpty();
        assertThat(waitingNames(told.key())).containsExactly("e");
    }

    // ── resends ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void one_that_started_a_run_and_is_sent_again_changes_nothing() {
        NewRunBuilder run = newRun("order-1").tells(signal("approve"));
        start(run);

        assertThat(start(run)).isEqualTo(new StartOutcome.Started(true));
        assertThat(waitingNames(run.key())).containsExactly("approve");
    }

    @Test
    void one_that_is_sent_again_while_its_signal_waits_changes_nothing() {
        RunKey open = started("order-1");
        NewRunBuilder told = newRun("order-1").tells(signal("approve"));
        start(told);

        assertThat(start(told)).isEqualTo(taken(open));
        assertThat(waitingNames(open)).containsExactly("approve");
    }

    @Test
    void one_that_is_sent_again_after_the_open_run_took_its_signal_and_closed_starts_nothing() {
        for (ReusePolicy policy : ReusePolicy.values()) {
            String id = "order-" + policy;
            Writer open = claimed(id);
            NewRunBuilder told = newRun(id).reuse(policy).tells(signal("approve"));
            start(told);
            closeWith(open);

            assertThat(start(told)).isEqualTo(taken(open.run()));
            assertThat(store.latestRun(id).orElseThrow().run()).isEqualTo(open.run());
        }
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void behind_those_that_are_sent_again_after_a_closed_run_took_them_the_next_starts() {
        Writer open = claimed("order-1");
        NewRun first = newRun("order-1").tells(signal("a")).build();
        NewRun second = newRun("order-1").tells(signal("b")).build();
        store.start(List.of(first, second));
        closeWith(open);
        NewRunBuilder next = newRun("order-1").tells(signal("c"));

        assertThat(store.start(List.of(first, second, next.build())))
                .containsExactly(taken(open.run()), taken(open.run()), new StartOutcome.Started(false));
        assertThat(waitingNames(next.key())).containsExactly("c");
    }

    @Test
    void one_that_is_sent_again_after_another_run_was_started_meanwhile_does_not_tell_that_one() {
        Writer open = claimed("order-1");
        NewRunBuilder told = newRun("order-1").tells(signal("approve"));
        start(told);
        closeWith(open);
        closeWith(claimed("order-1"));
        RunKey next = started("order-1");

        assertThat(start(told)).isEqualTo(taken(open.run()));
        assertThat(waiting(next)).isEmpty();
    }

    @Test
    void one_whose_update_the_open_run_has_rejected_is_neither_judged_again_nor_starts_a_run() {
        Writer open = claimed("order-1");
        InboxMessage update = new InboxMessage(UUID.randomUUID(), MessageKind.UPDATE, "confirm", "{}", null, null);
        NewRunBuilder told = newRun("order-1").tells(update);
        start(told);
        assertThat(open.write(
                        open.step().drops(update).replies(new Reply(update.messageId(), Reply.Kind.REJECTED, "{}"))))
                .isEqualTo(Transition.Outcome.APPLIED);

        assertThat(start(told)).isEqualTo(taken(open.run()));
        assertThat(waiting(open.run())).as("in the run that has rejected it").isEmpty();

        NewRun next = newRun("order-1").build();
        assertThat(open.write(open.step().continuesAs(next))).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(start(told)).isEqualTo(taken(open.run()));
        assertThat(waiting(next.run())).as("in the next of the chain").isEmpty();

        terminated(next.run());
        assertThat(start(told)).isEqualTo(taken(open.run()));
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(next.run());
    }

    // ── races ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void racing_signals_with_starts_of_one_workflow_id_give_one_run_with_all_of_them() throws Exception {
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> "order-" + i).toList();

        List<List<StartOutcome>> outcomes = Race.run(thread -> {
            List<NewRun> batch = new ArrayList<>();
            Race.shuffled(ids, thread)
                    .forEach(id ->
                            batch.add(newRun(id).tells(signal("s" + thread)).build()));
            return store.start(batch);
        });

        List<StartOutcome> all = outcomes.stream().flatMap(List::stream).toList();
        assertThat(all).filteredOn(new StartOutcome.Started(false)::equals).hasSize(ids.size());
        assertThat(all).filteredOn(SignalWithStartContract::isTaken).hasSize((Race.THREADS - 1) * ids.size());
        for (String id : ids) {
            assertThat(waiting(store.latestRun(id).orElseThrow().run())).hasSize(Race.THREADS);
        }
    }

    /** Each run closes as soon as it has seen a few signals, whatever others send it at that moment. */
    @Test
    void what_is_acknowledged_is_seen_by_exactly_one_run_while_runs_close_all_the_time() throws Exception {
        int ids = 5;
        int closers = 2;
        int senders = 6;
        int each = 60;
        Queue<UUID> acknowledged = new ConcurrentLinkedQueue<>();
        Set<RunKey> runs = ConcurrentHashMap.newKeySet();
        AtomicInteger sending = new AtomicInteger(senders);

        Race.run(closers + senders, thread -> {
            if (thread < closers) {
                UUID worker = openSession();
                Race.until(
                        () -> sending.get() == 0 && !anyWaits(runs),
                        () -> claimRuns(worker, 3).forEach(claim -> {
                            runs.add(claim.run());
                            closeAfter(2 + thread, writer(claim));
                        }));
            } else {
                for (int i = 0; i < each; i++) {
                    acknowledged.add(send("order-" + (thread + i) % ids, runs));
                }
                sending.decrementAndGet();
            }
            return null;
        });

        List<UUID> seen = runs.stream()
                .flatMap(run -> history(run).stream())
                .map(StoredEvent::messageId)
                .filter(Objects::nonNull)
                .toList();
        assertThat(acknowledged).hasSize(senders * each);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(acknowledged);
        assertThat(runs).hasSizeGreaterThan(ids);
    }

    /** Sent as a client and its lane do: again until it is taken, now and then as if the answer had been lost. */
    private UUID send(String id, Set<RunKey> runs) {
        InboxMessage message = signal("s");
        List<StartOutcome> last = new ArrayList<>();
        Race.until(() -> last.stream().anyMatch(o -> o instanceof StartOutcome.Started || isTaken(o)), () -> {
            NewRun start = newRun(id).tells(message).build();
            last.add(store.start(List.of(start)).getFirst());
            if (message.messageId().hashCode() % 3 == 0) {
                last.add(store.start(List.of(start)).getFirst());
            }
        });
        last.forEach(outcome -> {
            if (outcome instanceof StartOutcome.AlreadyOpen open) {
                runs.add(new RunKey(open.runId(), id));
            }
        });
        runs.add(store.latestRun(id).orElseThrow().run());
        return message.messageId();
    }

    private boolean anyWaits(Set<RunKey> runs) {
        return !store.messages(runs, 1).isEmpty();
    }

    /** As a worker does: everything that waits is fed; who has seen enough closes, over what it has read. */
    private void closeAfter(int signals, Writer writer) {
        for (int i = 0; i < 50 && store.closed(List.of(writer.run().runId())).isEmpty(); i++) {
            List<UUID> known = history(writer.run()).stream()
                    .map(StoredEvent::messageId)
                    .filter(Objects::nonNull)
                    .toList();
            List<InboxMessage> waiting = waiting(writer.run());
            boolean enough = known.size() + waiting.size() >= signals;
            StepBuilder step = writer.step();
            waiting.forEach(message -> {
                if (known.contains(message.messageId())) {
                    step.drops(message);
                } else {
                    step.consumes(message);
                }
            });
            Transition.Outcome outcome = writer.write(enough ? step.closes(WorkflowStatus.COMPLETED) : step);
            if (outcome == Transition.Outcome.APPLIED && !enough || outcome == Transition.Outcome.FENCE_LOST) {
                return;
            }
        }
    }

    private static boolean isTaken(StartOutcome outcome) {
        return outcome instanceof StartOutcome.AlreadyOpen open && open.message() == Delivery.Outcome.ACCEPTED;
    }

    private static StartOutcome taken(RunKey by) {
        return new StartOutcome.AlreadyOpen(by.runId(), TYPE, Delivery.Outcome.ACCEPTED);
    }

    private void closeWith(Writer writer) {
        StepBuilder close = writer.closing();
        waiting(writer.run()).forEach(close::consumes);
        assertThat(writer.write(close)).isEqualTo(Transition.Outcome.APPLIED);
    }
}
