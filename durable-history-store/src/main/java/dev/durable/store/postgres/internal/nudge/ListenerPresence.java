package dev.durable.store.postgres.internal.nudge;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tracks whether any other process listens for nudges; a process that is alone sends none. Every listener announces
 * itself when it begins, which the others answer, and again every {@link #PRESENCE}; each message of another process
 * counts. A process that does not listen can't know, and sends; so does one that has just begun, as answers are on
 * their way.
 */
final class ListenerPresence {
    /** The interval at which a listener announces itself. */
    static final Duration PRESENCE = Duration.ofSeconds(10);

    /** The time that answers may take. */
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

    /** Takes note that this process has begun, or stopped, to listen. */
    void listening(boolean now) {
        heardAny = false;
        heardSelf = false;
        listeningSince = nanoTime.getAsLong();
        listening = now;
    }

    /** Takes note that a nudge of another process has arrived. */
    void heard() {
        heardAt = nanoTime.getAsLong();
        heardAny = true;
    }

    /** Takes note that a message of this process has arrived here, which shows that messages of others arrive, too. */
    void heardSelf() {
        heardSelfAt = nanoTime.getAsLong();
        heardSelf = true;
    }

    /** Returns whether messages of others arrive here, as messages of this process do. */
    boolean isHeard() {
        return listening && heardSelf && nanoTime.getAsLong() - heardSelfAt < BELIEVED_NANOS;
    }

    /** Returns whether another process listens, or may do so. */
    boolean isElsewhere() {
        long now = nanoTime.getAsLong();
        return !listening || now - listeningSince < ANSWERS.toNanos() || (heardAny && now - heardAt < BELIEVED_NANOS);
    }
}
