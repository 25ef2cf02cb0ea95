package dev.durable.store.postgres.internal.run;

import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.Writes;
import dev.durable.store.postgres.internal.job.JobUpdates;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import java.util.List;

/** The batch writes of the store with one lock timeout: short for the normal lanes, long for the slow lane. */
public record LaneWriters(Starts starts, Deliveries deliveries, JobUpdates updates, Transitions transitions)
        implements Writes {

    public static LaneWriters with(
            LockPatience patience, Connections connections, SharedNudges nudges, InboxLimit inboxLimit) {
        return new LaneWriters(
                new Starts(connections, nudges, patience, inboxLimit),
                new Deliveries(connections, nudges, patience, inboxLimit),
                new JobUpdates(connections, nudges, patience),
                new Transitions(connections, nudges, patience));
    }

    @Override
    public List<StartOutcome> start(List<NewRun> items) {
        return starts.start(items);
    }

    @Override
    public List<Delivery.Outcome> deliver(List<Delivery> items) {
        return deliveries.deliver(items);
    }

    @Override
    public List<JobUpdate.Outcome> update(List<JobUpdate> items) {
        return updates.update(items);
    }

    @Override
    public List<Transition.Outcome> commit(List<Transition> items) {
        return transitions.commit(items);
    }
}
