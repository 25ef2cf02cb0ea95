package dev.durable.internal.dispatch;

import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.attempt.Attempt;
import dev.durable.internal.attempt.AttemptServices;
import dev.durable.internal.attempt.Leases;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Begins an attempt for a job that this process has claimed or created, or gives the job back when it can't begin. */
public final class ActivityStarter {
    private final AttemptServices host;
    private final Supplier<UUID> session;
    private volatile boolean draining;
    private volatile boolean claimsNoMore;

    public ActivityStarter(AttemptServices host, Supplier<UUID> session) {
        this.host = host;
        this.session = session;
    }

    AttemptServices host() {
        return host;
    }

    /** Returns the session under which jobs are claimed. */
    UUID session() {
        return session.get();
    }

    /** Ends claiming from now on; jobs that come otherwise still begin. */
    public void claimNoMore() {
        claimsNoMore = true;
    }

    /** Returns whether jobs may be claimed. */
    boolean claims() {
        return !claimsNoMore && !draining;
    }

    /** Begins no more attempts from now on. */
    public void drain() {
        draining = true;
    }

    public boolean draining() {
        return draining;
    }

    /**
     * Begins the job on its queue's executor. A job that was claimed under a dead session, or that comes during a
     * drain, is given back.
     */
    public void start(ClaimedJob job, Leases.Reserved place) {
        if (draining || !place.session().equals(session.get())) {
            giveBack(job, place.slot());
            return;
        }
        Attempt attempt;
        try {
            attempt = new Attempt(job, place.session(), place.queue(), place.slot(), host);
        } catch (RuntimeException e) {
            place.slot().free();
            host.unread().leave(job, place.queue(), e, host);
            return;
        }
        host.leases().put(job.lease(), attempt);
        try {
            place.queue().executor().execute(attempt);
        } catch (RejectedExecutionException e) {
            attempt.giveBackUnlessBegun();
        }
        if (draining) {
            attempt.giveBackUnlessBegun();
        }
    }

    private void giveBack(ClaimedJob job, ActivitySlots.Slot slot) {
        slot.free();
        host.reports().end(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, false, null), () -> {});
    }
}
