package dev.durable.worker;

import dev.durable.store.HistoryStore;
import dev.durable.store.Transition;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The lanes of transitions: two, so that one batch is being made while the other commits; a third only adds latency where
 * the store runs on the same cores. A run always takes the same one, so what is written of it stays in order.
 */
final class TransitionLanes {
    private static final int LANES = 2;

    private final List<TransitionLane> lanes;

    private TransitionLanes(List<TransitionLane> lanes) {
        this.lanes = lanes;
    }

    static TransitionLanes to(HistoryStore store, int maxBatch, Supplier<UUID> fences) {
        return new TransitionLanes(IntStream.rangeClosed(1, LANES)
                .mapToObj(number -> new TransitionLane(store, maxBatch, fences))
                .toList());
    }

    void drivenBy(Drive drive) {
        for (int i = 0; i < lanes.size(); i++) {
            lanes.get(i).drivenBy(drive, "transitions-" + (i + 1));
        }
    }

    /** Queues the transition; the future completes after its commit, on the lane's thread. At most one a run. */
    CompletableFuture<TransitionLane.Written> submit(Transition transition) {
        int hash = Long.hashCode(transition.run().runId().getLeastSignificantBits());
        return lanes.get(Math.floorMod(hash ^ hash >>> 16, lanes.size())).submit(transition);
    }
}
