package dev.durable.store;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/**
 * The request to claim due runs of some types and task queues.
 *
 * @param session who asks
 * @param taskQueues queues it serves
 * @param types workflow types it has; others are left for others
 * @param limit how many at most
 * @param ownedFor how long the activation may take before anybody else may claim, while the session lives
 * @param fence under which they will be claimed, never used before: by it they are found if the answer is lost
 * @param lost fences of claims whose answer was lost: what they have claimed counts as owned by nobody, and is due as
 * before
 */
public record RunClaim(
        UUID session,
        Set<String> taskQueues,
        Set<String> types,
        int limit,
        Duration ownedFor,
        UUID fence,
        Set<UUID> lost) {

    public RunClaim {
        taskQueues = Set.copyOf(taskQueues);
        types = Set.copyOf(types);
        lost = Set.copyOf(lost);
    }

    /** A claim under a random fence, after no lost replies. */
    public RunClaim(UUID session, Set<String> taskQueues, Set<String> types, int limit, Duration ownedFor) {
        this(session, taskQueues, types, limit, ownedFor, UUID.randomUUID(), Set.of());
    }

    @Override
    public String toString() {
        return "RunClaim[" + session + ", " + taskQueues + ", " + types + ", limit=" + limit + "]";
    }
}
