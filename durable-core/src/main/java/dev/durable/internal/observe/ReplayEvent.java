package dev.durable.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The flight recorder's event of a replay of a run's history. */
@Name("dev.durable.Replay")
@Label("Replay")
@Category({"Durable", "Workflows"})
@Description("The replay of a run's history, with reading what the claim did not bring")
@Threshold("5 ms")
final class ReplayEvent extends RunEvent {
    @Label("Events")
    long events;

    /** Returns an event that has begun; null while no recording takes it. */
    static @Nullable ReplayEvent begun() {
        ReplayEvent event = new ReplayEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }
}
