package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one step of a run writes in one transaction: events, jobs, consumed messages, timers, new fence.
 * Applied whole, and only if the run still has {@code fence}, its next event id is {@code nextEventId} and every lease
 * in {@code settled} is still held. A run that had stalled is no longer stalled once a transition is applied.
 *
 * @param run the run
 * @param fence the fence under which the run was last read or written
 * @param newFence random, new for each attempt to write
 * @param nextEventId id of the first event; events must follow without a gap
 * @param events whole turns, informing events, and the closing event last if close is set
 * @param consumed ids of the messages that became events or were dropped as known: deleted from the inbox
 * @param settled jobs of this run that ended here, with the lease they ended under: deleted with their heartbeats
 * @param cancelled seqs of activities cancelled: a job that no worker runs is deleted and ActivityCancelled put into
 *     the inbox ({@link CancelledIdleJob}), a running one is marked so that its worker learns of it; one that has ended
 *     is ignored
 * @param jobs jobs to be inserted; none if the run closes
 * @param park whether the claim ends with this transition: owned_until is cleared. If messages wait, the outcome is
 *     APPLIED_MORE and owned_until stays as it was, unless the run {@linkplain #movesNothing() has not moved}: then it
 *     is not certain that this process goes on with it, and any process may claim it
 * @param wakeAt when its earliest timer is due; null is no timer. The stored wake is only lowered, as a spurious wake
 *     is harmless and a lost one is not; but if the run is parked, a stored wake that has passed is replaced
 * @param stall set when the run can't go on for now: only the reason and the time of the next try are written; the run
 *     is parked under the new fence, and its messages and timers stay. Null otherwise
 * @param close set when the run closes
 */
public record Transition(
        RunKey run,
        UUID fence,
        UUID newFence,
        long nextEventId,
        List<StoredEvent> events,
        List<UUID> consumed,
        List<Settled> settled,
        List<Integer> cancelled,
        List<NewJob> jobs,
        boolean park,
        @Nullable Instant wakeAt,
        @Nullable Stall stall,
        @Nullable Close close) {

    public Transition {
        events = List.copyOf(events);
        consumed = List.copyOf(consumed);
        settled = List.copyOf(settled);
        cancelled = List.copyOf(cancelled);
        jobs = List.copyOf(jobs);
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).id() != nextEventId + i) {
                throw new IllegalArgumentException("event " + events.get(i).id() + " of " + run + " stands where "
                        + (nextEventId + i) + " must: a history has no gap");
            }
        }
    }

    /** Returns whether the transition leaves the run where it was: no events, no message consumed. */
    public boolean movesNothing() {
        return events.isEmpty() && consumed.isEmpty();
    }

    /**
     * This transition, if it closes the run, with the events of the run's remaining jobs before the closing event.
     *
     * @param left events whose ids are not given yet
     */
    public Transition closingWith(List<StoredEvent> left) {
        if (close == null || left.isEmpty()) {
            return this;
        }
        List<StoredEvent> all = new ArrayList<>(events.subList(0, events.size() - 1));
        Stream.concat(left.stream(), Stream.of(events.getLast()))
                .forEach(e -> all.add(
                        new StoredEvent(nextEventId + all.size(), e.type(), e.at(), e.messageId(), e.attributes())));
        return new Transition(
                run, fence, newFence, nextEventId, all, consumed, settled, cancelled, jobs, park, wakeAt, stall, close);
    }

    /** This transition to be sent again, under a fresh fence. */
    public Transition withNewFence(UUID fresh) {
        return new Transition(
                run, fence, fresh, nextEventId, events, consumed, settled, cancelled, jobs, park, wakeAt, stall, close);
    }

    /** This transition against another fence, for when only a claim of this process came between. */
    public Transition withFence(UUID current, UUID fresh) {
        return new Transition(
                run,
                current,
                fresh,
                nextEventId,
                events,
                consumed,
                settled,
                cancelled,
                jobs,
                park,
                wakeAt,
                stall,
                close);
    }

    /**
     * A job that ended in this worker.
     *
     * @param seq its number in the run
     * @param lease the lease token under which it ended
     * @param heartbeats whether heartbeat details of it may be in the store
     */
    public record Settled(int seq, UUID lease, boolean heartbeats) {

        /** A job that may have sent heartbeats. */
        public Settled(int seq, UUID lease) {
            this(seq, lease, true);
        }

        @Override
        public String toString() {
            return RecordText.of(this);
        }
    }

    /**
     * The reason why a run can't go on for now, and how long to wait before the next try.
     *
     * @param reason shown to people: the divergence with its diff, or the Error
     * @param retryIn back-off
     */
    public record Stall(String reason, Duration retryIn) {}

    /**
     * The end of the run: its jobs, their heartbeats and its inbox are deleted; the notes of jobs that are not in
     * {@code settled} are written before the closing event, whose id becomes higher by that ({@link LeftJob}). The
     * close is refused if a message waits that is not in {@code consumed}, the outcome of an activity included.
     *
     * @param status how it closed
     * @param result JSON text; null without
     * @param failure JSON text; null without
     * @param force after three refusals: if it is refused again, the run is marked as closing under its present fence,
     *     so that senders wait (outcomes of activities still come in)
     */
    public record Close(
            WorkflowStatus status,
            @Nullable String result,
            @Nullable String failure,
            boolean force) {
        @Override
        public String toString() {
            return RecordText.of(this);
        }
    }

    /** The result of a transition. */
    public enum Outcome {
        /** Written; no message waits (or the transition did not park the run). */
        APPLIED,
        /** Written, and messages wait: feed them instead of parking the run. */
        APPLIED_MORE,
        /** Nothing was written: the fence was replaced, the next event id differs, or the run is closed. */
        FENCE_LOST,
        /** Nothing was written: the lease of a job in {@code settled} is no longer held; its completion is stale. */
        STALE,
        /** Nothing was written: the run can't close, as a message waits (or the outcome of a job is on its way). */
        CLOSE_REFUSED,
        /**
         * Nothing was written: a row of the run or of a job of it is locked by another transaction; send the transition
         * again, alone.
         */
        LOCKED
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
