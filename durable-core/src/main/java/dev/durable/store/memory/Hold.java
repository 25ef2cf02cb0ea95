package dev.durable.store.memory;

import dev.durable.store.NewRun;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
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
        notBefore = null;
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
    void stall(Transition.Stall why, UUID newFence, Instant now) {
        fence = newFence;
        notBefore = now.plus(why.retryIn());
        stalledBy = why.reason();
        stalls++;
        closing = false;
        ownedUntil = null;
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

    @Nullable
    Instant notBefore() {
        return notBefore;
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
