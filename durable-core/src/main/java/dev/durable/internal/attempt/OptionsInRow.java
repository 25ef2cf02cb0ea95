package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.PayloadException;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.OptionsJson;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.text.Thrown;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The options of an attempt as far as this process knows them from its job's row, and the options that this process
 * runs it with. A job that runs at most once by the configuration of this process only must have that in its row before
 * the body begins, as the process that finds this worker lost goes by the row.
 */
final class OptionsInRow {
    private final ClaimedJob job;
    private volatile String known;

    OptionsInRow(ClaimedJob job) {
        this.job = job;
        this.known = job.content().options();
    }

    /** Returns the options under which the job runs here. */
    ActivityOptions read(AttemptServices.Code code) {
        try {
            // Decoded in full first: an option that is unknown here must be found before this process's configuration
            // is merged in.
            OptionsJson.decodeAll(job.content().options());
            return code.options(
                    job.activity(), job.route().workflowType(), job.content().options());
        } catch (RuntimeException e) {
            throw new PayloadException(
                    "the options of " + job.activity() + " can't be read: "
                            + Thrown.of(e).words()
                            + ". Usually a newer version"
                            + " of Durable wrote them: let a worker of that version take the job, or upgrade this one."
                            + " What is stored: " + job.content().options().length() + " characters",
                    e);
        }
    }

    /** Notes the options with which a background job runs here, where the process that enqueued it knew other ones. */
    void noteThoseOfHere(ActivityOptions here, Notes notes, Instant now, String identity) {
        ActivityOptions enqueued = OptionsJson.decode(job.content().options());
        if (!here.equals(enqueued)) {
            notes.add(new ActivityOptionsUpdated(0, now, job.key().seq(), job.attempt(), enqueued, here, identity));
        }
    }

    /**
     * Returns the schedule-to-close deadline. A background job may get it from the configuration of this process: then
     * its row has none.
     */
    @Nullable
    Instant scheduleToClose(@Nullable Instant close, ActivityOptions options) {
        Duration toClose = options.scheduleToClose();
        return close == null && toClose != null ? job.deadlines().scheduledAt().plus(Jitter.bounded(toClose)) : close;
    }

    synchronized void set(String options) {
        known = options;
    }

    private synchronized void replace(String before, String options) {
        if (known.equals(before)) {
            known = options;
        }
    }

    /** Returns whether the row says that the job runs at most once. */
    boolean saysOnce() {
        return OptionsJson.isAtMostOnce(known);
    }

    /** Writes the options of this process into the row. */
    void sayOnce(ActivityOptions now, Notes notes, Reports reports, Reports.Answer answer) {
        String before = known;
        String once = OptionsJson.encode(now);
        reports.tell(
                new JobUpdate.Annotate(job.key(), job.lease(), notes.json(), new JobUpdate.NewOptions(once, before)),
                (outcome, error) -> {
                    if (error == null) {
                        replace(before, once);
                    }
                    answer.hear(outcome, error);
                });
    }
}
