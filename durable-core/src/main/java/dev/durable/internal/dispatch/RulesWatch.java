package dev.durable.internal.dispatch;

import dev.durable.DurableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
import dev.durable.store.BuildRamps;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of the pauses and limits of the task queues that this process serves, refreshed by polling and by nudges.
 * Claims do not depend on it, as the store applies the rules itself. It decides which jobs are begun without a claim,
 * and which claims are worth their cost; while the rules can't be read, no job is begun without a claim.
 */
public final class RulesWatch implements Step {
    private static final Logger log = LoggerFactory.getLogger(RulesWatch.class);

    /** How long before its end a delay is announced. The rules are read more often than that. */
    public static final Duration DELAYS_AHEAD = Duration.ofSeconds(30);

    private static final String RULES = "the reading of the rules of the task queues";

    private final HistoryStore store;
    private final Set<String> taskQueues;
    private final PollPace pace;
    private final Consumer<QueueRules> changed;
    private final Tries tries;
    private final ReentrantLock lock = new ReentrantLock();
    /** The ends of delays, by queue, that have been announced. */
    private final Map<String, Instant> near = new HashMap<>();

    private volatile @Nullable QueueRules known;
    /** Whether everything was halted by the rules that were read last. */
    private volatile boolean halted;
    /** The ramps of builds by the rules that were read last. */
    private volatile BuildRamps ramps = BuildRamps.NONE;

    /** The number of calls of {@link #forget}: rules that were asked for before such a call may be those of before. */
    private int changes;

    private volatile long readAtNanos;
    private volatile long nextReadNanos;
    private volatile boolean workCame;

    /**
     * @param changed called when rules have changed, each time jobs wait for their keys, and when the end of a delay is
     * near
     * @param tries remembers that the rules can't be read
     */
    public RulesWatch(
            HistoryStore store, Set<String> taskQueues, PollPace pace, Consumer<QueueRules> changed, Tries tries) {
        this.tries = tries;
        this.store = store;
        this.taskQueues = Set.copyOf(taskQueues);
        this.pace = pace;
        this.changed = changed;
    }

    @Override
    public Duration runOnce() {
        long age = store.clock().nanoTime() - readAtNanos;
        if (workCame && known != null && age < pace.polling().toNanos()) {
            return sleep(pace.polling().minusNanos(age));
        }
        workCame = false;
        return read() ? sleep(pace.afterNothing()) : AGAIN;
    }

    /**
     * Reads the rules; returns false where they were changed meanwhile, so that the result may be older than the
     * change.
     */
    private boolean read() {
        try {
            int asked = changesSoFar();
            QueueRules read = store.queueRules(taskQueues);
            tries.worked(RULES);
            QueueRules before = known;
            if (!know(read, asked)) {
                return false;
            }
            readAtNanos = store.clock().nanoTime();
            halted = read.halted();
            ramps = read.ramps();
            if (nearsEnd(read)
                    || !read.equals(before)
                    || read.queues().values().stream().anyMatch(QueueRules.Rule::keysWait)) {
                changed.accept(read);
            }
        } catch (StoreUnavailableException | CommitUnknownException e) {
            known = null;
            throw e;
        } catch (DurableException e) {
            known = null;
            tries.failed(RULES, e);
            log.warn("the rules of queues {} can't be read: {}", taskQueues, e.getMessage());
        }
        return true;
    }

    /** Returns whether a delay is about to end that has not been announced. */
    private boolean nearsEnd(QueueRules read) {
        Instant soon = store.clock().now().plus(DELAYS_AHEAD);
        Map<String, Instant> ends = new HashMap<>(read.nextDelayed());
        ends.values().removeIf(end -> !end.isBefore(soon));
        boolean isNew = !near.entrySet().containsAll(ends.entrySet());
        near.clear();
        near.putAll(ends);
        return isNew;
    }

    private int changesSoFar() {
        lock.lock();
        try {
            return changes;
        } finally {
            lock.unlock();
        }
    }

    private boolean know(QueueRules read, int asked) {
        lock.lock();
        try {
            boolean current = changes == asked;
            if (current) {
                known = read;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    private Duration sleep(Duration pause) {
        nextReadNanos = store.clock().nanoTime() + pause.toNanos();
        return pause;
    }

    /**
     * Notes that work came to which the rules may apply: they are read when they are older than a poll interval.
     * Callable from any thread.
     *
     * @return whether the loop would sleep for too long and has to be woken
     */
    public boolean workCame() {
        boolean late = nextReadNanos - store.clock().nanoTime() > pace.polling().toNanos();
        workCame |= late;
        return late;
    }

    /** Forgets the rules, as they were changed: until they are read again, no job is begun without a claim. */
    public void forget() {
        lock.lock();
        try {
            changes++;
            known = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the rule of a queue; the default where it is not known here, since the store enforces the rules at the
     * claim.
     */
    public QueueRules.Rule of(String taskQueue) {
        QueueRules rules = known;
        return (rules == null ? QueueRules.NONE : rules).of(taskQueue);
    }

    /** Returns whether everything is halted, as far as this process has heard: nothing begins. */
    public boolean isHalted() {
        return halted;
    }

    /**
     * Returns the share of a build in the runs of each queue served here, as far as this process has heard; empty where no
     * build has a ramp.
     */
    public Map<String, BuildRamps.Share> shares(@Nullable String build) {
        BuildRamps read = ramps;
        return read.ramps().isEmpty()
                ? Map.of()
                : taskQueues.stream().collect(Collectors.toMap(queue -> queue, queue -> read.of(queue, build)));
    }

    /** Returns whether a limit counts how many jobs of a queue run at once; true where the rules are not known. */
    public boolean mayCountRunning(String taskQueue) {
        QueueRules rules = known;
        return rules == null || rules.of(taskQueue).limits().concurrency() != null;
    }

    /** Returns whether a job of this activity may begin without a claim. */
    public boolean free(String taskQueue, String activity) {
        QueueRules rules = known;
        return rules != null && rules.of(taskQueue).isFree() && !rules.pauses(activity);
    }
}
