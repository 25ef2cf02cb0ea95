package dev.durable.store;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The request to claim due runs of some types and task queues.
 *
 * @param session the session that claims
 * @param taskQueues queues it serves
 * @param types workflow types it has; others are left for others
 * @param limit how many at most
 * @param ownedFor how long the activation may take before another session may claim the run, while this session lives
 * @param fence the fence that the claimed runs get, never used before: the runs are found by it if the answer is lost
 * @param anyType whether it takes all other types, too, but those of Durable itself
 * @param lost fences of claims whose answer was lost: the runs that they have claimed count as not owned, and are due
 *     as before
 * @param shares the share of the claiming process's build in the unpinned runs of each of the task queues, by name; empty
 *     where no build has a ramp. A run outside of it is left to others for {@link BuildRamps#PATIENCE}, and for good where
 *     the share is strict
 */
public record RunClaim(
        UUID session,
        Set<String> taskQueues,
        Set<String> types,
        boolean anyType,
        int limit,
        Duration ownedFor,
        UUID fence,
        Set<UUID> lost,
        Map<String, BuildRamps.Share> shares) {

    public RunClaim {
        taskQueues = Set.copyOf(taskQueues);
        types = Set.copyOf(types);
        lost = Set.copyOf(lost);
        shares = Map.copyOf(shares);
    }

    /** A claim under a random fence, after no lost replies. */
    public RunClaim(UUID session, Set<String> taskQueues, Set<String> types, int limit, Duration ownedFor) {
        this(session, taskQueues, types, limit, ownedFor, UUID.randomUUID(), Set.of());
    }

    /** A claim of these types only. */
    public RunClaim(
            UUID session,
            Set<String> taskQueues,
            Set<String> types,
            int limit,
            Duration ownedFor,
            UUID fence,
            Set<UUID> lost) {
        this(session, taskQueues, types, false, limit, ownedFor, fence, lost, Map.of());
    }

    /** Returns whether runs of this type are claimed. */
    public boolean takes(String type) {
        return types.contains(type) || anyType && !type.startsWith("durable.");
    }

    /** Returns the share of the claiming process in the unpinned runs of a task queue. */
    public BuildRamps.Share share(String taskQueue) {
        return shares.getOrDefault(taskQueue, BuildRamps.Share.ALL);
    }

    @Override
    public String toString() {
        return "RunClaim[" + session + ", " + taskQueues + ", " + types + ", limit=" + limit + "]";
    }
}
