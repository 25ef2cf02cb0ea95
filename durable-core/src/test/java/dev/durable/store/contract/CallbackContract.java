package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.APPLIED_MORE;
import static dev.durable.store.Transition.Outcome.CLOSE_REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.Payload;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.Delivery;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Callbacks: their state in one snapshot, and inboxes that take in the first outcome. */
abstract class CallbackContract extends StoreContract {
    private final UUID callback = UUID.randomUUID();

    private Writer opened(String workflowId) {
        Writer writer = claimed(workflowId);
        assertThat(writer.write(writer.step()
                        .event("CallbackOpened", "{\"number\":1,\"callback\":\"" + UUID.randomUUID() + "\"}")
                        .event("CallbackOpened", "{\"number\":2,\"callback\":\"" + callback + "\"}")
                        .event("TimerStarted", "{\"seq\":1,\"fireAt\":\"2026-03-01T09:00:00Z\"}")
                        .staysAwake()))
                .isEqualTo(APPLIED);
        return writer;
    }

    private InboxMessage completed() {
        return CallbackState.message(
                new CallbackCompleted(1, Instant.EPOCH, callback, new Payload("{\"b\":1, \"a\":2}")));
    }

    private InboxMessage failed() {
        return CallbackState.message(new CallbackFailed(1, Instant.EPOCH, callback, Failure.of("x.Y", "no")));
    }

    private InboxMessage timedOut() {
        return CallbackState.message(new CallbackTimedOut(1, Instant.EPOCH, callback));
    }

    private CallbackState state(RunKey run) {
        return store.callback(new CallbackToken(run, callback), 0).orElseThrow();
    }

    @Test
    void a_callback_is_known_from_the_commit_that_opens_it_by_run_workflow_id_and_id() {
        Writer writer = opened("order-1");
        RunKey other = started("order-2");

        assertThat(state(writer.run()).isKnown()).isTrue();
        assertThat(state(writer.run()).open()).isTrue();
        assertThat(state(writer.run()).end()).isNull();
        assertThat(state(writer.run()).recorded()).hasSize(1);
        assertThat(state(other).isKnown()).isFalse();
        assertThat(store.callback(new CallbackToken(new RunKey(UUID.randomUUID(), "order-1"), callback), 0))
                .isEmpty();
        assertThat(store.callback(new CallbackToken(new RunKey(writer.run().runId(), "order-2"), callback), 0))
                .isEmpty();
    }

    @Test
    void a_callback_whose_id_names_its_event_is_found_there_only_and_what_was_read_is_not_read_again() {
        Writer writer = claimed("order-1");
        UUID third = CallbackToken.idAt(3, UUID.randomUUID());
        UUID elsewhere = CallbackToken.idAt(4, UUID.randomUUID());
        assertThat(writer.write(writer.step()
                        .event("TimerStarted", "{\"seq\":1,\"fireAt\":\"2026-03-01T09:00:00Z\"}")
                        .event("CallbackOpened", "{\"number\":1,\"callback\":\"" + third + "\"}")
                        .staysAwake()))
                .isEqualTo(APPLIED);
        CallbackToken token = new CallbackToken(writer.run(), third);

        CallbackState opened = store.callback(token, 0).orElseThrow();
        assertThat(opened.isKnown()).isTrue();
        assertThat(opened.lastEvent()).isEqualTo(3);
        assertThat(store.callback(new CallbackToken(writer.run(), elsewhere), 0)
                        .orElseThrow()
                        .isKnown())
                .isFalse();

        assertThat(writer.write(writer.step()
                        .event("CallbackCancelled", "{\"number\":1,\"callback\":\"" + third + "\"}")
                        .staysAwake()))
                .isEqualTo(APPLIED);
        assertThat(store.callback(token, 3).orElseThrow())
                .satisfies(state -> assertThat(state.recorded()).hasSize(1))
                .satisfies(state -> assertThat(state.isEndRecorded()).isTrue());
        assertThat(store.callback(token, 4).orElseThrow().recorded()).isEmpty();
    }

    @Test
    void the_inbox_takes_in_the_first_outcome_and_the_history_keeps_it() {
        Writer writer = opened("order-1");
        InboxMessage first = completed();
        assertThat(deliver(writer.run(), first)).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(writer.run(), failed())).isEqualTo(Delivery.Outcome.ACCEPTED);
        HistoryEvent waits = state(writer.run()).end();
        assertThat(waits)
                .isInstanceOfSatisfying(
                        CallbackCompleted.class,
                        e -> assertThat(e.result().json()).isEqualTo("{\"b\":1, \"a\":2}"));

        assertThat(writer.write(writer.step().consumes(first).staysAwake())).isEqualTo(APPLIED);
        assertThat(state(writer.run()).waiting()).isNull();
        assertThat(state(writer.run()).end()).isInstanceOf(CallbackCompleted.class);
        deliver(writer.run(), failed());
        assertThat(state(writer.run()).end()).as("the recorded one").isInstanceOf(CallbackCompleted.class);
    }

    @Test
    void a_timeout_that_the_run_sends_itself_takes_no_outcomes_place() {
        Writer writer = opened("order-1");
        deliver(writer.run(), completed());
        assertThat(writer.write(timesOut(writer))).isEqualTo(APPLIED_MORE);

        assertThat(waitingNames(writer.run())).containsExactly("CallbackCompleted");
        assertThat(state(writer.run()).end()).isInstanceOf(CallbackCompleted.class);
    }

    @Test
    void an_outcome_takes_no_timeouts_place() {
        Writer writer = opened("order-1");
        assertThat(writer.write(timesOut(writer))).isEqualTo(APPLIED_MORE);
        assertThat(deliver(writer.run(), completed())).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(waitingNames(writer.run())).containsExactly("CallbackTimedOut");
        assertThat(state(writer.run()).end()).isInstanceOf(CallbackTimedOut.class);
    }

    private StepBuilder timesOut(Writer writer) {
        return writer.step()
                .sends(
                        new OutgoingMessage(
                                writer.run().runId(), 0, writer.run().workflowId(), null, timedOut()),
                        "TimerFired",
                        "{\"seq\":1}");
    }

    @Test
    void a_run_does_not_close_before_it_has_read_an_outcome_and_takes_none_afterwards() {
        Writer writer = opened("order-1");
        InboxMessage outcome = completed();
        deliver(writer.run(), outcome);
        assertThat(writer.write(writer.step().closes(WorkflowStatus.COMPLETED))).isEqualTo(CLOSE_REFUSED);

        assertThat(writer.write(writer.step().consumes(outcome).closes(WorkflowStatus.COMPLETED)))
                .isEqualTo(APPLIED);
        assertThat(state(writer.run()).open()).isFalse();
        assertThat(state(writer.run()).end()).isInstanceOf(CallbackCompleted.class);
        assertThat(deliver(writer.run(), outcome)).as("its history has it").isEqualTo(Delivery.Outcome.ACCEPTED);
    }

    @Test
    void a_cancelled_callback_is_known_as_such() {
        Writer writer = opened("order-1");
        assertThat(writer.write(
                        writer.step().event("CallbackCancelled", "{\"number\":2,\"callback\":\"" + callback + "\"}")))
                .isEqualTo(APPLIED);

        assertThat(state(writer.run()).end()).extracting(HistoryEvent::type).isEqualTo("CallbackCancelled");
    }
}
