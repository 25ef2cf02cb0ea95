package dev.durable.history;

import java.util.List;
import java.util.UUID;

/**
 * The place of a run in its chain, which is all runs that continue one another under one workflow id.
 *
 * @param firstRunId the first run of the chain, whose id is the id of the chain
 * @param previousRunId the run that this one continues
 * @param messagesSent how many messages the code of the runs before has sent to workflows; its own are counted on from
 *     there
 * @param childrenStarted how many children they have started, likewise
 * @param children the children that they have started and that this run goes on with, by number
 */
public record ChainLink(
        UUID firstRunId, UUID previousRunId, long messagesSent, long childrenStarted, List<CarriedChild> children) {
    public ChainLink {
        children = List.copyOf(children);
    }
}
