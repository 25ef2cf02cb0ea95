package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.client.AuditEntry;
import dev.durable.store.JobNotes;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Audit;
import dev.durable.store.JobOrder.Outcome;
import org.jspecify.annotations.Nullable;

/** Applies the orders of operators, token holders and timeouts to jobs. */
final class Orders {
    private final Tables tables;

    Orders(Tables tables) {
        this.tables = tables;
    }

    Outcome order(JobOrder order) {
        Audit audit = order.trace().audit();
        if (audit != null && tables.audit().contains(audit.id())) {
            return Outcome.DUPLICATE;
        }
        RunRow run = tables.runs().find(order.key().run().runId());
        Job job = run == null ? null : run.jobs().get(order.key().seq());
        if (run == null || job == null) {
            return wasCarriedOut(run, order) ? Outcome.DUPLICATE : Outcome.NOT_FOUND;
        }
        Outcome outcome = carryOut(order, run, job);
        if (outcome == Outcome.APPLIED && audit != null) {
            tables.audit()
                    .add(new AuditEntry(
                            audit.id(), tables.now(), audit.actor(), audit.action(), order.target(), audit.details()));
        }
        return outcome;
    }

    private static boolean wasCarriedOut(@Nullable RunRow run, JobOrder order) {
        return run != null
                && order instanceof JobOrder.End end
                && (run.inbox().contains(end.outcome().messageId())
                        || run.hasRecorded(end.outcome().messageId()));
    }

    private Outcome carryOut(JobOrder order, RunRow run, Job job) {
        return switch (order) {
            case JobOrder.RetryNow now -> retryNow(now, job);
            case JobOrder.Reschedule reschedule -> reschedule(reschedule, job);
            case JobOrder.Pause pause -> pause(pause, job, true);
            case JobOrder.Resume resume -> pause(resume, job, false);
            case JobOrder.Cancel cancel -> cancel(cancel, run, job);
            case JobOrder.UpdateTimeout update -> updateTimeout(update, job);
            case JobOrder.UpdateOptions update -> updateOptions(update, job);
            case JobOrder.Revive revive -> revive(revive, job);
            case JobOrder.Bury bury -> bury(bury, job);
            case JobOrder.End end -> end(end, run, job);
            case JobOrder.GiveBack back -> giveBack(back, job);
            case JobOrder.Beat beat -> beat(beat, job);
        };
    }

    private Outcome retryNow(JobOrder order, Job job) {
        if (job.isLeased()) {
            return Outcome.REFUSED;
        }
        if (job.state().isBuried()) {
            return Outcome.CHANGED;
        }
        if (job.visibleAt() == null) {
            return Outcome.UNCHANGED;
        }
        job.revised(order.trace().note());
        tables.retryNow(job);
        return Outcome.APPLIED;
    }

    private Outcome reschedule(JobOrder.Reschedule order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (job.isLeased() || job.state().isBuried()) {
            return Outcome.REFUSED;
        }
        JobOrder.Moved moved = order.moved();
        if (moved != null) {
            job.moved(moved);
        }
        job.revised(order.trace().note());
        tables.reschedule(job, order.at());
        return Outcome.APPLIED;
    }

    private Outcome pause(JobOrder order, Job job, boolean on) {
        if (job.state().isBuried()) {
            return Outcome.REFUSED;
        }
        if (job.paused() == on) {
            return Outcome.UNCHANGED;
        }
        job.revised(order.trace().note());
        tables.pause(job, on);
        return Outcome.APPLIED;
    }

    private Outcome cancel(JobOrder.Cancel order, RunRow run, Job job) {
        if (job.cancelRequested()) {
            return Outcome.UNCHANGED;
        }
        tables.post(run, order.request());
        return Outcome.APPLIED;
    }

    private Outcome updateTimeout(JobOrder.UpdateTimeout order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (!job.isLeased()) {
            return Outcome.REFUSED;
        }
        job.deadline(order.deadline());
        job.revised(order.trace().note());
        tables.jobs().reschedule(job);
        return Outcome.APPLIED;
    }

    private Outcome updateOptions(JobOrder.UpdateOptions order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        job.options(order);
        job.revised(order.trace().note());
        tables.jobs().reschedule(job);
        return Outcome.APPLIED;
    }

    private Outcome revive(JobOrder.Revive order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (!job.state().isBuried()) {
            return Outcome.REFUSED;
        }
        job.revive(order);
        job.revised(order.trace().note());
        tables.retryNow(job);
        return Outcome.APPLIED;
    }

    private Outcome bury(JobOrder.Bury order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (!job.isLeased()) {
            return Outcome.REFUSED;
        }
        tables.keepPlace(job);
        job.failedAttempt(order.seen().attempt() + 1, noted(order, job), order.lastFailure(), null);
        tables.bury(job, order.incident(), order.fingerprint());
        return Outcome.APPLIED;
    }

    private Outcome end(JobOrder.End order, RunRow run, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        String notes = JobNotes.joined(
                JobNotes.with(job.allNotes(), order.trace().note()),
                order.outcome().notes());
        tables.keepPlace(job);
        tables.delete(run, job);
        tables.post(run, order.outcome().with(notes));
        return Outcome.APPLIED;
    }

    private Outcome giveBack(JobOrder.GiveBack order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (!job.isLeased()) {
            return Outcome.REFUSED;
        }
        JobOrder.Next next = order.next();
        tables.keepPlace(job);
        job.failedAttempt(next.attempt(), noted(order, job), order.lastFailure(), next.options());
        tables.putBack(job, next.delay());
        return Outcome.APPLIED;
    }

    private static String noted(JobOrder order, Job job) {
        String notes = JobNotes.with(job.notes(), order.trace().note());
        return notes == null ? "[]" : notes;
    }

    private Outcome beat(JobOrder.Beat order, Job job) {
        if (!job.seen().equals(order.seen())) {
            return Outcome.CHANGED;
        }
        if (job.state() == ActivityState.EXTERNAL) {
            job.silentUntil(order.silentUntil());
            job.revised(null);
            tables.jobs().reschedule(job);
        }
        job.heartbeat(order.details());
        return Outcome.APPLIED;
    }
}
