package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.StoredEvent;
import dev.durable.history.UpdateAccepted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one step of a run writes in one transaction: events, jobs, consumed messages, timers, new fence.
 * Applied whole, and only if the run still has the held fence, its next event id is {@code nextEventId} and every lease
 * of a settled job is still held. Each one that is applied ends what stalled the run.
 *
 * @param run the run
 * @param fences the fence it rests on and the one it leaves, and the build whose code makes the turns
 * @param nextEventId id of the first event; events must follow without a gap
 * @param events whole turns, informing events, and the closing event last if close is set
 * @param mail the messages that it consumes and sends, and the answers that it gives
 * @param jobs the jobs that it inserts and that it ends
 * @param park whether the activation ends with this transition: owned_until is cleared and the outcome tells if messages
 *     wait (APPLIED_MORE), in which case owned_until stays as it was, unless the run {@linkplain #movesNothing() has
 *     not moved}: then it is not certain that anybody here goes on, and the run is anybody's
 * @param wakeAt when its earliest timer is due; null is no timer. The stored wake is only lowered, a spurious wake being
 *     harmless and a lost one not; but where the run parks, a stored wake that has passed is replaced
 * @param stall set when the run can't go on for now: nothing else is written but why and until when; the run is parked
 *     under the new fence, and what woke it stays. Null otherwise
 * @param close set when the run closes
 */
public record Transition(
        RunKey run,
        Fences fences,
        long nextEventId,
        List<StoredEvent> events,
        Mail mail,
        JobChanges jobs,
        boolean park,
        @Nullable Instant wakeAt,
        @Nullable Stall stall,
        @Nullable Close close) {

    public Transition {
        events = List.copyOf(events);
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).id() != nextEventId + i) {
                throw new IllegalArgumentException("event " + events.get(i).id() + " of " + run + " stands where "
                        + (nextEventId + i) + " must: a history has no gap");
            }
        }
        if (close != null && !close.isRetried() && mail.sends.stream().anyMatch(send -> send.isTo(run))) {
            throw new IllegalArgumentException(
                    run + " sends a message to itself, and can't close before it was fed with it");
        }
    }

    /** A transition of turns that send nothing to workflows and answer no update. */
    public Transition(
            RunKey run,
            Fences fences,
            long nextEventId,
            List<StoredEvent> events,
            List<UUID> consumed,
            JobChanges jobs,
            boolean park,
            @Nullable Instant wakeAt,
            @Nullable Stall stall,
            @Nullable Close close) {
        this(
                run,
                fences,
                nextEventId,
                events,
                new Mail(run.runId(), consumed, List.of(), List.of(), null, List.of()),
                jobs,
                park,
                wakeAt,
                stall,
                close);
    }

    /** This transition, made by the code of a build. */
    public Transition by(@Nullable Build build) {
        return with(new Fences(fences.held, fences.next, build), events);
    }

    /** Returns the build whose code makes these turns, see {@link Fences}. */
    public @Nullable Build build() {
        return fences.build;
    }

    /** The ids of the messages that became events or were dropped as known. */
    public List<UUID> consumed() {
        return mail.consumed;
    }

    /** Returns the line that says what the run is doing, where its code has changed that; null leaves it as it is. */
    public @Nullable String details() {
        return mail.details;
    }

    /** The messages that the code has sent to workflows in these turns. */
    public List<OutgoingMessage> sends() {
        return mail.sends;
    }

    /** The entries that the code has appended to streams in these turns. */
    public List<NewEntry> appends() {
        return mail.appends;
    }

    /** Returns the run that continues the run, which this closes; null where it does not, or the chain ends. */
    public @Nullable NewRun next() {
        return close == null ? null : close.next;
    }

    /**
     * Returns whether a start takes the place of this run, which no worker has claimed: until then the fence of a run
     * that waits for its start is its run id. A request to cancel that waits refuses this, as it is not for that start.
     */
    public boolean isByStart() {
        return next() != null && fences.held().equals(run.runId());
    }

    /** Returns whether one of the messages that it sends is for the workflow id of its own run. */
    public boolean sendsToItself() {
        for (OutgoingMessage send : mail.sends) {
            if (send.isTo(run)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it accepts or answers an update, for which a caller may wait. */
    public boolean answersUpdates() {
        return !mail.replies.isEmpty()
                || (!mail.consumed.isEmpty()
                        && events.stream().anyMatch(e -> e.type().equals(UpdateAccepted.class.getSimpleName())));
    }

    /** Returns whether the transition leaves the run where it was: no events, no message consumed. */
    public boolean movesNothing() {
        return events.isEmpty() && mail.consumed.isEmpty();
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
        return with(fences, all);
    }

    /** This transition to be sent again, under a fresh fence. */
    public Transition withNewFence(UUID fresh) {
        return withFence(fences.held(), fresh);
    }

    /** This transition against another fence: where only a claim of our own came between. */
    public Transition withFence(UUID current, UUID fresh) {
        return with(new Fences(current, fresh, fences.build), events);
    }

    private Transition with(Fences others, List<StoredEvent> all) {
        return new Transition(run, others, nextEventId, all, mail, jobs, park, wakeAt, stall, close);
    }

    /**
     * The build whose code makes a transition.
     *
     * @param name its name; null for a process that names no build
     * @param pinned whether this build alone goes on with the run from here on; false leaves that as it is
     */
    public record Build(@Nullable String name, boolean pinned) {}

    /**
     * The fence that a transition rests on, the one that it leaves, and the build of the process that writes it.
     *
     * @param held the fence that the run was read or written under last
     * @param next random, new for each attempt to write
     * @param build the build whose code makes the turns, where the run's row has another; of a stall the build that can't
     *     go on, which alone is held back until the next try. Null leaves the run's row as it is, and a stall holds back all
     *     processes
     */
    public record Fences(UUID held, UUID next, @Nullable Build build) {
        /** Fences of a transition that leaves the build of the run's row as it is. */
        public Fences(UUID held, UUID next) {
            this(held, next, null);
        }

        @Override
        public String toString() {
            return "Fences";
        }
    }

    /**
     * The messages that a transition consumes and sends, the answers that it gives, and what it tells people.
     *
     * @param chain the chain of the run, under which its answers are kept
     * @param consumed ids of the messages that became events, were dropped as known, or were rejected: deleted from the
     *     inbox
     * @param sends the messages that the code has sent to workflows in these turns: written to the outbox, for {@link
     *     HistoryStore#relay}, or to the run's own inbox where they are for its own workflow id; then the run does not
     *     close here, and a transition that parks it answers APPLIED_MORE. Where another attempt follows it closes, and
     *     these messages are for that one, in the order and with the times that they have, before those that wait
     * @param replies answers to updates, whose callers find them as soon as the transition is written
     * @param details the line that says what the run is doing, where its code has changed that; empty takes it away, null
     *     leaves it as it is
     * @param appends the entries that the code has appended to streams of the chain in these turns, in their order: each
     *     stream's get the next offsets, under a lock on the stream that lasts until the commit
     */
    public record Mail(
            UUID chain,
            List<UUID> consumed,
            List<OutgoingMessage> sends,
            List<Reply> replies,
            @Nullable String details,
            List<NewEntry> appends) {
        public Mail {
            consumed = List.copyOf(consumed);
            sends = List.copyOf(sends);
            replies = List.copyOf(replies);
            appends = List.copyOf(appends);
        }

        @Override
        public String toString() {
            return "Mail[" + chain + ", " + consumed + ", " + sends + ", " + replies + ", " + appends + "]";
        }
    }

    /**
     * The jobs that a transition inserts and that it ends.
     *
     * @param scheduled jobs to be inserted; none where the run closes
     * @param settled jobs of this run that ended here, with the lease they ended under: deleted with their heartbeats
     * @param cancelled seqs of activities cancelled: a job that no worker runs is deleted and ActivityCancelled put into the inbox
     *     ({@link CancelledIdleJob}), a running one is marked so that its worker learns; one that has gone is left
     */
    public record JobChanges(List<NewJob> scheduled, List<Settled> settled, List<Integer> cancelled) {
        /** A transition that changes no job. */
        public static final JobChanges NONE = new JobChanges(List.of(), List.of(), List.of());

        public JobChanges {
            scheduled = List.copyOf(scheduled);
            settled = List.copyOf(settled);
            cancelled = List.copyOf(cancelled);
        }
    }

    /**
     * A job that ended in this worker.
     *
     * @param seq its number in the run
     * @param lease the lease token under which it ended
     * @param heartbeats whether heartbeat details of it may be in the store
     */
    public record Settled(int seq, UUID lease, boolean heartbeats) {
        @Override
        public String toString() {
            return "Settled[" + seq + "]";
        }
    }

    /**
     * The reason why a run can't go on for now, and how long to wait before the next try.
     *
     * @param reason shown to people: the divergence with its diff, or the Error
     * @param retryIn back-off
     * @param queueOfOthers the task queue whose workers of other builds may go on with the run at once, and are woken; null
     *     where the back-off is for all
     */
    public record Stall(
            String reason, Duration retryIn, @Nullable String queueOfOthers) {
        /** A stall whose back-off is for all. */
        public Stall(String reason, Duration retryIn) {
            this(reason, retryIn, null);
        }
    }

    /**
     * The end of the run: its jobs, their heartbeats and its inbox go; what jobs carried that are not settled here is
     * written before the closing event, whose id becomes higher by that ({@link LeftJob}). Refused when a message waits that is
     * not in {@code consumed}, the outcome of an activity included.
     *
     * @param status how it closed
     * @param result JSON text; null without
     * @param failure JSON text; null without
     * @param next the run that continues it, in the same transaction: it gets the messages of senders that wait, which
     *     refuse this close in no case but {@link Transition#isByStart}, and the memo of the run; outcomes of activities
     *     that wait are written to the history of the run that closes. It starts at the time of
     *     the database, and later than the run. Where the status is FAILED it is the next attempt: its delay is a
     *     back-off, which no message ends. Null where the chain ends
     * @param force after three refusals: if it is refused again, the run is marked as closing under its present fence,
     *     so that senders wait (outcomes of activities still come in)
     * @param related whether the run has a parent or has started children, so that the store writes to the outbox and wakes
     *     its relay
     */
    public record Close(
            WorkflowStatus status,
            @Nullable String result,
            @Nullable String failure,
            @Nullable NewRun next,
            boolean force,
            boolean related) {

        /** Returns whether the run has failed and another attempt follows. */
        public boolean isRetried() {
            return status == WorkflowStatus.FAILED && next != null;
        }

        /** The end of a run without parent and children, that no other continues. */
        public Close(WorkflowStatus status, @Nullable String result, @Nullable String failure, boolean force) {
            this(status, result, failure, null, force, false);
        }

        /** This close of a run that may have a parent or children. */
        public Close ofRelated(boolean isRelated) {
            return new Close(status, result, failure, next, force, isRelated);
        }

        @Override
        public String toString() {
            return "Close[" + status + "]";
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
        LOCKED;

        /** Returns whether the transition is written. */
        public boolean isApplied() {
            return this == APPLIED || this == APPLIED_MORE;
        }
    }
}
