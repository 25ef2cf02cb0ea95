package dev.durable;

/** A start was refused because its task queue holds as many jobs as its {@code maxDepth} allows. */
public class QueueFullException extends DurableException {
    private static final long serialVersionUID = 1L;

    public QueueFullException(String message) {
        super(message);
    }
}
