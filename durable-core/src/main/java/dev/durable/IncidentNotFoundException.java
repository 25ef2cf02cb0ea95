package dev.durable;

/**
 * Thrown when an incident or dead letter does not exist or not any more: another operator resolved it, its run ended,
 * or its retention was over. The message tells which. Nothing was written.
 */
public class IncidentNotFoundException extends DurableException {
    private static final long serialVersionUID = 1L;

    public IncidentNotFoundException(String message) {
        super(message);
    }
}
