package dev.durable.store;

import java.util.Set;
import java.util.UUID;

/**
 * The request to claim ready jobs of a task queue.
 *
 * @param session the session that claims; a dead session gets none
 * @param taskQueue the queue
 * @param activities the activities that this worker implements; jobs of others are left to other workers
 * @param limit how many at most: the free slots
 * @param without jobs that this worker could not read a while ago and that are left to other workers; a few hundred at
 *     most
 */
public record JobClaim(UUID session, String taskQueue, Set<String> activities, int limit, Set<JobKey> without) {

    public JobClaim {
        activities = Set.copyOf(activities);
        without = Set.copyOf(without);
    }

    /** A claim that leaves out no job. */
    public JobClaim(UUID session, String taskQueue, Set<String> activities, int limit) {
        this(session, taskQueue, activities, limit, Set.of());
    }

    /** This claim, of at most so many jobs. */
    public JobClaim atMost(int most) {
        return new JobClaim(session, taskQueue, activities, most, without);
    }
}
