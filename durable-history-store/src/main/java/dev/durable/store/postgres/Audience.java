package dev.durable.store.postgres;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Whether any other process listens: a process that is alone sends nothing. Everybody who listens says so when it
 * begins, which the others answer, and then every {@link #PRESENCE}; whatever is heard counts. Who does not
 * listen itself can't know, and sends.
 */
final class Audience {
    /** How often a listener says that it is there. */
    static final Duration PRESENCE = Duration.ofSeconds(10);

    private static final long BELIEVED_NANOS = PRESENCE.multipliedBy(3).toNanos();

    private final LongSupplier nanoTime;
    private volatile boolean listening;
    private volatile boolean heardAny;
    private volatile long heardAt;
    private volatile boolean heardSelf;
    private volatile long heardSelfAt;

    Audience(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** This process hears others from here on, or does not any more. */
    void listening(boolean now) {
        heardAny = false;
        heardSelf = false;
        listening = now;
    }

    /** Another process is there. */
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
        return !listening || (heardAny && nanoTime.getAsLong() - heardAt < BELIEVED_NANOS);
    }
}
