package dev.durable.internal.replay.match;

/**
 * Thrown when a query, or the judgement of a message, was seen in code of the application when its time was over. The
 * instance is lost; the run is not, as another instance can be made without that call.
 */
public final class HungAsideException extends StalledException {
    private static final long serialVersionUID = 1L;

    public HungAsideException(String message) {
        super(message, null, true);
    }
}
