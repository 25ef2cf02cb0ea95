package dev.durable.replay;

/** Told when a promise settles, in the order in which they began to listen. */
@FunctionalInterface
interface Listener {
    void settled(DurablePromise<?> promise);
}
