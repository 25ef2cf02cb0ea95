package dev.durable.store.memory;

import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;

/** Applies the changes that lease holders report for their jobs. */
final class JobUpdates {
    private final Tables tables;

    JobUpdates(Tables tables) {
        this.tables = tables;
    }

    Outcome update(JobUpdate update) {
        if (update instanceof JobUpdate.FreePlace free) {
            tables.places().free(free.lease());
            return Outcome.ACCEPTED;
        }
        RunRow run = tables.runs().find(update.key().run().runId());
        if (run == null) {
            return Outcome.STALE;
        }
        Job job = run.jobs().get(update.key().seq());
        if (job == null || !job.heldUnder(update.lease())) {
            return wasSettled(run, update.said()) ? Outcome.DUPLICATE : Outcome.STALE;
        }
        if (update instanceof JobUpdate.BodyGoesOn) {
            tables.keepPlace(job);
        }
        if (update.said() instanceof JobUpdate.Settle settle) {
            tables.delete(run, job);
            tables.post(run, settle.outcome());
            return Outcome.ACCEPTED;
        }
        Outcome outcome = job.cancelRequested() ? Outcome.CANCEL_REQUESTED : Outcome.ACCEPTED;
        if (update instanceof JobUpdate.Append append) {
            return tables.streams().append(run.chainId(), append, outcome);
        }
        write(job, update.said());
        return outcome;
    }

    private void write(Job job, JobUpdate update) {
        switch (update) {
            case JobUpdate.Settle settle -> throw new IllegalStateException(settle + " ends the job");
            case JobUpdate.Retry retry -> {
                job.heartbeat(retry.details());
                job.failedAttempt(retry.nextAttempt(), retry.notes(), retry.lastFailure(), retry.options());
                tables.putBack(job, retry.delay());
            }
            case JobUpdate.Release release -> {
                job.heartbeat(release.details());
                if (release.why() != null) {
                    job.noted(release.why().notes(), release.why().lastFailure());
                }
                if (release.begun()) {
                    job.begin();
                }
                tables.putBack(job, release.delay());
            }
            case JobUpdate.Unread unread -> {
                job.noted(unread.notes(), unread.lastFailure());
                tables.putBack(job, unread.delay());
            }
            case JobUpdate.Bury bury -> {
                job.heartbeat(bury.details());
                job.failedAttempt(bury.nextAttempt(), bury.notes(), bury.lastFailure(), bury.options());
                tables.bury(job, bury.incident(), bury.fingerprint());
            }
            case JobUpdate.Append append -> throw new IllegalStateException(append + " leaves the job as it is");
            case JobUpdate.Heartbeat heartbeat -> job.heartbeat(heartbeat.details());
            case JobUpdate.Annotate annotate -> job.annotate(annotate.notes(), annotate.options());
            case JobUpdate.BodyGoesOn end -> throw new IllegalStateException(end + " says more than one thing");
            case JobUpdate.FreePlace free -> throw new IllegalStateException(free + " is not about the job");
            case JobUpdate.Detach detach -> tables.jobs().detach(job, detach, tables.now());
        }
    }

    private static boolean wasSettled(RunRow run, JobUpdate update) {
        return update instanceof JobUpdate.Settle
                && (run.inbox().contains(update.lease()) || run.hasRecorded(update.lease()));
    }
}
