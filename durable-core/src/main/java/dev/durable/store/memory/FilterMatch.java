package dev.durable.store.memory;

import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.OpenJob;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a run matches a {@link RunFilter}, and a job a {@link JobFilter}. */
final class FilterMatch {
    private FilterMatch() {}

    static boolean matches(RunFilter filter, RunRecord run) {
        return (filter.workflowId() != null || !run.isRetried())
                && isAmong(filter.types(), run.type())
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

    static boolean matches(JobFilter filter, Job job) {
        return isOrAny(filter.seq(), job.key().seq())
                && isOrAny(filter.workflowType(), job.spec().route().workflowType())
                && isOrAny(filter.activity(), job.spec().route().activity())
                && isOrAny(filter.taskQueue(), job.spec().route().taskQueue())
                && (filter.states().isEmpty() || filter.states().contains(job.state()))
                && job.seen().attempt() >= filter.minAttempt()
                && matches(filter.burial(), job.burial())
                && isAfter(filter.after(), job.key());
    }

    private static boolean isOrAny(@Nullable Object wanted, Object value) {
        return wanted == null || wanted.equals(value);
    }

    private static boolean matches(JobFilter.Burial wanted, OpenJob.@Nullable Burial found) {
        if (wanted.equals(JobFilter.ALL.burial())) {
            return true;
        }
        return found != null
                && isOrAny(wanted.fingerprint(), found.fingerprint())
                && (wanted.from() == null || !found.at().isBefore(wanted.from()))
                && (wanted.before() == null || found.at().isBefore(wanted.before()));
    }

    private static boolean isAfter(@Nullable JobKey last, JobKey job) {
        return last == null || JobKey.LOCK_ORDER.compare(job, last) > 0;
    }
}
