package dev.durable.store;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/**
 * Asks for due runs.
 *
 * @param session who asks
 * @param taskQueues queues it serves
 * @param types workflow types it has; others are left for others
 * @param needs the highest level of guarded behaviours it can replay
 * @param limit how many at most
 * @param ownedFor how long the activation may take before anybody else may claim, while the session lives
 */
public record RunClaim(
        UUID session, Set<String> taskQueues, Set<String> types, int needs, int limit, Duration ownedFor) {

    public RunClaim {
        taskQueues = Set.copyOf(taskQueues);
        types = Set.copyOf(types);
    }
}
