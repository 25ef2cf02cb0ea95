package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
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
 * @param batch background jobs that were enqueued in this batch
 * @param parent children that this chain of runs has started
 * @param root runs in the tree of children below this chain of runs
 * @param stallCause only stalled runs with this cause; {@code stalled} is set then, too
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
        @Nullable String batch,
        @Nullable UUID parent,
        @Nullable UUID root,
        @Nullable StallCause stallCause) {

    /** Selects all runs, newest first. */
    public static final RunFilter ALL = new RunFilter(
            Set.of(), null, Set.of(), null, null, null, null, null, null, null, false, true, null, null, null, null,
            null);

    public RunFilter {
        types = Set.copyOf(types);
        statuses = Set.copyOf(statuses);
    }

    public RunFilter types(Set<String> value) {
        return with(copy -> copy.types = value);
    }

    public RunFilter activity(String value) {
        return with(copy -> copy.activity = value);
    }

    public RunFilter statuses(Set<WorkflowStatus> value) {
        return with(copy -> copy.statuses = value);
    }

    public RunFilter workflowId(String value) {
        return with(copy -> copy.workflowId = value);
    }

    public RunFilter workflowIdPrefix(String value) {
        return with(copy -> copy.workflowIdPrefix = value);
    }

    public RunFilter startedAfter(Instant value) {
        return with(copy -> copy.startedAfter = value);
    }

    public RunFilter startedBefore(Instant value) {
        return with(copy -> copy.startedBefore = value);
    }

    public RunFilter closedAfter(Instant value) {
        return with(copy -> copy.closedAfter = value);
    }

    public RunFilter closedBefore(Instant value) {
        return with(copy -> copy.closedBefore = value);
    }

    public RunFilter taskQueue(String value) {
        return with(copy -> copy.taskQueue = value);
    }

    public RunFilter stalled(boolean value) {
        return with(copy -> copy.stalled = value);
    }

    public RunFilter newestFirst(boolean value) {
        return with(copy -> copy.newestFirst = value);
    }

    public RunFilter after(UUID value) {
        return with(copy -> copy.after = value);
    }

    public RunFilter batch(String value) {
        return with(copy -> copy.batch = value);
    }

    public RunFilter parent(UUID value) {
        return with(copy -> copy.parent = value);
    }

    public RunFilter root(UUID value) {
        return with(copy -> copy.root = value);
    }

    public RunFilter stallCause(StallCause value) {
        return with(copy -> {
            copy.stalled = true;
            copy.stallCause = value;
        });
    }

    private RunFilter with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.made();
    }

    /** The one place that repeats all components, so that each setter names only what it changes. */
    private static final class Copy {
        private Set<String> types;
        private @Nullable String activity;
        private Set<WorkflowStatus> statuses;
        private @Nullable String workflowId;
        private @Nullable String workflowIdPrefix;
        private @Nullable Instant startedAfter;
        private @Nullable Instant startedBefore;
        private @Nullable Instant closedAfter;
        private @Nullable Instant closedBefore;
        private @Nullable String taskQueue;
        private boolean stalled;
        private boolean newestFirst;
        private @Nullable UUID after;
        private @Nullable String batch;
        private @Nullable UUID parent;
        private @Nullable UUID root;
        private @Nullable StallCause stallCause;

        Copy(RunFilter from) {
            this.types = from.types;
            this.activity = from.activity;
            this.statuses = from.statuses;
            this.workflowId = from.workflowId;
            this.workflowIdPrefix = from.workflowIdPrefix;
            this.startedAfter = from.startedAfter;
            this.startedBefore = from.startedBefore;
            this.closedAfter = from.closedAfter;
            this.closedBefore = from.closedBefore;
            this.taskQueue = from.taskQueue;
            this.stalled = from.stalled;
            this.newestFirst = from.newestFirst;
            this.after = from.after;
            this.batch = from.batch;
            this.parent = from.parent;
            this.root = from.root;
            this.stallCause = from.stallCause;
        }

        RunFilter made() {
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
                    batch,
                    parent,
                    root,
                    stallCause);
        }
    }
}
