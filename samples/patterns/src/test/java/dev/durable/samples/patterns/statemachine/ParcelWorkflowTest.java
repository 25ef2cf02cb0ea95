package dev.durable.samples.patterns.statemachine;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.statemachine.ParcelWorkflow.Event;
import dev.durable.samples.patterns.statemachine.ParcelWorkflow.State;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class ParcelWorkflowTest {
    private final List<State> told = new ArrayList<>();

    @Test
    void aParcelGoesFromStateToState(TestEngine engine) {
        var parcel = start(engine);
        parcel.signal(w -> w.event(Event.HANDED_OVER));
        parcel.signal(w -> w.event(Event.SCANNED));
        engine.settle();
        State state = parcel.query(w -> w.state());
        assertThat(state).isEqualTo(State.ON_ITS_WAY);

        parcel.signal(w -> w.event(Event.REFUSED));

        assertThat(parcel.result()).isEqualTo(State.RETURNED);
        assertThat(told).containsExactly(State.ON_ITS_WAY, State.RETURNED);
    }

    @Test
    void whatComesTooEarlyHasItsEffectLater(TestEngine engine) {
        var parcel = start(engine);
        parcel.signal(w -> w.event(Event.RECEIVED));
        parcel.signal(w -> w.event(Event.SCANNED));
        engine.settle();
        assertThat(told).isEmpty();

        parcel.signal(w -> w.event(Event.HANDED_OVER));
        assertThat(parcel.result()).isEqualTo(State.DELIVERED);
        assertThat(told).containsExactly(State.ON_ITS_WAY, State.DELIVERED);
    }

    @Test
    void whatComesTwiceIsToldOnce(TestEngine engine) {
        var parcel = start(engine);
        parcel.signal(w -> w.event(Event.HANDED_OVER));
        parcel.signal(w -> w.event(Event.HANDED_OVER));
        parcel.signal(w -> w.event(Event.RECEIVED));

        assertThat(parcel.result()).isEqualTo(State.DELIVERED);
        assertThat(told).containsExactly(State.ON_ITS_WAY, State.DELIVERED);
    }

    private WorkflowHandle<ParcelWorkflow, State> start(TestEngine engine) {
        engine.register(ParcelWorkflow.class).activity(Notices.class, told::add);
        return engine.client().start(ParcelWorkflow.class, "parcel", w -> w.run());
    }
}
