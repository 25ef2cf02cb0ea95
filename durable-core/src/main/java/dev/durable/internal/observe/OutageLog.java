package dev.durable.internal.observe;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.StoreOutageException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs outages of a database for all parts of a process: for each reason one line when it begins, one a minute while it
 * lasts, with how many tries were in vain, and one when it is over. It is over when each part that failed has been
 * answered since, and no part has failed for ten seconds: connections that are cut one after the other are one outage.
 * No line has a stack. Thread-safe.
 */
public final class OutageLog {
    private static final long EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Logger log;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Outage> outages = new HashMap<>();
    private volatile boolean any;

    private static final class Outage {
        private final long begun;
        private final Set<String> waiting = new HashSet<>();
        private long lastFailure;
        private long lastLine;
        private long failures;
        private long failuresTold;

        Outage(long now) {
            begun = now;
            lastLine = now;
        }
    }

    /**
     * @param log where the lines go
     * @param nanoTime a monotonic clock
     */
    public OutageLog(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /**
     * Counts a call that failed, and logs a line if one is due.
     *
     * @param who the part of the process that made the call, by the same name each time
     * @param why the failure; the class of an exception without a reason counts as its reason
     */
    public void failed(String who, Exception why) {
        long now = nanoTime.getAsLong();
        String reason = reason(why);
        lock.lock();
        try {
            Outage outage = outages.get(reason);
            if (outage == null) {
                outage = new Outage(now);
                outages.put(reason, outage);
                any = true;
                log.warn("the database does not answer ({}), first met by {}: {}", reason, who, text(why));
            }
            outage.lastFailure = now;
            outage.failures++;
            outage.waiting.add(who);
            if (now - outage.lastLine >= EVERY_NANOS) {
                log.warn(
                        "the database has not answered ({}) {} times in the last {} s, {} s after the first; lately {}: {}",
                        reason,
                        outage.failures - outage.failuresTold,
                        seconds(now - outage.lastLine),
                        seconds(now - outage.begun),
                        outage.waiting,
                        text(why));
                outage.lastLine = now;
                outage.failuresTold = outage.failures;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes note that a call of this part was answered. */
    public void answered(String who) {
        if (!any) {
            return;
        }
        long now = nanoTime.getAsLong();
        lock.lock();
        try {
            for (Iterator<Map.Entry<String, Outage>> each = outages.entrySet().iterator(); each.hasNext(); ) {
                Map.Entry<String, Outage> entry = each.next();
                Outage outage = entry.getValue();
                outage.waiting.remove(who);
                if (outage.waiting.isEmpty() && now - outage.lastFailure >= QUIET_NANOS) {
                    log.info(
                            "the database answers again ({}): {} tries were in vain, within {} s",
                            entry.getKey(),
                            outage.failures,
                            seconds(outage.lastFailure - outage.begun));
                    each.remove();
                }
            }
            any = !outages.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private static String reason(Exception why) {
        return switch (why) {
            case StoreOutageException e -> e.reason();
            case CommitUnknownException ignored -> StoreOutageException.CONNECTION_LOST;
            case StoreUnavailableException ignored -> "unavailable";
            default -> why.getClass().getSimpleName();
        };
    }

    private static String text(Exception why) {
        return Thrown.of(why).words().strip().replaceAll("\\s*\\n\\s*", " ");
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }
}
