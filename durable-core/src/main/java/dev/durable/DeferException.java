package dev.durable;

import java.time.Duration;

/** Thrown by an activity: gives the job back for a while without using an attempt. */
public class DeferException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * Gives the job back for that long.
     *
     * @throws IllegalArgumentException when the delay is shorter than a millisecond: without one the job would begin again at once,
     *     for ever, as it uses no attempt
     */
    public DeferException(Duration delay) {
        super("deferred by " + delay);
        this.delay = WaitBounds.real(
                "the delay of a DeferException",
                delay,
                "the job would begin again at once, and for ever, as this uses no attempt. Give the time after which it is"
                        + " worth another look.");
    }

    /** How long the job stays away from workers. */
    public Duration delay() {
        return delay;
    }
}
