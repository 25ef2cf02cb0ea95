package dev.durable;

/**
 * There is no such incident or dead letter, or no longer: somebody else resolved it, its run ended, its retention was over.
 * The message tells which. Nothing was written.
 */
public class IncidentNotFoundException extends DurableException {
    private static final long serialVersionUID = 1L;

    public IncidentNotFoundException(String message) {
        super(message);
    }
}
