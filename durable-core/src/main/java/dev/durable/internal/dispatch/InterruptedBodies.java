package dev.durable.internal.dispatch;

import dev.durable.internal.text.Bounds;
import dev.durable.store.ClaimedJob;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs transactional activities whose transaction was ended from outside, the first at once and the following ones
 * together once a minute. Each of them says so in its history and description.
 */
public final class InterruptedBodies {
    private static final Logger log = LoggerFactory.getLogger(InterruptedBodies.class);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean logged;
    private long loggedAt;
    private int notLogged;

    public InterruptedBodies(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Counts a job that was given back.
     *
     * @param shown the cause and the number of interruptions, for the log
     */
    public void add(ClaimedJob job, String shown) {
        int others;
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            if (logged && now - loggedAt < MINUTE) {
                notLogged++;
                log.debug("{} of {} is given back: {}", job.activity(), job.key(), Bounds.lines(shown));
                return;
            }
            others = notLogged;
            logged = true;
            loggedAt = now;
            notLogged = 0;
        } finally {
            lock.unlock();
        }
        log.warn(
                "the transaction of {} (activity {} of workflow {}) was ended from outside, so the activity is given back and"
                        + " run again; {} others were since the last such line, and more within the next minute are logged"
                        + " at level DEBUG only: {}",
                job.activity(),
                job.key().seq(),
                job.key().run().shown(),
                others,
                Bounds.lines(shown));
    }
}
