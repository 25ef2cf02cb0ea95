package dev.durable.store;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run to be started: its rows, first events, jobs and policies. A resend with the same run id is recognised, also
 * after the run closed.
 *
 * @param run the run, with an id that the client has made
 * @param type workflow type
 * @param formerTypes other names that the type has or had: an open run under one of them is of the same type
 * @param taskQueue its queue
 * @param needs level of guarded behaviours that a worker must be able to replay to claim it; 0 is any
 * @param fence its first fence
 * @param events WorkflowStarted and, if the first turn ran at once, the events of that turn
 * @param jobs the jobs of the first turn
 * @param wakeAt if the first turn is done: when its earliest timer is due, null without; ignored otherwise
 * @param startDelay if the first turn is not done: how long until the run is due; ignored otherwise
 * @param firstTurnDone whether events hold the first turn
 * @param reusePolicy judged against the latest closed run of the workflow id
 * @param conflictPolicy what the caller does about AlreadyOpen: throw, use the open run, or terminate it and start
 *     again; the store never closes a run because of it
 * @param deadline when the run times out; null is never
 * @param expiresAt listed as expired if its first turn is not written by then; null is never
 * @param memo notes for listings
 * @param message a signal that goes into the inbox with a new run, in the same commit; null without. If a run is open
 *     already, the signal goes into the inbox of that run, also in that commit, if the conflict policy is USE_EXISTING
 *     and it is {@linkplain #isOfType of the same type}; else it is not delivered
 * @param place its place in a batch of background jobs, in whose order its job stands in the queue; null without
 */
public record NewRun(
        RunKey run,
        String type,
        List<String> formerTypes,
        String taskQueue,
        int needs,
        UUID fence,
        List<StoredEvent> events,
        List<NewJob> jobs,
        @Nullable Instant wakeAt,
        Duration startDelay,
        boolean firstTurnDone,
        ReusePolicy reusePolicy,
        ConflictPolicy conflictPolicy,
        @Nullable Instant deadline,
        @Nullable Instant expiresAt,
        Map<String, String> memo,
        @Nullable InboxMessage message,
        @Nullable BatchPlace place) {

    /** A run that belongs to no batch. */
    public NewRun(
            RunKey run,
            String type,
            List<String> formerTypes,
            String taskQueue,
            int needs,
            UUID fence,
            List<StoredEvent> events,
            List<NewJob> jobs,
            @Nullable Instant wakeAt,
            Duration startDelay,
            boolean firstTurnDone,
            ReusePolicy reusePolicy,
            ConflictPolicy conflictPolicy,
            @Nullable Instant deadline,
            @Nullable Instant expiresAt,
            Map<String, String> memo,
            @Nullable InboxMessage message) {
        this(
                run,
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                events,
                jobs,
                wakeAt,
                startDelay,
                firstTurnDone,
                reusePolicy,
                conflictPolicy,
                deadline,
                expiresAt,
                memo,
                message,
                null);
    }

    public NewRun {
        formerTypes = List.copyOf(formerTypes);
        events = List.copyOf(events);
        jobs = List.copyOf(jobs);
        memo = Map.copyOf(memo);
    }

    /** Returns whether an open run of this workflow type counts as one of the type to be started. */
    public boolean isOfType(String open) {
        return open.equals(type) || formerTypes.contains(open);
    }

    /** Returns whether the message goes to a run that is open already. */
    public boolean tellsOpenRuns() {
        return message != null && conflictPolicy == ConflictPolicy.USE_EXISTING;
    }

    public NewRun withMessage(@Nullable InboxMessage other) {
        return new NewRun(
                run,
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                events,
                jobs,
                wakeAt,
                startDelay,
                firstTurnDone,
                reusePolicy,
                conflictPolicy,
                deadline,
                expiresAt,
                memo,
                other,
                place);
    }

    /** This start with its first turn done. */
    public NewRun withFirstTurn(List<StoredEvent> events, List<NewJob> jobs, @Nullable Instant wakeAt) {
        return new NewRun(
                run,
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                events,
                jobs,
                wakeAt,
                Duration.ZERO,
                true,
                reusePolicy,
                conflictPolicy,
                deadline,
                expiresAt,
                memo,
                message,
                place);
    }

    /** This start with its first event only. */
    public NewRun withStarted(StoredEvent started) {
        return new NewRun(
                run,
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                List.of(started),
                List.of(),
                null,
                startDelay,
                false,
                reusePolicy,
                conflictPolicy,
                deadline,
                expiresAt,
                memo,
                message,
                place);
    }

    public NewRun at(@Nullable BatchPlace other) {
        return new NewRun(
                run,
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                events,
                jobs,
                wakeAt,
                startDelay,
                firstTurnDone,
                reusePolicy,
                conflictPolicy,
                deadline,
                expiresAt,
                memo,
                message,
                other);
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
