package dev.durable.store;

import java.util.Set;
import java.util.UUID;

/**
 * The request to claim ready jobs of a task queue.
 *
 * @param session who asks; a dead session gets none
 * @param taskQueue the queue
 * @param activities names this worker has; others are left for others
 * @param limit free slots
 * @param without jobs that this worker could not read a while ago: left for others, too; a few hundred at most
 */
public record JobClaim(UUID session, String taskQueue, Set<String> activities, int limit, Set<JobKey> without) {

    public JobClaim {
        activities = Set.copyOf(activities);
        without = Set.copyOf(without);
    }

    /** Whatever job there is. */
    public JobClaim(UUID session, String taskQueue, Set<String> activities, int limit) {
        this(session, taskQueue, activities, limit, Set.of());
    }

    /** Fewer of them. */
    public JobClaim atMost(int most) {
        return new JobClaim(session, taskQueue, activities, most, without);
    }
}
