package dev.durable.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The flight recorder's event of a transition of a run, from the lane to the store's answer. */
@Name("dev.durable.Transition")
@Label("Transition")
@Category({"Durable", "Workflows"})
@Description("One step of a workflow run, from when it was handed over to be committed to the store's answer")
@Threshold("10 ms")
final class TransitionEvent extends RunEvent {
    @Label("Outcome")
    String outcome = "";

    @Label("First Event")
    long firstEvent;

    @Label("Events")
    int events;

    /** Returns an event that has begun; null while no recording takes it. */
    static @Nullable TransitionEvent begun() {
        TransitionEvent event = new TransitionEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }
}
