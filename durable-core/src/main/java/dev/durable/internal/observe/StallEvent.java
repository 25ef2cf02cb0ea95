package dev.durable.internal.observe;

import dev.durable.observe.RunStall;
import dev.durable.store.RunKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The flight recorder's event of a run that can't go on with the code of this process. */
@Name("dev.durable.Stall")
@Label("Stall")
@Category({"Durable", "Workflows"})
@Description("A run can't go on for now: its code and its history differ, or it blocks, or something can't be read")
final class StallEvent extends RunEvent {
    @Label("Reason")
    String reason = "";

    static void record(RunStall stall) {
        StallEvent event = new StallEvent();
        if (event.isEnabled()) {
            event.of(stall.workflowType(), new RunKey(stall.runId(), stall.workflowId()));
            event.reason = stall.reason();
            event.commit();
        }
    }

    /** Returns whether a recording takes these events. */
    static boolean isOn() {
        return new StallEvent().isEnabled();
    }
}
