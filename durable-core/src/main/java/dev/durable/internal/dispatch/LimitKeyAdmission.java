package dev.durable.internal.dispatch;

import dev.durable.DurableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.QueueStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Triggers the admission of jobs that wait for their limit key: when such a job may have been created, when one has
 * ended here, and every poll interval for what happens in other processes. It reads which jobs wait rather than
 * counting on each event to arrive (level-triggered). A process that never saw a limit key never asks the store.
 */
public final class LimitKeyAdmission implements Step {
    private static final Logger log = LoggerFactory.getLogger(LimitKeyAdmission.class);
    private static final Duration DATABASE_AWAY = Duration.ofMillis(500);

    private final HistoryStore store;
    private final Duration pollInterval;
    private final Tries tries;
    private final Set<String> toLookAt = ConcurrentHashMap.newKeySet();
    private volatile boolean used;
    private volatile Runnable wake = () -> {};

    /** Creates the step with tries that remember queues in which no job can be admitted. */
    public LimitKeyAdmission(HistoryStore store, Duration pollInterval, Tries tries) {
        this.tries = tries;
        this.store = store;
        this.pollInterval = pollInterval;
    }

    /** Sets the action that wakes the loop of this step. */
    public void onNudge(Runnable loop) {
        wake = loop;
    }

    /** Returns whether a job with a limit key was ever seen here. */
    public boolean isUsed() {
        return used;
    }

    /** Notes that jobs of this queue will wait for their keys; a {@link #look} follows when they are in the store. */
    public void use() {
        used = true;
    }

    /** Has this queue checked for jobs that may be admitted. */
    public void look(String taskQueue) {
        used = true;
        toLookAt.add(taskQueue);
        wake.run();
    }

    @Override
    public Duration runOnce() {
        Duration next = UNTIL_WOKEN;
        for (String queue : List.copyOf(toLookAt)) {
            toLookAt.remove(queue);
            Duration again = admit(queue);
            if (again.compareTo(UNTIL_WOKEN) < 0) {
                toLookAt.add(queue);
                next = again.compareTo(next) < 0 ? again : next;
            }
        }
        return next;
    }

    private Duration admit(String queue) {
        try {
            QueueStore.Admission admission = store.admit(queue);
            tries.worked(shown(queue));
            if (!admission.waiting()) {
                return UNTIL_WOKEN;
            }
            Duration retryIn = admission.retryIn();
            return retryIn == null || retryIn.compareTo(pollInterval) > 0 ? pollInterval : retryIn;
        } catch (StoreUnavailableException | CommitUnknownException e) {
            toLookAt.add(queue);
            throw e;
        } catch (DurableException e) {
            tries.failed(shown(queue), e);
            log.warn(
                    "jobs of queue {} that wait for their limit keys wait for the database: {}", queue, e.getMessage());
            return DATABASE_AWAY;
        }
    }

    private static String shown(String queue) {
        return "the admission of jobs with limit keys in queue " + queue;
    }
}
