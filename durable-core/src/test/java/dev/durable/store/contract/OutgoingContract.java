package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.engine.LogCapture;
import dev.durable.store.Delivery;
import dev.durable.store.Nudges;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The messages that the code of runs sends to workflows: written with the transition, delivered by the relay. */
abstract class OutgoingContract extends StoreContract {

    /** The next turn of a run, which a signal begins. */
    private StepBuilder turn(Writer writer) {
        return writer.step().consumes(signalled(writer.run(), "go on"));
    }

    @Test
    void a_message_waits_for_the_relay_from_the_commit_on_and_is_delivered_once() {
        RunKey target = started("target");
        Writer source = claimed("source");
        write(source, source.step().sends(1, "target", "a"));

        assertThat(waiting(target)).isEmpty();
        assertThat(store.outboxSince()).isPresent();
        assertThat(store.relay(100).delivered()).isOne();
        assertThat(store.relay(100).delivered()).isZero();
        assertThat(waiting(target))
                .singleElement()
                .returns("a", InboxMessage::name)
                .returns(MessageKind.SIGNAL, InboxMessage::kind)
                .returns(OutgoingMessage.messageId(source.run().runId(), 1), InboxMessage::messageId);
        assertThat(store.outboxSince()).isEmpty();
    }

    @Test
    void messages_of_one_run_to_one_target_arrive_in_their_order() {
        RunKey target = started("target");
        RunKey other = started("other");
        Writer source = claimed("source");
        write(
                source,
                source.step().sends(1, "target", "a").sends(2, "other", "x").sends(3, "target", "b"));
        write(source, turn(source).sends(4, "target", "c"));

        while (store.relay(1).gone() > 0) {
            assertThat(List.of("a", "b", "c")).startsWith(waitingNames(target).toArray(new String[0]));
        }
        assertThat(waitingNames(target)).containsExactly("a", "b", "c");
        assertThat(waitingNames(other)).containsExactly("x");
    }

    @Test
    void a_transition_that_is_not_written_sends_nothing() {
        RunKey target = started("target");
        Writer source = claimed("source");
        Writer zombie = source.zombie();
        write(source, source.step().event("SideEffectRecorded", "{\"value\":1}"));

        assertThat(zombie.write(zombie.step().sends(1, "target", "a"))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(store.relay(100).gone()).isZero();
        assertThat(waiting(target)).isEmpty();
    }

    @Test
    void the_messages_of_a_batch_are_sent_but_those_of_its_stale_transitions() {
        RunKey target = started("target");
        Writer stale = claimed("stale").zombie();
        Writer good = claimed("good");
        Writer closing = claimed("closing");
        store.seize(Seizures.terminate(stale.run()));

        List<Transition> batch = List.of(
                stale.step().sends(1, "target", "stale").build(),
                good.step().sends(1, "target", "good").build(),
                closing.closing().sends(1, "target", "closing").build());
        assertThat(store.commit(batch))
                .containsExactly(Transition.Outcome.FENCE_LOST, Transition.Outcome.APPLIED, Transition.Outcome.APPLIED);
        store.relay(100);
        assertThat(waitingNames(target)).containsExactlyInAnyOrder("good", "closing");
    }

    @Test
    void a_batch_in_which_all_go_on_and_one_in_which_all_close_send_their_messages() {
        RunKey target = started("target");
        List<Writer> writers =
                IntStream.range(0, 3).mapToObj(i -> claimed("source-" + i)).toList();
        List<Transition> steps = writers.stream()
                .map(writer -> writer.step().sends(1, "target", "step").build())
                .toList();
        List<Transition.Outcome> outcomes = store.commit(steps);
        IntStream.range(0, 3).forEach(i -> writers.get(i).wrote(steps.get(i), outcomes.get(i)));
        assertThat(store.commit(writers.stream()
                        .map(writer -> turn(writer)
                                .sends(2, "target", "end")
                                .closes(WorkflowStatus.COMPLETED)
                                .build())
                        .toList()))
                .containsOnly(Transition.Outcome.APPLIED);
        store.relay(100);
        assertThat(waitingNames(target)).hasSize(6).containsOnly("step", "end");
    }

    @Test
    void a_run_that_closes_leaves_its_messages_to_the_relay() {
        RunKey target = started("target");
        Writer source = claimed("source");
        write(source, source.step().sends(1, "target", "a").closes(WorkflowStatus.COMPLETED));

        store.relay(100);
        assertThat(waitingNames(target)).containsExactly("a");
    }

    @Test
    void a_message_to_a_workflow_that_is_not_there_or_has_ended_is_dropped_and_keeps_no_other() {
        RunKey target = started("target");
        RunKey ended = started("ended");
        Writer source = claimed("source");
        write(
                source,
                source.step().sends(1, "nobody", "a").sends(2, "ended", "b").sends(3, "target", "c"));
        terminated(ended);

        try (LogCapture log = LogCapture.named("dev.durable.store")) {
            assertThat(store.relay(100).gone()).isEqualTo(3);
            assertThat(log.messages())
                    .containsOnlyOnce(
                            "SIGNAL a of workflow source to workflow nobody is dropped: at its delivery there was no open run"
                                    + " to take it. The code that sent it by Durable.external(…) is not told. Usual cause: the"
                                    + " target had ended, or was not started yet.")
                    .anyMatch(line -> line.startsWith("SIGNAL b of workflow source to workflow ended is dropped"));
        }
        assertThat(waitingNames(target)).containsExactly("c");
        started("nobody");
        assertThat(store.relay(100).gone()).isZero();
    }

    @Test
    void a_message_goes_to_the_run_that_is_open_at_its_delivery() {
        RunKey first = started("target");
        Writer source = claimed("source");
        write(source, source.step().sends(1, "target", "a"));
        terminated(first);
        RunKey second = started("target");

        store.relay(100);
        assertThat(waitingNames(second)).containsExactly("a");
    }

    @Test
    void a_paused_target_gets_its_messages() {
        RunKey target = started("target");
        Writer source = claimed("source");
        assertThat(store.pause(new RunPause(
                        "target", null, true, UUID.randomUUID(), "WorkflowPaused", "{\"informing\":true}", "ann")))
                .isTrue();
        write(source, source.step().sends(1, "target", "a"));

        store.relay(100);
        assertThat(waitingNames(target)).containsExactly("a");
    }

    @Test
    void a_target_that_takes_nothing_keeps_its_messages_waiting_and_no_others() {
        Writer source = claimed("source");
        Writer reader = parked("full");
        RunKey full = reader.run();
        RunKey target = started("target");
        int limit = fixture.inboxLimit().messages();
        IntStream.range(0, limit).forEach(i -> signalled(full, "s" + i));
        write(
                source,
                source.step().sends(1, "full", "a").sends(2, "target", "b").sends(3, "full", "c"));

        store.relay(100);
        assertThat(waitingNames(target)).containsExactly("b");
        assertThat(store.outboxSince()).isPresent();

        StepBuilder consuming = reader.step();
        waiting(full).forEach(consuming::consumes);
        write(reader, consuming);
        while (store.relay(100).gone() > 0) {}
        assertThat(waitingNames(full)).containsExactly("a", "c");
    }

    @Test
    void a_request_to_cancel_arrives_as_one_of_the_workflow_that_asks() {
        RunKey target = started("target");
        Writer source = claimed("source");
        write(source, source.step().sendsCancel(1, "target"));

        store.relay(100);
        assertThat(waiting(target))
                .singleElement()
                .returns(MessageKind.CANCEL, InboxMessage::kind)
                .satisfies(message -> assertThat(message.payload()).contains("workflow source"));
    }

    @Test
    void a_message_to_itself_waits_in_the_runs_own_inbox_from_the_commit_on_and_refuses_its_close() {
        Writer source = claimed("source");
        assertThat(source.write(source.step().sends(1, "source", "a"))).isEqualTo(Transition.Outcome.APPLIED_MORE);

        assertThat(store.outboxSince()).isEmpty();
        assertThat(waitingNames(source.run())).containsExactly("a");
        assertThat(source.write(source.closing())).isEqualTo(Transition.Outcome.CLOSE_REFUSED);
        InboxMessage message = waiting(source.run()).getFirst();
        assertThat(source.write(source.step().consumes(message).closes(WorkflowStatus.COMPLETED)))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void a_run_that_sends_itself_a_message_goes_on_with_its_owner_or_is_due_for_others() {
        Writer source = claimed("source");
        write(source, source.step().sends(1, "source", "a"));

        assertThat(claimRuns(openSession())).as("its owner goes on").isEmpty();
        advance(OWNED.plusSeconds(1));
        assertThat(claimedIds(openSession())).containsExactly("source");
    }

    @Test
    void a_transition_that_closes_a_run_can_not_send_it_a_message() {
        Writer source = claimed("source");

        assertThatThrownBy(() -> source.closing().sends(1, "source", "a").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sends a message to itself");
        terminated(source.run());
    }

    @Test
    void the_relay_of_this_process_is_nudged_at_the_commit() throws Exception {
        Writer source = claimed("source");
        parked("target");
        List<Nudges.Nudge> heard = new CopyOnWriteArrayList<>();
        try (AutoCloseable ignored = store.nudges().listen(heard::add)) {
            write(source, source.step().sends(1, "target", "a"));
            assertThat(heard).contains(new Nudges.OutboxFilled());
            store.relay(100);
            assertThat(heard).contains(new Nudges.RunsDue(QUEUE));
        }
    }

    @Test
    void a_message_that_a_client_has_sent_stands_in_front_of_a_later_one() {
        RunKey target = started("target");
        Writer source = claimed("source");
        write(source, source.step().sends(1, "target", "from code"));
        assertThat(deliver("target", signal("from a client"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        advance(Duration.ofMillis(5));

        store.relay(100);
        assertThat(waitingNames(target)).containsExactly("from a client", "from code");
    }
}
