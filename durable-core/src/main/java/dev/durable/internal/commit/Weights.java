package dev.durable.internal.commit;

import static dev.durable.internal.text.Portion.heapBytes;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.Transition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Estimates how many bytes of heap an item takes: all texts that may be long, and a flat rate for its objects. */
public final class Weights {
    private static final long OBJECT = 500;

    private Weights() {}

    /** Returns the bytes of names and values. */
    public static long of(Map<String, String> texts) {
        long bytes = 0;
        for (Map.Entry<String, String> text : texts.entrySet()) {
            bytes += heapBytes(text.getKey()) + heapBytes(text.getValue());
        }
        return bytes;
    }

    public static long of(Delivery delivery) {
        return OBJECT + of(delivery.message());
    }

    public static long of(NewRun run) {
        return OBJECT
                + ofEvents(run.firstTurn().events())
                + ofJobs(run.firstTurn().jobs())
                + of(run.memo())
                + heapBytes(run.firstTurn().details())
                + of(run.firstTurn().build())
                + of(run.firstTurn().copied())
                + of(run.message());
    }

    public static long of(JobUpdate update) {
        return OBJECT + ofTexts(update);
    }

    private static long ofTexts(JobUpdate update) {
        return switch (update) {
            case JobUpdate.Settle settle -> of(settle.outcome());
            case JobUpdate.Retry retry ->
                heapBytes(retry.notes())
                        + heapBytes(retry.lastFailure())
                        + heapBytes(retry.details())
                        + of(retry.options());
            case JobUpdate.Bury bury ->
                heapBytes(bury.notes())
                        + heapBytes(bury.lastFailure())
                        + heapBytes(bury.details())
                        + of(bury.options());
            case JobUpdate.Release release -> heapBytes(release.details()) + of(release.why());
            case JobUpdate.Unread unread -> heapBytes(unread.notes()) + heapBytes(unread.lastFailure());
            case JobUpdate.Heartbeat beat -> heapBytes(beat.details());
            case JobUpdate.Append append -> heapBytes(append.entry().value());
            case JobUpdate.Annotate annotated -> heapBytes(annotated.notes()) + of(annotated.options());
            case JobUpdate.Detach detached ->
                heapBytes(detached.notes()) + heapBytes(detached.details()) + of(detached.options());
            case JobUpdate.BodyGoesOn goesOn -> ofTexts(goesOn.end());
            case JobUpdate.FreePlace ignored -> 0;
        };
    }

    private static long of(JobUpdate.Release.@Nullable Why why) {
        return why == null ? 0 : heapBytes(why.notes()) + heapBytes(why.lastFailure());
    }

    private static long of(JobUpdate.@Nullable NewOptions options) {
        return options == null ? 0 : heapBytes(options.json()) + heapBytes(options.insteadOf());
    }

    public static long of(TransitionLane.Entry entry) {
        return of(entry.transition());
    }

    /** Returns the bytes that a claim has read of a run. */
    public static long of(@Nullable List<StoredEvent> page, List<InboxMessage> messages) {
        long bytes = OBJECT + (page == null ? 0 : ofEvents(page));
        for (InboxMessage message : messages) {
            bytes += of(message);
        }
        return bytes;
    }

    public static long of(Transition transition) {
        Transition.Close close = transition.close();
        return OBJECT
                + ofEvents(transition.events())
                + ofJobs(transition.jobs().scheduled())
                + ofSends(transition.sends())
                + heapBytes(transition.details())
                + of(transition.build())
                + transition.appends().stream()
                        .mapToLong(entry -> heapBytes(entry.value()))
                        .sum()
                + transition.mail().replies().stream()
                        .mapToLong(reply -> heapBytes(reply.body()))
                        .sum()
                + (close == null ? 0 : heapBytes(close.result()) + heapBytes(close.failure()))
                + (transition.next() == null ? 0 : of(transition.next()));
    }

    private static long of(NewRun.@Nullable Copied copied) {
        return copied == null
                ? 0
                : copied.messages().stream().mapToLong(Weights::of).sum() + heapBytes(copied.reason());
    }

    private static long of(Transition.@Nullable Build build) {
        return build == null ? 0 : heapBytes(build.name());
    }

    public static long of(ClaimedJob job) {
        return OBJECT
                + heapBytes(job.content().input())
                + heapBytes(job.content().options())
                + heapBytes(job.content().headers())
                + heapBytes(job.heartbeatDetails())
                + heapBytes(job.notes());
    }

    /** Returns the bytes of a job and its outcome. */
    public static long of(ClaimedJob job, InboxMessage outcome) {
        return of(job) + of(outcome);
    }

    /** Returns the bytes of a message; 0 for null. */
    public static long of(@Nullable InboxMessage message) {
        return message == null ? 0 : heapBytes(message.payload()) + heapBytes(message.notes());
    }

    private static long ofEvents(List<StoredEvent> events) {
        long bytes = 0;
        for (StoredEvent event : events) {
            bytes += heapBytes(event.attributes());
        }
        return bytes;
    }

    private static long ofSends(List<OutgoingMessage> sends) {
        long bytes = 0;
        for (OutgoingMessage send : sends) {
            bytes += of(send.message());
        }
        return bytes;
    }

    private static long ofJobs(List<NewJob> jobs) {
        long bytes = 0;
        for (NewJob job : jobs) {
            bytes += heapBytes(job.content().input())
                    + heapBytes(job.content().options())
                    + heapBytes(job.content().headers());
        }
        return bytes;
    }
}
