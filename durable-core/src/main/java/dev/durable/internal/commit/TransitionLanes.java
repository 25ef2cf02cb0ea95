package dev.durable.internal.commit;

import dev.durable.internal.drive.Drive;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.HistoryStore;
import dev.durable.store.Transition;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The four lanes that write transitions: two for runs that go on, two for runs that end.
 *
 * <p>Those that end are apart because they lock out senders: in a batch with one of them all rows must be locked before the
 * first is written, while runs that go on are locked as they are written; they hold back for those. A run has one transition under way at most, so
 * what is written of it stays in order.
 */
public final class TransitionLanes {
    private final CommitQueue.Line<TransitionLane.Entry> goingOn;
    private final CommitQueue.Line<TransitionLane.Entry> ending;
    private final List<TransitionLane> lanes;

    TransitionLanes(
            HistoryStore store,
            Supplier<UUID> fences,
            CommitQueue.Line<TransitionLane.Entry> steps,
            CommitQueue.Line<TransitionLane.Entry> endings) {
        goingOn = steps.withBatchesOfDistinct(TransitionLane.Entry::runId).withWeights(Weights::of);
        ending = endings.withBatchesOfDistinct(TransitionLane.Entry::runId).withWeights(Weights::of);
        lanes = List.of(
                new TransitionLane("transitions-1", store, goingOn, fences),
                new TransitionLane("transitions-2", store, goingOn, fences),
                new TransitionLane("endings-1", store, ending, fences),
                new TransitionLane("endings-2", store, ending, fences));
    }

    void drivenBy(Drive drive) {
        lanes.forEach(lane -> lane.drivenBy(drive));
    }

    /** What waits to be taken. */
    List<EngineStatistics.Lane> statistics() {
        return List.of(
                new EngineStatistics.Lane("transitions", goingOn.size(), goingOn.held()),
                new EngineStatistics.Lane("endings", ending.size(), ending.held()));
    }

    /** Bytes that wait to be taken. */
    public long held() {
        return goingOn.held() + ending.held();
    }

    /** Queues the transition; the future completes after its commit, on a lane's thread. At most one a run. */
    public CompletableFuture<TransitionLane.Written> submit(Transition transition) {
        TransitionLane.Entry entry = new TransitionLane.Entry(transition);
        (transition.close() == null ? goingOn : ending).add(entry);
        return entry.written();
    }
}
