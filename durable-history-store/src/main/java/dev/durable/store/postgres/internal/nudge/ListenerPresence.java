package dev.durable.store.postgres.internal.nudge;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tracks whether any other process listens for nudges; a process that is alone sends none. Every listener announces
 * itself when it begins, which the others answer, and then every {@link #PRESENCE}; whatever is heard counts. Who does
 * not listen itself can't know, and sends; so does who has just begun, as the answers are on their way.
 */
final class ListenerPresence {
    /** How often a listener announces itself. */
    static final Duration PRESENCE = Duration.ofSeconds(10);

    /** How long answers may take. */
    static final Duration ANSWERS = Duration.ofSeconds(2);

    private static final long BELIEVED_NANOS = PRESENCE.multipliedBy(3).toNanos();

    private final LongSupplier nanoTime;
    private volatile boolean listening;
    private volatile long listeningSince;
    private volatile boolean heardAny;
    private volatile long heardAt;
    private volatile boolean heardSelf;
    private volatile long heardSelfAt;

    ListenerPresence(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** This process has begun, or stopped, to listen. */
    void listening(boolean now) {
        heardAny = false;
        heardSelf = false;
        listeningSince = nanoTime.getAsLong();
        listening = now;
    }

    /** A nudge of another process has arrived. */
    void heard() {
        heardAt = nanoTime.getAsLong();
        heardAny = true;
    }

    /** What this process said came back: so does what others say. */
    void heardSelf() {
        heardSelfAt = nanoTime.getAsLong();
        heardSelf = true;
    }

    /** Whether what others say arrives here: proved by what came back of our own. */
    boolean isHeard() {
        return listening && heardSelf && nanoTime.getAsLong() - heardSelfAt < BELIEVED_NANOS;
    }

    boolean isElsewhere() {
        long now = nanoTime.getAsLong();
        return !listening || now - listeningSince < ANSWERS.toNanos() || (heardAny && now - heardAt < BELIEVED_NANOS);
    }
}
