package dev.durable.internal.client.operate;

import dev.durable.ActivityOptions;
import dev.durable.RefusedInputException;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.OptionsJson;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/**
 * Builds the order that moves the deadline of an attempt. For a job that is not claimed the order changes the
 * start-to-close option of its next attempt; its event names the deadlines of an attempt that begins when the job is
 * due.
 *
 * @param timeout positive
 * @param by the identity that moves the deadline
 */
record TimeoutUpdate(Duration timeout, String by) {
    TimeoutUpdate {
        Bounds.duration("updateTimeout", timeout);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new RefusedInputException(
                    "updateTimeout(" + timeout + "): the deadline becomes now plus a positive duration");
        }
    }

    /**
     * Returns the order for a job in the state in which it was read.
     *
     * @param trace builds the rows that are kept of the event
     */
    JobOrder of(OpenJob job, Instant now, Function<ActivityTimeoutUpdated, JobOrder.Trace> trace) {
        ActivityOptions before = OptionsJson.decode(job.options());
        if (job.seen().lease() != null) {
            Instant deadline = now.plus(timeout);
            return new JobOrder.UpdateTimeout(
                    job.key(), trace.apply(event(job, now, deadline(job, before), deadline)), job.seen(), deadline);
        }
        OptionsAtCallSite changed = new OptionsAtCallSite();
        changed.startToClose(timeout);
        ActivityOptions after = changed.apply(before);
        Instant due = due(job, now);
        return OperatorOrders.updated(
                job,
                after,
                options -> options.startToClose(timeout),
                trace.apply(event(job, now, due.plus(before.startToClose()), due.plus(timeout))));
    }

    private ActivityTimeoutUpdated event(OpenJob job, Instant now, Instant old, Instant deadline) {
        return new ActivityTimeoutUpdated(0, now, job.key().seq(), job.seen().attempt(), old, deadline, by);
    }

    private static Instant due(OpenJob job, Instant now) {
        Instant visible = job.times().visibleAt();
        return visible == null || visible.isBefore(now) ? now : visible;
    }

    private static Instant deadline(OpenJob job, ActivityOptions options) {
        Instant ordered = job.times().deadline();
        Instant since = job.times().claimedAt();
        return ordered != null
                ? ordered
                : (since == null ? job.times().scheduledAt() : since).plus(options.startToClose());
    }
}
