package dev.durable.store.memory;

import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.OpenJob;
import org.jspecify.annotations.Nullable;

/** Decides whether a job matches a {@link JobFilter}. */
final class JobMatch {
    private JobMatch() {}

    static boolean matches(JobFilter filter, Job job) {
        return isOrAny(filter.seq(), job.key().seq())
                && isOrAny(filter.workflowType(), job.spec().workflowType())
                && isOrAny(filter.activity(), job.spec().activity())
                && isOrAny(filter.taskQueue(), job.spec().taskQueue())
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
