package dev.durable.store;

import java.util.List;

/**
 * The batch writes of a store that the group-commit lanes call: starts, deliveries, job updates, transitions. Each
 * method is one transaction where all goes well; outcomes stand in the order of the items. An item whose rows another
 * transaction keeps locked comes back as LOCKED and is definitely not written, while its neighbours are.
 */
public interface Writes {

    /** Starts runs; insert first, judge next. */
    List<StartOutcome> start(List<NewRun> starts);

    /** Puts messages into inboxes, each once. */
    List<Delivery.Outcome> deliver(List<Delivery> deliveries);

    /** Applies updates of the holders of leases to their jobs; those of one job in the order of the batch. */
    List<JobUpdate.Outcome> update(List<JobUpdate> updates);

    /** Writes steps of runs; at most one per run in a batch. */
    List<Transition.Outcome> commit(List<Transition> transitions);
}
