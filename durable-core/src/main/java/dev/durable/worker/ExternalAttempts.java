package dev.durable.worker;

import dev.durable.ActivityOptions;
import dev.durable.ActivityTimedOutException;
import dev.durable.CancelledException;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobOrder;
import dev.durable.store.MessageKind;
import dev.durable.store.OpenJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What follows when an attempt that is in the hands of others fails or runs out of time: as {@link AttemptEnd} decides for
 * attempts that run here, but as an order for a job as it was seen.
 */
final class ExternalAttempts {
    private final HistoryStore store;
    private final RandomGenerator random;
    private final ActivityHost.Code code;
    private final String identity;

    /**
     * @param code what is registered here, for the failures that signatures name
     * @param identity how this process is named in events
     */
    ExternalAttempts(HistoryStore store, RandomGenerator random, ActivityHost.Code code, String identity) {
        this.store = store;
        this.random = random;
        this.code = code;
        this.identity = identity;
    }

    /** Whoever has the token says that it failed. */
    JobOrder failed(OpenJob job, Throwable thrown) {
        Failure failure = code.failures()
                .encode(
                        thrown,
                        code.bindings()
                                .apply(job.activity())
                                .map(binding -> binding.activity().spec().named())
                                .orElse(List.of()));
        if (job.cancelRequested()) {
            return saysSo(thrown) ? end(job, cancelled(job), null) : end(job, failedForGood(job, failure), null);
        }
        return switch (verdict(job, thrown)) {
            case Verdict.Defer defer -> again(job, Notes.FAILED, failure, defer.delay());
            case Verdict.Retry retry -> again(job, Notes.FAILED, failure, retry.delay());
            case Verdict.GiveUp ignored -> end(job, failedForGood(job, failure), null);
            case Verdict.Exhausted ignored -> end(job, failedForGood(job, failure), null);
            case Verdict.OutOfTime ignored ->
                end(job, timedOut(job, TimeoutType.SCHEDULE_TO_CLOSE), note(job, Notes.FAILED, failure, null));
        };
    }

    /** Nobody ended it in time, or told that it lives. */
    JobOrder overdue(OpenJob job) {
        TimeoutType timeout = which(job);
        Failure failure = Failure.of(
                ActivityTimedOutException.class.getName(),
                "attempt " + job.seen().attempt() + " of " + job.activity()
                        + ", which was left to the holder of its token," + " ran out of "
                        + timeout.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        Throwable thrown = new ActivityTimedOutException(
                String.valueOf(failure.message()),
                job.activity(),
                job.key().seq(),
                job.seen().attempt(),
                timeout,
                null);
        if (timeout == TimeoutType.SCHEDULE_TO_CLOSE || job.cancelRequested()) {
            return end(job, timedOut(job, timeout), null);
        }
        return switch (verdict(job, thrown)) {
            case Verdict.Retry retry -> again(job, Notes.TIMED_OUT, failure, retry.delay());
            case Verdict.OutOfTime ignored ->
                end(job, timedOut(job, TimeoutType.SCHEDULE_TO_CLOSE), note(job, Notes.TIMED_OUT, failure, null));
            default -> end(job, timedOut(job, timeout), null);
        };
    }

    private Instant now() {
        return store.clock().now();
    }

    private static TimeoutType which(OpenJob job) {
        Instant deadline = job.times().deadline();
        Instant silent = job.times().silentUntil();
        if (silent != null && (deadline == null || silent.isBefore(deadline))) {
            return TimeoutType.HEARTBEAT;
        }
        return deadline != null && deadline.equals(job.times().scheduleToCloseDeadline())
                ? TimeoutType.SCHEDULE_TO_CLOSE
                : TimeoutType.START_TO_CLOSE;
    }

    private Verdict verdict(OpenJob job, Throwable thrown) {
        ActivityOptions options = OptionsJson.decode(job.options());
        Instant close = job.times().scheduleToCloseDeadline();
        Duration left = close == null ? null : Duration.between(now(), close);
        return Verdict.of(
                thrown, new Verdict.Standing(options.retry(), job.seen().attempt(), left), random);
    }

    private JobOrder again(OpenJob job, String reason, Failure failure, Duration delay) {
        return new JobOrder.FailAttempt(
                job.key(),
                JobOrder.Trace.NONE,
                job.seen(),
                delay,
                note(job, reason, failure, now().plus(delay)),
                AttemptReport.shown(failure));
    }

    private String note(OpenJob job, String reason, Failure failure, @Nullable Instant nextAttemptAt) {
        return EventJson.note(new ActivityAttemptFailed(
                0, now(), job.key().seq(), job.seen().attempt(), reason, failure, nextAttemptAt, 0));
    }

    private JobOrder end(OpenJob job, HistoryEvent.ActivityClosed outcome, @Nullable String note) {
        InboxMessage message = new InboxMessage(
                id(job), MessageKind.ACTIVITY_OUTCOME, outcome.type(), EventJson.attributes(outcome), null, null);
        return new JobOrder.End(job.key(), new JobOrder.Trace(null, note), job.seen(), message);
    }

    private ActivityFailed failedForGood(OpenJob job, Failure failure) {
        return new ActivityFailed(0, now(), job.key().seq(), job.seen().attempt(), id(job), failure, identity, null);
    }

    private ActivityTimedOut timedOut(OpenJob job, TimeoutType timeout) {
        return new ActivityTimedOut(
                0, now(), job.key().seq(), job.seen().attempt(), id(job), timeout, details(job), null);
    }

    private ActivityCancelled cancelled(OpenJob job) {
        return new ActivityCancelled(0, now(), job.key().seq(), job.seen().attempt(), id(job), details(job), null);
    }

    /** One a lease: an attempt ends once. */
    private static UUID id(OpenJob job) {
        return UUID.nameUUIDFromBytes((job.seen().lease() + " ended").getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Payload details(OpenJob job) {
        String details = job.heartbeatDetails();
        return details == null ? null : new Payload(details);
    }

    private static boolean saysSo(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                .limit(100)
                .anyMatch(CancelledException.class::isInstance);
    }
}
