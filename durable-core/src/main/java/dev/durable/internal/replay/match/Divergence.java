package dev.durable.internal.replay.match;

import dev.durable.NonDeterminismException;
import dev.durable.history.HistoryEvent;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when code gives other commands than the history has for the same turn; it stalls the run. The message shows
 * both side by side.
 */
public final class Divergence extends NonDeterminismException {
    private static final long serialVersionUID = 1L;

    private final transient HistoryEvent.Inbound event;
    private final transient HistoryEvent.@Nullable Command given;
    private final transient HistoryEvent.@Nullable Command recorded;
    private final @Nullable String line;

    Divergence(
            String message,
            HistoryEvent.Inbound event,
            HistoryEvent.@Nullable Command given,
            HistoryEvent.@Nullable Command recorded,
            @Nullable String line) {
        super(message);
        this.event = event;
        this.given = given;
        this.recorded = recorded;
        this.line = line;
    }

    /** Returns this divergence with the exception that the code threw before it diverged. */
    public Divergence after(StalledException thrown) {
        Divergence both = new Divergence(
                getMessage() + "\nBefore that the code threw what the code that made this history did not throw. "
                        + thrown.getMessage(),
                event,
                given,
                recorded,
                line);
        both.initCause(thrown.getCause());
        return both;
    }

    /** Returns the exception of the public API for this divergence, with its frames. */
    public NonDeterminismException told() {
        NonDeterminismException told = new NonDeterminismException(String.valueOf(getMessage()), getCause());
        told.setStackTrace(getStackTrace());
        return told;
    }

    /** Returns the event in whose turn it shows. */
    public HistoryEvent.Inbound event() {
        return event;
    }

    /** Returns the first command of the code that differs; null where the code gave fewer. */
    public HistoryEvent.@Nullable Command given() {
        return given;
    }

    /** Returns the command that the history has in its place; null where the history has fewer. */
    public HistoryEvent.@Nullable Command recorded() {
        return recorded;
    }

    /**
     * Returns the line that gave the command, {@code OrderWorkflow.run(OrderWorkflow.java:42)}; null where there is
     * none.
     */
    public @Nullable String line() {
        return line;
    }
}
