package dev.durable.internal.run;

import dev.durable.ActivityOptions;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.OptionsJson;
import dev.durable.internal.drive.Jitter;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobContent;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobRoute;
import dev.durable.store.JobStart;
import dev.durable.store.NewJob;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates the job rows for the activities that a run schedules: already claimed by this worker where it has a free
 * slot, else ready for any worker.
 */
public final class JobBirth {
    private final RunKey run;
    private final String workflowType;
    private final JobHeaders headers;
    private final EagerJobs eager;
    private final @Nullable Instant delayedUntil;

    /**
     * @param delayedUntil of a background job, when its delay ends if nothing ends it before: it counts as scheduled then,
     *     whenever somebody came to make its first turn; null without
     */
    public JobBirth(
            RunKey run, String workflowType, JobHeaders headers, EagerJobs eager, @Nullable Instant delayedUntil) {
        this.run = run;
        this.workflowType = workflowType;
        this.headers = headers;
        this.eager = eager;
        this.delayedUntil = delayedUntil;
    }

    boolean isOfBackgroundJob() {
        return workflowType.equals(JobStart.TYPE);
    }

    /** The job of a command. Takes a slot for it if it can. */
    NewJob of(ActivityScheduled scheduled) {
        return of(scheduled, OptionsJson.encode(scheduled.options()), Duration.ZERO);
    }

    /**
     * A background job.
     *
     * @param delay until it may be claimed: it counts as scheduled then
     * @param chosen the configuration of who runs it may change the rest; null where all of it is fixed
     */
    public NewJob of(ActivityScheduled scheduled, Duration delay, @Nullable EnqueuedOptions chosen) {
        ActivityOptions options = scheduled.options();
        return of(scheduled, chosen == null ? OptionsJson.encode(options) : chosen.with(options), delay);
    }

    private NewJob of(ActivityScheduled scheduled, String optionsJson, Duration delay) {
        ActivityOptions options = scheduled.options();
        Instant born = delayedUntil != null && delayedUntil.isBefore(scheduled.at()) ? delayedUntil : scheduled.at();
        Instant at = born.plus(delay);
        return new NewJob(
                scheduled.seq(),
                new JobRoute(scheduled.activity(), scheduled.taskQueue(), workflowType),
                options.priority(),
                new JobContent(scheduled.input().json(), optionsJson, headers.of(scheduled)),
                new JobDeadlines(at, options.beginsBy(at), deadline(at, options.scheduleToClose())),
                options.retry().maxWorkerCrashes(),
                delay.isZero() ? lease(scheduled) : null,
                options.limitKey(),
                delay);
    }

    private NewJob.@Nullable Lease lease(ActivityScheduled scheduled) {
        if (scheduled.options().limitKey() != null) {
            eager.waitsForItsKey(scheduled.taskQueue());
            return null;
        }
        return eager.reserve(scheduled.taskQueue(), scheduled.activity()).orElse(null);
    }

    /** The call of a local activity, as attempts take it. */
    ClaimedJob local(ActivityScheduled call, UUID lease) {
        ActivityOptions options = call.options();
        return new ClaimedJob(
                new JobKey(run, call.seq()),
                new JobRoute(call.activity(), call.taskQueue(), workflowType),
                lease,
                1,
                0,
                new JobContent(call.input().json(), OptionsJson.encode(options), headers.of(call)),
                new JobDeadlines(
                        call.at(), options.beginsBy(call.at()), deadline(call.at(), options.scheduleToClose())),
                null,
                null);
    }

    /** The job is durable: runs it, if a slot was taken. */
    public void start(NewJob job) {
        NewJob.Lease lease = job.eager();
        if (lease != null) {
            eager.start(claimed(job, lease));
        }
    }

    /** The job was not written: gives its slot back, if one was taken. */
    public void cancel(NewJob job) {
        NewJob.Lease lease = job.eager();
        if (lease != null) {
            eager.cancel(lease);
        }
    }

    /** The run cancelled this activity, and that is durable. */
    void cancelRequested(int seq) {
        eager.cancelRequested(new JobKey(run, seq));
    }

    private ClaimedJob claimed(NewJob job, NewJob.Lease lease) {
        return new ClaimedJob(
                new JobKey(run, job.seq()),
                job.route(),
                lease.token(),
                1,
                0,
                job.content(),
                job.deadlines(),
                null,
                null);
    }

    private static @Nullable Instant deadline(Instant at, @Nullable Duration timeout) {
        return timeout == null ? null : at.plus(Jitter.bounded(timeout));
    }
}
