package dev.durable.internal.drive;

import dev.durable.store.StoreClock;
import java.time.Duration;

/**
 * Wraps a chore so that a nudge runs it at once, but never twice within a short time, however many nudges come. Without
 * nudges it runs as its pace says.
 */
public final class PromptChore implements Chore {
    private final Chore chore;
    private final StoreClock clock;
    private final Duration moment;
    private long lookedAt;

    public PromptChore(Chore chore, StoreClock clock, Duration moment) {
        this.chore = chore;
        this.clock = clock;
        this.moment = moment;
        this.lookedAt = clock.nanoTime() - moment.toNanos();
    }

    @Override
    public Duration interval() {
        return chore.interval();
    }

    @Override
    public ChoreTally tally() {
        return chore.tally();
    }

    @Override
    public Duration patience() {
        return chore.patience();
    }

    @Override
    public Duration runOnce() throws InterruptedException {
        long now = clock.nanoTime();
        long left = moment.toNanos() - (now - lookedAt);
        if (left > 0) {
            return Duration.ofNanos(left);
        }
        lookedAt = now;
        return chore.runOnce();
    }
}
