package dev.durable.store.contract;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.JobContent;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobRoute;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Activities as text: jobs, events and outcomes with as much in them as a store or an invariant may look at. */
public final class Outcomes {
    private Outcomes() {}

    public static NewJob job(int seq, Instant at) {
        return job(seq, at, StoreContract.ACTIVITY, StoreContract.QUEUE, 0, null);
    }

    /** A ready one with deadlines of its own; null is none. */
    public static NewJob job(int seq, Instant at, Instant toStart, Instant toClose) {
        NewJob job = job(seq, at);
        return new NewJob(
                seq,
                job.route(),
                job.priority(),
                job.content(),
                new JobDeadlines(at, toStart, toClose),
                job.maxWorkerCrashes(),
                null,
                null,
                Duration.ZERO);
    }

    public static NewJob job(int seq, Instant at, String activity, String queue, int priority, NewJob.Lease eager) {
        return new NewJob(
                seq,
                new JobRoute(activity, queue, StoreContract.TYPE),
                priority,
                new JobContent(
                        "[" + seq + ",\"" + MarkedLines.MARKER + "\"]",
                        "{\"priority\":" + priority + "}",
                        "{\"tenant\":\"a\",\"trace\":\"" + MarkedLines.MARKER + "\"}"),
                new JobDeadlines(at, null, at.plus(Duration.ofHours(1))),
                2,
                eager,
                null,
                Duration.ZERO);
    }

    /** One with this input. */
    public static NewJob job(int seq, Instant at, String input) {
        NewJob job = job(seq, at);
        return new NewJob(
                seq,
                job.route(),
                job.priority(),
                new JobContent(input, job.content().options(), job.content().headers()),
                new JobDeadlines(at, null, null),
                job.maxWorkerCrashes(),
                null,
                null,
                Duration.ZERO);
    }

    /** One that waits until its limit key lets it through. */
    public static NewJob keyed(int seq, Instant at, String key) {
        NewJob job = job(seq, at);
        return new NewJob(
                seq,
                job.route(),
                job.priority(),
                job.content(),
                new JobDeadlines(at, null, job.deadlines().toClose()),
                job.maxWorkerCrashes(),
                null,
                key,
                Duration.ZERO);
    }

    /** One that may be claimed later. */
    public static NewJob delayed(int seq, Instant at, Duration delay) {
        NewJob job = job(seq, at);
        return new NewJob(
                seq,
                job.route(),
                job.priority(),
                job.content(),
                new JobDeadlines(at.plus(delay), null, at.plus(delay).plus(Duration.ofHours(1))),
                job.maxWorkerCrashes(),
                null,
                null,
                delay);
    }

    public static StoredEvent scheduled(long id, Instant at, int seq) {
        return new StoredEvent(id, "ActivityScheduled", at, null, "{\"seq\":" + seq + "}");
    }

    public static StoredEvent completed(long id, Instant at, int seq, UUID lease) {
        return new StoredEvent(id, "ActivityCompleted", at, lease, result(seq));
    }

    public static JobUpdate.Settle completed(JobKey key, UUID lease) {
        return new JobUpdate.Settle(
                key,
                lease,
                new InboxMessage(
                        lease, MessageKind.ACTIVITY_OUTCOME, "ActivityCompleted", result(key.seq()), null, null));
    }

    private static String result(int seq) {
        return "{\"seq\":" + seq + ",\"attempt\":1,\"result\":\"" + MarkedLines.MARKER + "\"}";
    }
}
