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
 * <p>Transitions that end runs have lanes of their own because they lock out senders: in a batch with one of them all
 * rows must be locked before the first is written, while the rows of runs that go on are locked as they are written.
 * The lanes of ending runs hold back for the others. A run has at most one transition under way, so its transitions
 * stay in order.
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

    /** Returns the number and the bytes of the transitions that wait, by line. */
    List<EngineStatistics.Lane> statistics() {
        return List.of(
                new EngineStatistics.Lane("transitions", goingOn.size(), goingOn.held()),
                new EngineStatistics.Lane("endings", ending.size(), ending.held()));
    }

    /** Returns the bytes of the transitions that wait to be taken. */
    public long held() {
        return goingOn.held() + ending.held();
    }

    /**
     * Queues the transition; the future completes after its commit, on a lane's thread. A run has at most one
     * transition here.
     */
    public CompletableFuture<TransitionLane.Written> submit(Transition transition) {
        TransitionLane.Entry entry = new TransitionLane.Entry(transition);
        (transition.close() == null ? goingOn : ending).add(entry);
        return entry.written();
    }
}
