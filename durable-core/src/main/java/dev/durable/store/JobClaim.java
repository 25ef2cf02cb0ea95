package dev.durable.store;

import java.util.Set;
import java.util.UUID;

/**
 * Asks for jobs.
 *
 * @param session who asks; a dead session gets none
 * @param taskQueue the queue
 * @param activities names this worker has; others are left for others
 * @param limit free slots
 */
public record JobClaim(UUID session, String taskQueue, Set<String> activities, int limit) {

    public JobClaim {
        activities = Set.copyOf(activities);
    }

    /** Fewer of them. */
    public JobClaim atMost(int most) {
        return new JobClaim(session, taskQueue, activities, most);
    }
}
