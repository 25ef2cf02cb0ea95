package dev.durable.replay;

/** A callback for the settling of a promise; listeners are called in the order in which they were added. */
@FunctionalInterface
interface Listener {
    void settled(DurablePromise<?> promise);
}
