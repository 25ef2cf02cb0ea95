package dev.durable.internal.replay.coroutine;

/**
 * The error that unwinds the coroutines of a run which is dropped from memory: thrown by every Durable and stub call
 * from then on, so that user code which catches it gets no further than its next call. No stack: a hundred thousand of
 * them are thrown when a cache is emptied.
 */
public final class Eviction extends Error {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("StaticAssignmentOfThrowable")
    public // it has no stack to be wrong
    static final Eviction INSTANCE = new Eviction();

    private Eviction() {
        super("this run goes on elsewhere, or later; its coroutines end here without any effect", null, false, false);
    }
}
