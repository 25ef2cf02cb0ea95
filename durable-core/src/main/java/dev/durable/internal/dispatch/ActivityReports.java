package dev.durable.internal.dispatch;

import dev.durable.StoreRefusedException;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.attempt.Reports;
import dev.durable.internal.commit.Lane;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.TransactionalActivities;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the outcomes of activity attempts that have a job to the store. An outcome is first offered to the run's
 * cached instance in this process, which writes it together with the turn that follows; else it goes into the run's
 * inbox. The lease of an ended attempt stays known until the end is durable or refused.
 *
 * <p>Stale answers are no errors: a timeout or another worker was faster. Where the store refuses an end for good, the
 * attempt reports another one, its failure. An end that the store can't take at all is forgotten here; {@link
 * HeldLeases} then finds a lease that this process does not know, and gives it back.
 */
public final class ActivityReports implements Reports {
    private static final Logger log = LoggerFactory.getLogger(ActivityReports.class);

    private final Lane<JobUpdate, Outcome> lane;
    private final AttemptOutcome.Sink runs;
    private final Leases leases;
    private final LongAdder stale = new LongAdder();
    private final InterruptedBodies interrupted = new InterruptedBodies(System::nanoTime);
    private AttemptOutcome.Sink background = outcome -> false;
    private Optional<TransactionalActivities> transactional = Optional.empty();
    private AppendCounts appends = (job, lease, stream) -> 0;

    public ActivityReports(Lane<JobUpdate, Outcome> lane, AttemptOutcome.Sink runs, Leases leases) {
        this.lane = lane;
        this.runs = runs;
        this.leases = leases;
    }

    /**
     * Sets the receiver of outcomes that no run in memory takes, before they go to an inbox. Called before anything
     * runs.
     */
    public void background(AttemptOutcome.Sink sink) {
        background = sink;
    }

    /** Sets how transactional activities are committed. Called before anything runs. */
    public void transactional(Optional<TransactionalActivities> store) {
        transactional = store;
    }

    /** Counts the entries that other attempts of a job have appended to a stream. */
    @FunctionalInterface
    public interface AppendCounts {
        long appendedBefore(JobKey job, UUID lease, String stream);
    }

    /** Sets how the entries of earlier attempts are counted. Called before anything runs. */
    public void appends(AppendCounts counts) {
        appends = counts;
    }

    @Override
    public long appendedBefore(JobKey job, UUID lease, String stream) {
        return appends.appendedBefore(job, lease, stream);
    }

    @Override
    public Optional<TransactionalActivities> transactional() {
        return transactional;
    }

    @Override
    public void transactionWasStale() {
        stale.increment();
    }

    @Override
    public void interrupted(ClaimedJob job, String shown) {
        interrupted.add(job, shown);
    }

    @Override
    public boolean local() {
        return false;
    }

    @Override
    public void settle(AttemptOutcome outcome) {
        leases.put(outcome.lease(), new Leases.HandedOver(outcome));
        if (!offer(outcome)) {
            toInbox(outcome);
        }
    }

    /**
     * Writes the outcome to the inbox at once rather than with the run's next turn, which does not free places under
     * limits.
     */
    @Override
    public void settleAndGoOn(AttemptOutcome outcome, Runnable then) {
        end(new JobUpdate.BodyGoesOn(settlement(outcome)), then, outcome.refusal());
    }

    /** Sends the outcome to the run's inbox. Has no effect when it is there, or was taken otherwise. */
    public void toInbox(AttemptOutcome outcome) {
        end(settlement(outcome), () -> {}, outcome.refusal());
    }

    private static JobUpdate settlement(AttemptOutcome outcome) {
        return new JobUpdate.Settle(outcome.key(), outcome.lease(), outcome.message());
    }

    @Override
    public void end(JobUpdate update, Runnable then, Refusal refusal) {
        tell(update, (outcome, error) -> {
            if (error instanceof StoreRefusedException why && refusal.heard(why)) {
                return;
            }
            if (outcome == Outcome.STALE) {
                taken(update.key(), update.lease());
            }
            if (error == null) {
                leases.remove(update.lease());
            } else {
                leases.forget(update.lease());
            }
            then.run();
        });
    }

    /**
     * Frees the place under a limit of a job that was taken from its attempt. Where the body still runs, the place
     * becomes free when the body ends.
     */
    void taken(JobKey key, UUID lease) {
        if (!leases.isLeftBehind(lease)) {
            tell(new JobUpdate.FreePlace(key, lease), (outcome, error) -> {});
        }
    }

    /** Sends the update; the answer comes on the lane's thread. */
    @Override
    public void tell(JobUpdate update, Answer answer) {
        var unused = lane.submit(update).whenComplete((outcome, error) -> {
            look(update, outcome, error);
            answer.hear(outcome, error);
        });
    }

    /** Counts an outcome that a run had taken and that was stale when the run wrote it. */
    public void wasStale(AttemptOutcome outcome) {
        stale.increment();
        taken(outcome.key(), outcome.lease());
    }

    @Override
    public long held() {
        return lane.held();
    }

    /** Returns how many reports were stale. */
    public long stale() {
        return stale.sum();
    }

    private boolean offer(AttemptOutcome outcome) {
        try {
            return runs.offer(outcome) || background.offer(outcome);
        } catch (RuntimeException e) {
            log.warn("the run of {} did not take an outcome, which goes to its inbox", outcome.key(), e);
            return false;
        }
    }

    private void look(JobUpdate update, @Nullable Outcome outcome, @Nullable Throwable error) {
        String what = update.said().getClass().getSimpleName();
        if (error != null) {
            log.error("{} of {} can't be stored", what, update.key(), error);
        } else if (outcome == Outcome.STALE) {
            stale.increment();
            log.debug("{} of {} is stale and is dropped", what, update.key());
        }
    }
}
