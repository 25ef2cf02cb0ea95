package dev.durable.store.memory;

import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a run matches a {@link RunFilter}. */
final class RunMatch {
    private RunMatch() {}

    static boolean matches(RunFilter filter, RunRecord run) {
        return isAmong(filter.types(), run.type())
                && isAmong(filter.statuses(), run.status())
                && hasId(filter, run.run().workflowId())
                && (filter.taskQueue() == null || filter.taskQueue().equals(run.taskQueue()))
                && isWithin(filter.startedAfter(), run.startedAt(), filter.startedBefore())
                && isWithin(filter.closedAfter(), run.closedAt(), filter.closedBefore());
    }

    private static boolean hasId(RunFilter filter, String workflowId) {
        return (filter.workflowId() == null || filter.workflowId().equals(workflowId))
                && (filter.workflowIdPrefix() == null || workflowId.startsWith(filter.workflowIdPrefix()));
    }

    private static <T> boolean isAmong(Set<T> wanted, T value) {
        return wanted.isEmpty() || wanted.contains(value);
    }

    private static boolean isWithin(@Nullable Instant after, @Nullable Instant at, @Nullable Instant before) {
        return (after == null || at != null && at.isAfter(after))
                && (before == null || at != null && at.isBefore(before));
    }
}
