package dev.durable;

/** The task queue holds as much as its {@code maxDepth} allows: nothing was started. */
public class QueueFullException extends DurableException {
    private static final long serialVersionUID = 1L;

    public QueueFullException(String message) {
        super(message);
    }
}
