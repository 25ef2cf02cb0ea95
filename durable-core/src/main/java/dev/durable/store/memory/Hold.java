package dev.durable.store.memory;

import dev.durable.store.NewRun;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An open run in the in-memory store beside its history: the fence that a writer must name, the worker that owns the run,
 * and when it is due; in PostgreSQL a row of {@code run_state}. */
final class Hold {
    private UUID fence;
    private @Nullable Instant ownedUntil;
    private @Nullable UUID lastSession;
    private @Nullable Instant wakeAt;
    private @Nullable Instant notBefore;
    private @Nullable String stalledBy;
    /** The builds that {@code notBefore} holds back; null is every process. */
    private @Nullable Set<String> stalledBuilds;
    /** The build whose code has made the last turn; null where that is not known. */
    private @Nullable String build;
    /** The build that alone goes on with the run; null is any. */
    private @Nullable String pinnedTo;

    private int stalls;
    private boolean closing;
    private boolean paused;
    private @Nullable Instant toBeBegunBy;

    /** @param retries whether the run is the next attempt of a failed one, whose back-off no message ends */
    Hold(NewRun start, Instant now, boolean retries) {
        this.fence = start.fence();
        this.wakeAt = start.firstTurn().done()
                ? start.firstTurn().wakeAt()
                : now.plus(start.firstTurn().delay());
        this.notBefore = retries ? wakeAt : null;
        this.build = start.firstTurn().madeBy();
        this.pinnedTo = start.firstTurn().pinnedTo();
        this.toBeBegunBy = start.firstTurn().done() ? null : start.deadlines().expiresAt();
    }

    void claim(UUID newFence, UUID session, Instant until) {
        fence = newFence;
        lastSession = session;
        ownedUntil = until;
    }

    void release() {
        ownedUntil = null;
    }

    /** Forgets the session that owned the run or had it in memory, as that session is gone. */
    void disown() {
        ownedUntil = null;
        lastSession = null;
    }

    /** Takes over the fence and the times of a step that is written, and ends a stall. */
    void moveOn(Transition step, boolean messagesWait, Instant now) {
        fence = step.fences().next();
        wasBuiltBy(step.build());
        notBefore = null;
        stalledBuilds = null;
        stalledBy = null;
        stalls = 0;
        toBeBegunBy = null;
        closing = false;
        boolean passed = wakeAt != null && !wakeAt.isAfter(now);
        wakeAt = step.park() && passed ? step.wakeAt() : StoredTimes.earlier(wakeAt, step.wakeAt());
        if (step.park() && (!messagesWait || step.movesNothing())) {
            ownedUntil = null;
        }
    }

    /** Writes only the reason of a stall and the time of the next try; messages and timers stay. */
    void stall(Transition.Stall why, Transition.@Nullable Build by, UUID newFence, Instant now) {
        fence = newFence;
        String stalling = by == null ? null : by.name();
        stalledBuilds = stalling == null ? null : withStalled(stalling, now);
        notBefore = now.plus(why.retryIn());
        stalledBy = why.reason();
        stalls++;
        closing = false;
        ownedUntil = null;
    }

    private Set<String> withStalled(String other, Instant now) {
        Set<String> builds = new LinkedHashSet<>();
        if (stalledBuilds != null && isHeldBack(now)) {
            builds.addAll(stalledBuilds);
        }
        builds.add(other);
        return builds;
    }

    /** Replaces the fence, so that the process that holds the run can't go on. */
    void pause(boolean wanted, UUID newFence) {
        paused = wanted;
        closing = false;
        fence = newFence;
        ownedUntil = null;
    }

    boolean paused() {
        return paused;
    }

    void markClosing() {
        closing = true;
    }

    UUID fence() {
        return fence;
    }

    @Nullable
    Instant ownedUntil() {
        return ownedUntil;
    }

    @Nullable
    UUID lastSession() {
        return lastSession;
    }

    /**
     * Returns whether this session may claim the run, which has been due since then: for a moment a due run is left to
     * the session that has it cached.
     */
    boolean openTo(UUID session, Instant dueSince, Instant now, Duration cachedFirst) {
        return lastSession == null
                || lastSession.equals(session)
                || !dueSince.plus(cachedFirst).isAfter(now);
    }

    @Nullable
    Instant wakeAt() {
        return wakeAt;
    }

    /** The time until which the run is held back from every process; null where it is not, or from some builds only. */
    @Nullable
    Instant notBefore() {
        return stalledBuilds == null ? notBefore : null;
    }

    /** The time from which builds that have stalled may claim the run; null where it is held back from none or from all. */
    @Nullable
    Instant notBeforeForStalled() {
        return stalledBuilds == null ? null : notBefore;
    }

    /** Returns whether a stall holds a process of this build back; null is a process that names none. */
    boolean holdsBack(@Nullable String other, Instant now) {
        return isHeldBack(now) && (stalledBuilds == null || other == null || stalledBuilds.contains(other));
    }

    private boolean isHeldBack(Instant now) {
        return notBefore != null && notBefore.isAfter(now);
    }

    @Nullable
    String build() {
        return build;
    }

    private void wasBuiltBy(Transition.@Nullable Build other) {
        if (other != null) {
            build = other.name();
            pinnedTo = other.pinned() ? other.name() : pinnedTo;
        }
    }

    /** Returns whether the back-off of a stall holds it back, or did until a moment ago. */
    boolean isHeldBackByStall() {
        return stalledBy != null && notBefore != null;
    }

    /**
     * Ends the back-off of a stall, pins the run to a build where one is named, and takes it from the process that holds it.
     * Returns false where nothing of that is to be done.
     */
    boolean moveTo(@Nullable String other, UUID newFence) {
        if (other == null ? !isHeldBackByStall() : other.equals(pinnedTo)) {
            return false;
        }
        pinnedTo = other == null ? pinnedTo : other;
        fence = newFence;
        closing = false;
        ownedUntil = null;
        if (stalledBy != null) {
            notBefore = null;
        }
        return true;
    }

    @Nullable
    String pinnedTo() {
        return pinnedTo;
    }

    /** Returns whether a process of this build may go on with the run; null is a process that names none. */
    boolean isFor(@Nullable String other) {
        return pinnedTo == null || pinnedTo.equals(other);
    }

    @Nullable
    String stalledBy() {
        return stalledBy;
    }

    int stalls() {
        return stalls;
    }

    boolean closing() {
        return closing;
    }

    @Nullable
    Instant toBeBegunBy() {
        return toBeBegunBy;
    }
}
