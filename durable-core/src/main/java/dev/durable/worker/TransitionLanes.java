package dev.durable.worker;

import dev.durable.store.HistoryStore;
import dev.durable.store.Transition;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The lanes of transitions: one for runs that go on, one for runs that end.
 *
 * <p>What arrives while a lane commits is its next batch, so a lane that nobody halves makes batches as large as the load,
 * and a transition in a large batch costs the server least. Those that end are apart because they lock out senders: in a
 * batch with one of them all rows must be locked before the first is written, while runs that go on are locked as they
 * are written. A run has one transition under way at most, so what is written of it stays in order.
 */
record TransitionLanes(TransitionLane goingOn, TransitionLane ending) {

    static TransitionLanes to(HistoryStore store, int maxBatch, Supplier<UUID> fences) {
        return new TransitionLanes(
                new TransitionLane(store, maxBatch, fences), new TransitionLane(store, maxBatch, fences));
    }

    void drivenBy(Drive drive) {
        goingOn.drivenBy(drive, "transitions");
        ending.drivenBy(drive, "endings");
    }

    /** Queues the transition; the future completes after its commit, on the lane's thread. At most one a run. */
    CompletableFuture<TransitionLane.Written> submit(Transition transition) {
        return (transition.close() == null ? goingOn : ending).submit(transition);
    }
}
