package dev.durable.store;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Hints that something became due, between loops and processes. Lossy by contract: polling alone is correct. Never sent
 * inside a transaction. A store sends them by itself after its commits, for runs and jobs that they made due: only it
 * knows the queue of a signalled run.
 */
public interface Nudges {
    /** Due runs wait in this task queue. */
    void runs(Set<String> taskQueues);

    /** Ready jobs wait in this task queue. */
    void jobs(Set<String> taskQueues);

    /** Listens until the returned handle is closed; the listener must be quick and must not throw. */
    AutoCloseable listen(Consumer<Nudge> listener);

    /**
     * One hint.
     *
     * @param kind what waits
     * @param taskQueue where
     */
    record Nudge(Kind kind, String taskQueue) {
        /** What waits. */
        public enum Kind {
            RUNS,
            JOBS
        }
    }
}
