package dev.durable.internal.replay.coroutine;

/** A callback for the settling of a promise; listeners are called in the order in which they were added. */
@FunctionalInterface
public interface SettleListener {
    void settled(DurablePromise<?> promise);
}
