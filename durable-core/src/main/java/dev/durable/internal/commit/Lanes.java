package dev.durable.internal.commit;

import dev.durable.internal.drive.Drive;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * All group-commit lanes of a process, one for each kind of write: starts, messages, job updates and transitions. Each
 * lane commits independently, so that a slow one does not hold up the others.
 */
public record Lanes(
        Lane<NewRun, StartOutcome> starts,
        Lane<Delivery, Delivery.Outcome> deliveries,
        Lane<JobUpdate, JobUpdate.Outcome> jobs,
        TransitionLanes transitions) {
    private static final int MAX_BATCH = 256;
    /** The size of a batch from which a lane commits beside another lane of its line: docs/decisions/0041. */
    private static final int CROWD = 64;
    /**
     * The share of the largest batch of steps that starts and ends must reach to be committed beside steps:
     * docs/decisions/0046.
     */
    private static final int SHARE = 4;

    public static Lanes to(HistoryStore store, Supplier<UUID> random) {
        CommitQueue turns = new CommitQueue(store.clock()::nanoTime);
        return new Lanes(
                new Lane<>(
                                "starts",
                                turns.<Lane.Entry<NewRun, StartOutcome>>sideLine(MAX_BATCH, CROWD, SHARE)
                                        .withWeights(entry -> Weights.of(entry.item())),
                                store::start)
                        .withSlowLane(
                                StartOutcome.Locked.class::isInstance,
                                store.patient()::start,
                                start -> "start of " + start.run()),
                new Lane<>(
                                "messages",
                                alone(store)
                                        .<Lane.Entry<Delivery, Delivery.Outcome>>mainLine(MAX_BATCH, 1)
                                        .withWeights(entry -> Weights.of(entry.item())),
                                store::deliver)
                        .withSlowLane(Delivery.Outcome.LOCKED::equals, store.patient()::deliver, Lanes::key),
                new Lane<>(
                                "jobs",
                                alone(store)
                                        .<Lane.Entry<JobUpdate, JobUpdate.Outcome>>mainLine(MAX_BATCH, 1)
                                        .withWeights(entry -> Weights.of(entry.item())),
                                store::update)
                        .withSlowLane(
                                JobUpdate.Outcome.LOCKED::equals,
                                store.patient()::update,
                                update -> kind(update.said()) + " of " + update.key()),
                new TransitionLanes(
                        store, random, turns.mainLine(MAX_BATCH, CROWD), turns.sideLine(MAX_BATCH, CROWD, SHARE)));
    }

    /** Returns the number and the bytes of the waiting items, lane by lane. */
    public List<EngineStatistics.Lane> statistics() {
        List<EngineStatistics.Lane> all =
                new ArrayList<>(List.of(starts.statistics(), deliveries.statistics(), jobs.statistics()));
        all.addAll(transitions.statistics());
        return all;
    }

    private static String key(Delivery delivery) {
        return delivery.message().kind() + " for " + delivery.workflowId();
    }

    private static String kind(JobUpdate update) {
        return update.getClass().getSimpleName();
    }

    /** Creates the queue of a lane that commits independently of the others. */
    private static CommitQueue alone(HistoryStore store) {
        return new CommitQueue(store.clock()::nanoTime);
    }

    public void drivenBy(Drive drive) {
        starts.drivenBy(drive);
        deliveries.drivenBy(drive);
        jobs.drivenBy(drive);
        transitions.drivenBy(drive);
    }
}
