package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.history.InboxMessage;
import dev.durable.store.ChildOutcome;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges.JobBuried;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.Nudges.OutboxFilled;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.OpenJob;
import dev.durable.store.OrphanedJob;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.ParentClosed;
import dev.durable.store.PurgedDeadLetter;
import dev.durable.store.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables of the in-memory store, and the writes that touch more than one of them. */
final class Tables {
    private final RunTable runs = new RunTable();
    private final JobQueues jobs = new JobQueues();
    private final QueueSettings settings = new QueueSettings();
    private final Sessions sessions = new Sessions();
    private final Places places = new Places();
    private final AuditLog audit = new AuditLog();
    private final Outbox outbox = new Outbox();
    private final Replies replies = new Replies(this);
    private final Streams streams = new Streams(this);
    private final PendingNudges hints = new PendingNudges();
    private final StoreClock clock;

    Tables(StoreClock clock) {
        this.clock = clock;
    }

    RunTable runs() {
        return runs;
    }

    JobQueues jobs() {
        return jobs;
    }

    QueueSettings settings() {
        return settings;
    }

    Sessions sessions() {
        return sessions;
    }

    Places places() {
        return places;
    }

    Outbox outbox() {
        return outbox;
    }

    AuditLog audit() {
        return audit;
    }

    Replies replies() {
        return replies;
    }

    Streams streams() {
        return streams;
    }

    PendingNudges hints() {
        return hints;
    }

    StoreClock clock() {
        return clock;
    }

    Instant now() {
        return clock.now();
    }

    /** Moves the run to the time at which it is due and nudges sleeping loops. */
    void place(RunRow run) {
        runs.place(run);
        Instant at = run.claimableAt();
        if (at != null && !at.isAfter(now())) {
            hints.owe(new RunsDue(run.start().taskQueue()));
        }
    }

    void post(RunRow run, InboxMessage message) {
        run.inbox().add(message, now());
        place(run);
    }

    /** Takes in the messages that the code of a run sends: into its own inbox, or into the outbox. */
    void send(RunRow run, List<OutgoingMessage> sends) {
        for (OutgoingMessage send : sends) {
            if (send.isTo(run.key())) {
                post(run, send.message());
            } else {
                owe(run, send);
            }
        }
    }

    void bear(RunRow run, List<NewJob> born) {
        for (NewJob spec : born) {
            Job job = new Job(new JobKey(run.key(), spec.seq()), spec);
            run.jobs().put(spec.seq(), job);
            jobs.add(job, now());
            if (job.state() == ActivityState.DELAYED && spec.isDueSoon()) {
                hints.owe(new JobsReady(spec.route().taskQueue()));
            }
            hintIfReady(job);
        }
    }

    /** Deletes the job and its heartbeat details. */
    void delete(RunRow run, Job job) {
        run.jobs().remove(job.key().seq());
        jobs.remove(job);
    }

    /** Puts back a job that no worker runs any more, for another attempt, or ends it if it is to be cancelled. */
    void putBack(Job job, Duration delay) {
        if (job.cancelRequested()) {
            endCancelled(job);
        } else {
            jobs.putBack(job, delay, now());
            hintIfReady(job);
        }
    }

    /** Applies the decision about a job whose worker is gone. */
    void orphaned(Job job, OrphanedJob.Decision decision) {
        switch (decision) {
            case OrphanedJob.Decision.Requeued how -> {
                job.requeued(how);
                putBack(job, Duration.ZERO);
            }
            case OrphanedJob.Decision.Cancelled ignored -> endCancelled(job);
            case OrphanedJob.Decision.Ended how -> endIdle(job, how.outcome());
            case OrphanedJob.Decision.Failed how -> {
                job.failed(how);
                bury(job, how.incident(), how.fingerprint());
            }
        }
    }

    /**
     * Keeps a job that has used up its attempts or crashes as a dead letter or an incident; one whose cancellation was
     * requested ends instead.
     */
    void bury(Job job, boolean incident, String fingerprint) {
        if (job.cancelRequested()) {
            endCancelled(job);
        } else {
            jobs.bury(job, incident, new OpenJob.Burial(now(), fingerprint));
            hints.owe(new JobBuried());
        }
    }

    /** Ends a dead letter whose retention is over. */
    void purge(Job job) {
        endIdle(
                job,
                PurgedDeadLetter.outcome(job.key(), job.seen().attempt(), job.lastFailure(), now(), job.allNotes()));
    }

    /** Cancels a job for its workflow: a running job is marked so that its worker learns of it, any other ends here. */
    void cancel(Job job) {
        job.requestCancel();
        if (!job.isLeased()) {
            endCancelled(job);
        }
    }

    /** Keeps the place of a job whose attempt is over while its body may go on, if limits count it. */
    void keepPlace(Job job) {
        boolean limited = job.spec().limitKey() != null
                || settings.limits(job.spec().route().taskQueue()).concurrency() != null;
        places.keep(job, limited, now());
    }

    /** Ends the run: its jobs and its inbox are deleted. */
    void end(RunRow run, RunRow.Ending ending) {
        for (Job job : List.copyOf(run.jobs().values())) {
            keepPlace(job);
            delete(run, job);
        }
        run.end(ending);
        runs.place(run);
        tellFamily(run, ending);
        hints.owe(new RunClosed(run.key().runId()));
    }

    /** Sends the outcome to the parent, and the order to end the children by their policies, as the chain has ended. */
    private void tellFamily(RunRow run, RunRow.Ending ending) {
        runs.leaveParent(run);
        if (ending.next() != null) {
            return;
        }
        NewRun.Parent parent = run.parent();
        if (parent != null) {
            InboxMessage outcome =
                    ChildOutcome.ended(chain(run), parent.number(), ending.status(), ending.result(), ending.failure());
            owe(run, OutgoingMessage.outcome(chain(run), parent, outcome));
        }
        if (!runs.openChildren(chain(run)).isEmpty()) {
            owe(run, ParentClosed.order(chain(run), run.key().workflowId()));
        }
    }

    /** Puts a message into the outbox. */
    void owe(RunRow from, OutgoingMessage message) {
        outbox.add(message, from.key().workflowId(), now());
        hints.owe(new OutboxFilled());
    }

    /** The chain of a run: the id of its first run. */
    private static UUID chain(RunRow run) {
        return run.chainId();
    }

    /** Starts the run that continues a closed one, with the messages that waited for that. */
    void goOn(NewRun next, RunRow closed, List<InboxMessage> waiting) {
        RunRow run = new RunRow(next, now(), closed);
        run.inbox().moveHere(waiting);
        runs.add(run);
        place(run);
    }

    /** Ends a job that timed out while no worker ran it. */
    void timeOut(Job job) {
        endIdle(job, job.timedOutOutcome(now()));
    }

    private void endCancelled(Job job) {
        endIdle(job, job.cancelledOutcome());
    }

    private void endIdle(Job job, InboxMessage outcome) {
        RunRow run = owner(job);
        delete(run, job);
        post(run, outcome);
    }

    private RunRow owner(Job job) {
        @Nullable RunRow run = runs.find(job.key().run().runId());
        if (run == null) {
            throw new IllegalStateException(job.key() + " outlived its run");
        }
        return run;
    }

    /** Pauses or resumes a job. */
    void pause(Job job, boolean on) {
        jobs.pause(job, on, now());
        hintIfReady(job);
    }

    /** Makes the next attempt due now. */
    void retryNow(Job job) {
        jobs.putBack(job, Duration.ZERO, now());
        hintIfReady(job);
    }

    /** Makes the next attempt due at this time, or as soon as the job is resumed. */
    void reschedule(Job job, Instant at) {
        jobs.putBack(job, Duration.between(now(), at), now());
        hintIfReady(job);
    }

    private void hintIfReady(Job job) {
        switch (job.state()) {
            case READY, WAITING -> hints.owe(new JobsReady(job.spec().route().taskQueue()));
            case DELAYED, RUNNING, DEAD, PAUSED, EXTERNAL, INCIDENT -> {}
        }
    }
}
