package dev.durable;

import java.time.Duration;

/** Thrown by an activity: gives the job back for a while without using an attempt. */
public class DeferException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    public DeferException(Duration delay) {
        super("deferred by " + delay);
        this.delay = delay;
    }

    /** How long the job stays away from workers. */
    public Duration delay() {
        return delay;
    }
}
