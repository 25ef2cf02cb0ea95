package dev.durable.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The flight recorder's event of an attempt of an activity, from the begin of its body to its end. */
@Name("dev.durable.ActivityAttempt")
@Label("Activity Attempt")
@Category({"Durable", "Activities"})
@Description("One attempt of an activity, from the begin of its body to its end")
@Threshold("10 ms")
final class ActivityAttemptEvent extends RunEvent {
    @Label("Activity")
    String activity = "";

    @Label("Task Queue")
    String taskQueue = "";

    @Label("Activity Number")
    int seq;

    @Label("Attempt")
    int attempt;

    @Label("Local")
    boolean local;

    @Label("Outcome")
    String outcome = "";

    /** Returns whether a recording takes these events. */
    static boolean isOn() {
        return new ActivityAttemptEvent().isEnabled();
    }

    /** Returns an event that has begun; null while no recording takes it. */
    static @Nullable ActivityAttemptEvent begun() {
        ActivityAttemptEvent event = new ActivityAttemptEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }
}
