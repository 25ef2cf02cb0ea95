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
     * @param delayedUntil the time at which a background job's delay ends, if nothing ends it before: it counts as
     *     scheduled then, whenever its first turn was made; null without a delay
     */
    public JobBirth(
            RunKey run, String workflowType, JobHeaders headers, EagerJobs eager, @Nullable Instant delayedUntil) {
        this.run = run;
        this.workflowType = workflowType;
        this.headers = headers;
        this.eager = eager;
        this.delayedUntil = delayedUntil;
    }

    RunKey run() {
        return run;
    }

    boolean isOfBackgroundJob() {
        return workflowType.equals(JobStart.TYPE);
    }

    /** Creates the job of a command, with a slot for it if there is a free one. */
    NewJob of(ActivityScheduled scheduled) {
        return of(scheduled, OptionsJson.encode(scheduled.options()), Duration.ZERO);
    }

    /**
     * Creates the job of a background job.
     *
     * @param delay the time until it may be claimed; it counts as scheduled then
     * @param chosen the options that were chosen for it, of which the worker's configuration may change the others;
     *     null where all of them are fixed
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

    /** Returns the call of a local activity in the form in which attempts take it. */
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

    /** Runs a durable job, if a slot was taken for it. */
    public void start(NewJob job) {
        NewJob.Lease lease = job.eager();
        if (lease != null) {
            eager.start(claimed(job, lease));
        }
    }

    /** Gives the slot back of a job that was not written, if one was taken for it. */
    public void cancel(NewJob job) {
        NewJob.Lease lease = job.eager();
        if (lease != null) {
            eager.cancel(lease);
        }
    }

    /** Tells the body of an activity that its run's request to cancel is durable. */
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
