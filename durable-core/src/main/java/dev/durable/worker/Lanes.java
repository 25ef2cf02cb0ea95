package dev.durable.worker;

import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.util.UUID;
import java.util.function.Supplier;

/** The roads to the store. Each commits on its own, so that a slow one does not hold up the others. */
record Lanes(
        Lane<NewRun, StartOutcome> starts,
        Lane<Delivery, Delivery.Outcome> deliveries,
        Lane<JobUpdate, JobUpdate.Outcome> jobs,
        TransitionLanes transitions) {
    /** Starts and endings go beside a batch when they are at least a quarter of it: docs/decisions/0046. */
    static final int SHARE = 4;

    private static final int MAX_BATCH = 256;

    static Lanes to(HistoryStore store, Supplier<UUID> random) {
        CommitTurns turns = new CommitTurns(store.clock()::nanoTime);
        return new Lanes(
                new Lane<>("starts", MAX_BATCH, store::start)
                        .withSlowLane(StartOutcome.Locked.class::isInstance, store.patient()::start)
                        .takingTurns(turns, SHARE),
                new Lane<>("messages", MAX_BATCH, store::deliver)
                        .withSlowLane(Delivery.Outcome.LOCKED::equals, store.patient()::deliver),
                new Lane<>("jobs", MAX_BATCH, store::update)
                        .withSlowLane(JobUpdate.Outcome.LOCKED::equals, store.patient()::update),
                new TransitionLanes(store, MAX_BATCH, random, turns));
    }

    void drivenBy(Drive drive) {
        starts.drivenBy(drive);
        deliveries.drivenBy(drive);
        jobs.drivenBy(drive);
        transitions.drivenBy(drive);
    }
}
