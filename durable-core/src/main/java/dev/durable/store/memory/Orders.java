package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.client.AuditEntry;
import dev.durable.history.InboxMessage;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Audit;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OrderRules;
import org.jspecify.annotations.Nullable;

/** Carries out in the in-memory store what operators, holders of tokens and timeouts want of a job (retry, pause, reschedule,
 * end), where {@link OrderRules} let them through. */
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
        Outcome outcome = OrderRules.judge(order, job.found());
        if (outcome == Outcome.APPLIED) {
            if (OrderRules.endsAttempt(order)) {
                tables.keepPlace(job);
            }
            carryOut(order, run, job);
            if (audit != null) {
                tables.audit()
                        .add(new AuditEntry(
                                audit.id(),
                                tables.now(),
                                audit.actor(),
                                audit.action(),
                                order.target(),
                                audit.details()));
            }
        }
        return outcome;
    }

    private static boolean wasCarriedOut(@Nullable RunRow run, JobOrder order) {
        return run != null
                && order instanceof JobOrder.End end
                && (run.inbox().contains(end.outcome().messageId())
                        || run.hasRecorded(end.outcome().messageId()));
    }

    private void carryOut(JobOrder order, RunRow run, Job job) {
        switch (order) {
            case JobOrder.RetryNow now -> {
                job.revised(now.trace().note());
                tables.retryNow(job);
            }
            case JobOrder.Reschedule to -> reschedule(to, job);
            case JobOrder.Pause pause -> pause(pause, job, true);
            case JobOrder.Resume resume -> pause(resume, job, false);
            case JobOrder.Cancel cancel -> tables.post(run, cancel.request());
            case JobOrder.UpdateTimeout update -> {
                job.deadline(update.deadline());
                job.revised(update.trace().note());
                tables.jobs().reschedule(job);
            }
            case JobOrder.UpdateOptions update -> {
                job.options(update);
                job.revised(update.trace().note());
                tables.jobs().reschedule(job);
            }
            case JobOrder.Revive revive -> {
                job.revive(revive);
                job.revised(revive.trace().note());
                tables.retryNow(job);
            }
            case JobOrder.Bury bury -> {
                job.failedAttempt(
                        bury.seen().attempt() + 1, OrderRules.noted(bury, job.notes()), bury.lastFailure(), null);
                tables.bury(job, bury.incident(), bury.fingerprint());
            }
            case JobOrder.End end -> {
                InboxMessage outcome = OrderRules.outcome(end, job.allNotes());
                tables.delete(run, job);
                tables.post(run, outcome);
            }
            case JobOrder.GiveBack back -> {
                JobOrder.Next next = back.next();
                job.failedAttempt(
                        next.attempt(), OrderRules.noted(back, job.notes()), back.lastFailure(), next.options());
                tables.putBack(job, next.delay());
            }
            case JobOrder.Beat beat -> beat(beat, job);
        }
    }

    private void reschedule(JobOrder.Reschedule order, Job job) {
        JobDeadlines moved = order.moved();
        if (moved != null) {
            job.moved(moved);
        }
        job.revised(order.trace().note());
        tables.reschedule(job, order.at());
    }

    private void pause(JobOrder order, Job job, boolean on) {
        job.revised(order.trace().note());
        tables.pause(job, on);
    }

    private void beat(JobOrder.Beat order, Job job) {
        if (job.state() == ActivityState.EXTERNAL) {
            job.silentUntil(order.silentUntil());
            job.revised(null);
            tables.jobs().reschedule(job);
        }
        job.heartbeat(order.details());
    }
}
