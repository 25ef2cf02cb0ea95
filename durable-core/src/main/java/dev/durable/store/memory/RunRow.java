package dev.durable.store.memory;

import dev.durable.ParentClosePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.StoredEvent;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.JobStart;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One run of the in-memory store: its row, history, inbox and jobs. */
final class RunRow {
    private final NewRun start;
    private final Instant startedAt;
    private final List<StoredEvent> history = new ArrayList<>();
    /** The fence of each transition, by the id of the first event that it wrote. */
    private final Map<Long, UUID> fences = new HashMap<>();

    private final Inbox inbox = new Inbox();
    private final SortedMap<Integer, Job> jobs = new TreeMap<>();
    private final Hold hold;
    private final UUID chainId;
    private final @Nullable RunRow previous;
    private final Map<String, String> memo;
    private final NewRun.@Nullable Parent parent;
    private final int attempt;
    /** True where its chain is left alone by the end of its parent, or has been asked to cancel for it. */
    private boolean leftAlone;

    private @Nullable Ending ending;
    private @Nullable String details;

    /** The end of the run, and the fence under which it was written. */
    record Ending(
            WorkflowStatus status,
            @Nullable String result,
            @Nullable String failure,
            Instant at,
            UUID fence,
            @Nullable UUID next) {
        @Override
        public String toString() {
            return "Ending[" + status + ", " + at + "]";
        }
    }

    /** @param copied the events of another run that stand in front of its own; none for a run that is no fork */
    RunRow(NewRun start, Instant now, List<StoredEvent> copied) {
        this(start, now, null, copied);
    }

    /**
     * @param previous the run that it continues, or whose next attempt it is: it has the memo of that run and starts after
     *     it; null for the first of a chain
     */
    RunRow(NewRun start, Instant now, @Nullable RunRow previous) {
        this(start, now, previous, List.of());
    }

    /**
     * @param previous the run that it continues, or whose place it takes with a copy of the first events of that; null for
     *     the first of a chain
     */
    RunRow(NewRun start, Instant now, @Nullable RunRow previous, List<StoredEvent> copied) {
        this.previous = previous;
        this.chainId = previous == null ? start.run().runId() : previous.chainId;
        this.memo = previous == null ? start.memo() : previous.memo;
        this.parent = previous == null ? start.parent() : previous.parent;
        this.leftAlone = previous == null
                ? parent != null && parent.closePolicy() == ParentClosePolicy.ABANDON
                : previous.leftAlone;
        this.start = start;
        this.startedAt = previous == null || now.isAfter(previous.startedAt)
                ? now
                : previous.startedAt.plus(1, ChronoUnit.MICROS);
        this.attempt = previous != null && copied.isEmpty() && previous.isRetried() ? previous.attempt + 1 : 1;
        this.hold = new Hold(start, now, attempt > 1);
        history.addAll(copied);
        append(start.firstTurn().events(), start.fence());
        tellDetails(start.firstTurn().details());
    }

    RunKey key() {
        return start.run();
    }

    /** The parent of its chain; null for one that is no child. */
    NewRun.@Nullable Parent parent() {
        return parent;
    }

    /** Returns whether its parent-close policy asks nothing, or was applied. */
    boolean isLeftAlone() {
        return leftAlone;
    }

    /** Notes that it was asked to cancel, as its parent has ended. */
    void leaveAlone() {
        leftAlone = true;
    }

    /** Notes that its parent, which had ended, is open again. */
    void dependAgain() {
        leftAlone = parent != null && parent.closePolicy() == ParentClosePolicy.ABANDON;
    }

    UUID chainId() {
        return chainId;
    }

    /** Returns whether this id is that of the run, or of its chain. */
    boolean isAddressedBy(UUID id) {
        return id.equals(key().runId()) || id.equals(chainId);
    }

    NewRun start() {
        return start;
    }

    Hold hold() {
        return hold;
    }

    Inbox inbox() {
        return inbox;
    }

    SortedMap<Integer, Job> jobs() {
        return jobs;
    }

    List<StoredEvent> history() {
        return history;
    }

    long nextEventId() {
        return history.size() + 1L;
    }

    void append(List<StoredEvent> events, UUID fence) {
        if (!events.isEmpty()) {
            fences.put(nextEventId(), fence);
            history.addAll(events);
        }
    }

    /** Returns whether it has failed and another attempt follows. */
    boolean isRetried() {
        return ending != null && ending.status() == WorkflowStatus.FAILED && ending.next() != null;
    }

    /** Sets the line that says what the run is doing; empty takes it away, null leaves it as it is. */
    void tellDetails(@Nullable String line) {
        if (line != null) {
            details = line.isEmpty() ? null : line;
        }
    }

    boolean isOpen() {
        return ending == null;
    }

    void end(Ending how) {
        ending = how;
        inbox.clear();
    }

    /** Notes the fork that has taken the place of the run, which had ended. */
    void replacedBy(UUID fork) {
        Ending how = Objects.requireNonNull(ending);
        ending = new Ending(how.status, how.result, how.failure, how.at, how.fence, fork);
    }

    /** Returns whether the run closed at that time or later. */
    boolean closedSince(Instant time) {
        return ending != null && !ending.at().isBefore(time);
    }

    /** Returns whether this fence wrote the event, closed the run, or is the current one. */
    boolean wasWrittenUnder(UUID fence, long eventId) {
        UUID current = ending == null ? hold.fence() : ending.fence();
        return fence.equals(current) || fence.equals(fences.get(eventId));
    }

    /** Returns whether the message became an event. */
    boolean hasRecorded(UUID messageId) {
        return history.stream().anyMatch(event -> messageId.equals(event.messageId()));
    }

    /** The state of a callback that it has opened. */
    CallbackState callback(CallbackToken token, long readTo) {
        UUID id = token.callback();
        return new CallbackState(
                isOpen(),
                isOpen() ? history.size() : 0,
                history.stream()
                        .skip(token.firstEvent(readTo) - 1)
                        .filter(event -> id.equals(event.messageId())
                                || (event.type().equals(CallbackOpened.class.getSimpleName())
                                                || event.type().equals(CallbackCancelled.class.getSimpleName()))
                                        && event.attributes().contains(id.toString()))
                        .toList(),
                inbox.waiting(id));
    }

    /** The time since which the run is due; null if it is not. */
    @Nullable
    Instant dueSince() {
        return ending != null ? null : StoredTimes.earlier(hold.wakeAt(), inbox.waitingSince());
    }

    /** The time from which any session may claim the run: due, not stalled, not owned; null is never, or paused. */
    @Nullable
    Instant claimableAt() {
        Instant due = dueSince();
        return due == null || hold.paused() ? null : StoredTimes.latest(due, hold.notBefore(), hold.ownedUntil());
    }

    /** The time at which it expires; null is never. */
    @Nullable
    Instant expiresAt() {
        return ending != null ? null : StoredTimes.earlier(start.deadlines().timesOutAt(), hold.toBeBegunBy());
    }

    /** The activity of a background job; null for any other run. */
    @Nullable
    String activityOfJob() {
        return JobStart.activity(start.type(), history.getFirst().attributes());
    }

    /** The client that started the run; null if its first event does not name it. */
    @Nullable
    String startedBy() {
        return JobStart.startedBy(history.getFirst().attributes());
    }

    RunRecord record() {
        return new RunRecord(
                start.run(),
                start.type(),
                ending == null ? WorkflowStatus.RUNNING : ending.status(),
                start.taskQueue(),
                startedAt,
                ending == null ? null : ending.at(),
                ending == null ? null : ending.result(),
                ending == null ? null : ending.failure(),
                new RunRecord.Notes(memo, details, isOpen() ? hold.build() : null),
                new RunRecord.Links(
                        chainId,
                        previous == null ? null : previous.key().runId(),
                        ending == null ? null : ending.next(),
                        attempt));
    }
}
