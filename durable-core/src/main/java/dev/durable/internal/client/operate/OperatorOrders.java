package dev.durable.internal.client.operate;

import dev.durable.ActivityOptions;
import dev.durable.ActivityOptionsBuilder;
import dev.durable.RefusedInputException;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityOperated;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the orders of {@code client.activities()} for jobs in the state in which they were read, each with its event
 * and its row of the audit.
 */
final class OperatorOrders {
    private final Operations operations;
    private final String actor;
    /** The orders that resolve an incident or a dead letter. */
    private final Resolutions resolutions;

    OperatorOrders(Operations operations, String actor) {
        this.operations = operations;
        this.actor = actor;
        this.resolutions = new Resolutions(operations, actor, "");
    }

    JobOrder retry(OpenJob job) {
        if (job.status().state().isBuried()) {
            return resolutions.retry().apply(job);
        }
        JobOrder.Trace trace = operated(job, "retry");
        return waitsUnbegun(job) ? begins(job, trace) : new JobOrder.RetryNow(job.key(), trace);
    }

    JobOrder runNow(OpenJob job) {
        JobOrder.Trace trace = operated(job, "runNow");
        return job.status().state().isBuried() || waitsUnbegun(job)
                ? begins(job, trace)
                : new JobOrder.RetryNow(job.key(), trace);
    }

    private static boolean waitsUnbegun(OpenJob job) {
        return !job.status().begun()
                && job.seen().lease() == null
                && job.times().visibleAt() != null;
    }

    /**
     * Returns the order that makes the job ready now, by the clock of the store rather than by this process's estimate
     * of it.
     */
    private JobOrder begins(OpenJob job, JobOrder.Trace trace) {
        return new JobOrder.Reschedule(job.key(), trace, job.seen(), Instant.EPOCH, moved(job, operations.now()));
    }

    /**
     * Returns the order for each job; null for one that would have expired by then.
     *
     * @throws IllegalArgumentException for a time that no job can have
     */
    Function<OpenJob, @Nullable JobOrder> reschedule(Instant at) {
        Instant now = operations.now();
        if (!at.isAfter(now) || at.isAfter(now.plus(Bounds.DURATION))) {
            throw new RefusedInputException("reschedule(" + at + "): it is " + now + ", and the time must be ahead, by "
                    + Bounds.DURATION.toDays() + " days at most. For now, there is runNow().");
        }
        Instant due = at.truncatedTo(ChronoUnit.MICROS);
        return job -> {
            Instant expiresAt = OptionsJson.decode(job.options()).expiresAt();
            if (!job.status().begun() && expiresAt != null && !due.isBefore(expiresAt)) {
                return null;
            }
            ActivityOperated event = new ActivityOperated(
                    0, operations.now(), job.key().seq(), job.seen().attempt(), "reschedule", actor, due);
            return new JobOrder.Reschedule(job.key(), trace("reschedule", event), job.seen(), due, moved(job, due));
        };
    }

    private static @Nullable JobDeadlines moved(OpenJob job, Instant at) {
        if (job.status().begun()) {
            return null;
        }
        Instant toClose = job.times().scheduleToCloseDeadline();
        return new JobDeadlines(
                at,
                OptionsJson.decode(job.options()).beginsBy(at),
                toClose == null
                        ? null
                        : toClose.plus(Duration.between(job.times().scheduledAt(), at)));
    }

    JobOrder pause(OpenJob job) {
        return new JobOrder.Pause(job.key(), operated(job, "pause"));
    }

    JobOrder resume(OpenJob job) {
        return new JobOrder.Resume(job.key(), operated(job, "resume"));
    }

    /** Returns the order that cancels a background job; activities of workflows are refused. */
    JobOrder cancel(OpenJob job, String reason) {
        String why = operations.reason("cancel", reason);
        UUID id = operations.newId();
        WorkflowCancelRequested request = new WorkflowCancelRequested(0, operations.now(), id, why, actor);
        return new JobOrder.Cancel(
                job.key(),
                new JobOrder.Trace(new JobOrder.Audit(id, actor, "cancel", EventJson.detail(request)), null),
                Messages.cancellation(request));
    }

    Function<OpenJob, JobOrder> updateTimeout(Duration timeout) {
        TimeoutUpdate update = new TimeoutUpdate(timeout, actor);
        return job -> update.of(job, operations.now(), event -> trace("updateTimeout", event));
    }

    JobOrder options(OpenJob job, Consumer<ActivityOptionsBuilder> change) {
        ActivityOptions before = OptionsJson.decode(job.options());
        OptionsAtCallSite changed = new OptionsAtCallSite();
        change.accept(changed);
        ActivityOptions after = changed.apply(before);
        refuseWhatStays(before, after);
        return updated(
                job,
                after,
                change,
                trace(
                        "updateOptions",
                        new ActivityOptionsUpdated(
                                0, operations.now(), job.key().seq(), job.seen().attempt(), before, after, actor)));
    }

    /**
     * @param options all of them
     * @param change what of them is new
     */
    static JobOrder updated(
            OpenJob job, ActivityOptions options, Consumer<ActivityOptionsBuilder> change, JobOrder.Trace trace) {
        ActivityOptions before = OptionsJson.decode(job.options());
        return new JobOrder.UpdateOptions(
                job.key(),
                trace,
                job.seen(),
                kept(job, options, change),
                options.beginsBy(job.times().scheduledAt()),
                closes(job.times(), before.scheduleToClose(), options.scheduleToClose()),
                options.retry().maxWorkerCrashes() - before.retry().maxWorkerCrashes());
    }

    /**
     * Returns the options as the job's row has them: in that of a background job that has not ended an attempt, the
     * changes count as chosen for it.
     */
    static String kept(OpenJob job, ActivityOptions options, Consumer<ActivityOptionsBuilder> change) {
        Optional<EnqueuedOptions> chosen = EnqueuedOptions.of(job.options());
        if (chosen.isEmpty()) {
            return OptionsJson.encode(options);
        }
        OptionsAtCallSite all = OptionsAtCallSite.of(chosen.get());
        change.accept(all);
        return all.chosen().with(options);
    }

    /**
     * Returns the schedule-to-close deadline, moved by the difference of the options: after an order that gave a job
     * its whole time again it does not count from when the job was scheduled.
     */
    private static @Nullable Instant closes(OpenJob.Times times, @Nullable Duration before, @Nullable Duration after) {
        Instant deadline = times.scheduleToCloseDeadline();
        return deadline == null || before == null || after == null
                ? plus(times.scheduledAt(), after)
                : deadline.plus(after.minus(before));
    }

    private static void refuseWhatStays(ActivityOptions before, ActivityOptions after) {
        if (!Objects.equals(before.taskQueue(), after.taskQueue())
                || before.priority() != after.priority()
                || before.transactional() != after.transactional()
                || before.local() != after.local()
                || before.atMostOnce() != after.atMostOnce()
                || !before.headers().equals(after.headers())) {
            throw new IllegalArgumentException(
                    "updateOptions changes timeouts and the retry policy only: queue, priority, transactional, local and"
                            + " headers of an activity are those it was scheduled with");
        }
    }

    Function<OpenJob, JobOrder> complete(@Nullable Object value) {
        return job -> {
            if (job.status().state().isBuried()) {
                return resolutions.complete(value).apply(job);
            }
            Payload result = operations.result(job, value);
            Instant now = operations.now();
            Instant since = job.times().claimedAt();
            return end(
                    job,
                    "complete",
                    id -> new ActivityCompleted(
                            0,
                            now,
                            job.key().seq(),
                            job.seen().attempt(),
                            id,
                            result,
                            since == null ? now : since,
                            actor,
                            null));
        };
    }

    Function<OpenJob, JobOrder> fail(Throwable failure) {
        return job ->
                job.status().state().isBuried() ? resolutions.fail(failure).apply(job) : failed(job, failure);
    }

    private JobOrder failed(OpenJob job, Throwable failure) {
        return end(
                job,
                "fail",
                id -> new ActivityFailed(
                        0,
                        operations.now(),
                        job.key().seq(),
                        job.seen().attempt(),
                        id,
                        operations.failure(job, failure),
                        actor,
                        null));
    }

    private JobOrder end(OpenJob job, String action, Function<UUID, HistoryEvent.ActivityClosed> outcome) {
        JobOrder.Trace trace = operated(job, action);
        UUID id = Objects.requireNonNull(trace.audit()).id();
        return new JobOrder.End(job.key(), trace, job.seen(), EventJson.outcome(id, outcome.apply(id), null));
    }

    private JobOrder.Trace operated(OpenJob job, String action) {
        return trace(
                action,
                new ActivityOperated(
                        0, operations.now(), job.key().seq(), job.seen().attempt(), action, actor));
    }

    private JobOrder.Trace trace(String action, HistoryEvent.Informing event) {
        String note = EventJson.note(event);
        return new JobOrder.Trace(new JobOrder.Audit(operations.newId(), actor, action, note), note);
    }

    private static @Nullable Instant plus(Instant from, @Nullable Duration timeout) {
        return timeout == null ? null : from.plus(timeout);
    }
}
