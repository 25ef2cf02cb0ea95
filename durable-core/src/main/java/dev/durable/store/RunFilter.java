package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects runs for a listing; null or empty does not restrict. Ordered by run id, which is by start time.
 *
 * @param types workflow types
 * @param activity background jobs of this activity
 * @param statuses states
 * @param workflowId exactly
 * @param workflowIdPrefix literal prefix
 * @param startedAfter exclusive
 * @param startedBefore exclusive
 * @param closedAfter exclusive
 * @param closedBefore exclusive
 * @param taskQueue exactly
 * @param stalled only runs that can't go on for now
 * @param newestFirst order
 * @param after the last run of the page before; null for the first page
 * @param batch jobs that were enqueued in this batch
 */
public record RunFilter(
        Set<String> types,
        @Nullable String activity,
        Set<WorkflowStatus> statuses,
        @Nullable String workflowId,
        @Nullable String workflowIdPrefix,
        @Nullable Instant startedAfter,
        @Nullable Instant startedBefore,
        @Nullable Instant closedAfter,
        @Nullable Instant closedBefore,
        @Nullable String taskQueue,
        boolean stalled,
        boolean newestFirst,
        @Nullable UUID after,
        @Nullable String batch) {

    /** Everything, newest first. */
    public static final RunFilter ALL =
            new RunFilter(Set.of(), null, Set.of(), null, null, null, null, null, null, null, false, true, null, null);

    public RunFilter {
        types = Set.copyOf(types);
        statuses = Set.copyOf(statuses);
    }

    public RunFilter types(Set<String> value) {
        return new RunFilter(
                value,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter activity(String value) {
        return new RunFilter(
                types,
                value,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter statuses(Set<WorkflowStatus> value) {
        return new RunFilter(
                types,
                activity,
                value,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter workflowId(String value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                value,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter workflowIdPrefix(String value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                value,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter startedAfter(Instant value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                value,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter startedBefore(Instant value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                value,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter closedAfter(Instant value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                value,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter closedBefore(Instant value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                value,
                taskQueue,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter taskQueue(String value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                value,
                stalled,
                newestFirst,
                after,
                batch);
    }

    public RunFilter stalled(boolean value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                value,
                newestFirst,
                after,
                batch);
    }

    public RunFilter newestFirst(boolean value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                value,
                after,
                batch);
    }

    public RunFilter after(UUID value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                value,
                batch);
    }

    public RunFilter batch(String value) {
        return new RunFilter(
                types,
                activity,
                statuses,
                workflowId,
                workflowIdPrefix,
                startedAfter,
                startedBefore,
                closedAfter,
                closedBefore,
                taskQueue,
                stalled,
                newestFirst,
                after,
                value);
    }
}
