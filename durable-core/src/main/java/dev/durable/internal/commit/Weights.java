package dev.durable.internal.commit;

import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.StoredEvent;
import dev.durable.store.Transition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Estimates how many bytes of heap an item that waits to be written takes. */
public final class Weights {
    private static final long OBJECT = 500;

    private Weights() {}

    public static long of(Delivery delivery) {
        return OBJECT + of(delivery.message());
    }

    public static long of(NewRun run) {
        return OBJECT + ofEvents(run.events()) + ofJobs(run.jobs()) + of(run.message());
    }

    public static long of(JobUpdate update) {
        return OBJECT + (update instanceof JobUpdate.Settle settle ? of(settle.outcome()) : 0);
    }

    public static long of(TransitionLane.Entry entry) {
        return of(entry.transition());
    }

    /** Of what a claim has read of a run. */
    public static long of(@Nullable List<StoredEvent> page, List<InboxMessage> messages) {
        long bytes = OBJECT + (page == null ? 0 : ofEvents(page));
        for (InboxMessage message : messages) {
            bytes += of(message);
        }
        return bytes;
    }

    public static long of(Transition transition) {
        return OBJECT + ofEvents(transition.events()) + ofJobs(transition.jobs());
    }

    public static long of(ClaimedJob job) {
        return OBJECT + job.input().length() + length(job.heartbeatDetails()) + length(job.notes());
    }

    /** Of a job and what it ended with. */
    public static long of(ClaimedJob job, InboxMessage outcome) {
        return of(job) + of(outcome);
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private static long of(@Nullable InboxMessage message) {
        return message == null ? 0 : message.payload().length();
    }

    private static long ofEvents(List<StoredEvent> events) {
        long bytes = 0;
        for (StoredEvent event : events) {
            bytes += event.attributes().length();
        }
        return bytes;
    }

    private static long ofJobs(List<NewJob> jobs) {
        long bytes = 0;
        for (NewJob job : jobs) {
            bytes += job.input().length();
        }
        return bytes;
    }
}
