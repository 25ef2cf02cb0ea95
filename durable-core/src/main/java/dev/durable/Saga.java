package dev.durable;

/**
 * A part of a run that is undone as a whole: {@link Durable#saga}. For use on the coroutines of its run, while its body
 * runs.
 */
public interface Saga {
    /**
     * Registers an undo: run in reverse order, shielded, if the body fails or is cancelled. Register it before the call
     * that it undoes, as a call that failed may have taken effect; the undo must then do without an effect to undo.
     */
    void compensate(VoidBody undo);

    /** Lets the undos run all at once instead of in reverse order. They are begun in reverse order. */
    Saga parallel();

    /**
     * Runs the undos that are registered now, shielded, and forgets them; the body goes on and may return a value, so
     * that the saga completes although it was undone. Where undos fail, the others still run, and then the first
     * failure is thrown, a checked one as the cause of a {@link PromiseFailedException}, with the others as suppressed
     * ones. It does not wait for what the body has in flight.
     */
    void undo();
}
