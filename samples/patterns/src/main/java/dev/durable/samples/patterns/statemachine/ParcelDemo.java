package dev.durable.samples.patterns.statemachine;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import dev.durable.samples.patterns.statemachine.ParcelWorkflow.Event;
import java.util.List;

/** A parcel that is received before its carrier tells that it was handed over. */
public class ParcelDemo implements Demo {
    @Override
    public String name() {
        return "statemachine";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(ParcelWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        Notices notices = state -> {};
        return List.of(notices);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        client.signalWithStart(ParcelWorkflow.class, "parcel-7", w -> w.run(), w -> w.event(Event.RECEIVED));
        return client.signalWithStart(ParcelWorkflow.class, "parcel-7", w -> w.run(), w -> w.event(Event.HANDED_OVER));
    }
}
