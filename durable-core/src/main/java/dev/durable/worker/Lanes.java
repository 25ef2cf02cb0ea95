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
        TransitionLane transitions) {
    private static final int MAX_BATCH = 256;

    static Lanes to(HistoryStore store, Supplier<UUID> random) {
        return new Lanes(
                new Lane<>("starts", MAX_BATCH, store::start),
                new Lane<>("messages", MAX_BATCH, store::deliver),
                new Lane<>("jobs", MAX_BATCH, store::update),
                new TransitionLane(store, MAX_BATCH, random));
    }

    void drivenBy(Drive drive) {
        starts.onSubmit(drive.add("starts", Drive.Kind.IO, starts));
        deliveries.onSubmit(drive.add("messages", Drive.Kind.IO, deliveries));
        jobs.onSubmit(drive.add("jobs", Drive.Kind.IO, jobs));
        transitions.onSubmit(drive.add("transitions", Drive.Kind.IO, transitions));
    }
}
