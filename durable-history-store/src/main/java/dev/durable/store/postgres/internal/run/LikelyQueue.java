package dev.durable.store.postgres.internal.run;

import dev.durable.store.postgres.internal.nudge.PendingNudges;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Guesses the task queue of the runs that the next messages are for, which only the statement that inserts them finds
 * out: the queue of the last messages, once two deliveries in a row have found it. Workers of a queue that was guessed
 * wrongly claim once for nothing. Deliveries of several threads may mix; then the guess is worse, and nothing else.
 */
final class LikelyQueue {
    private volatile @Nullable String last;
    private volatile @Nullable String likely;

    /** Returns the nudges for messages to runs of that queue; none without a guess. */
    PendingNudges nudges() {
        PendingNudges nudges = new PendingNudges();
        String queue = likely;
        if (queue != null) {
            nudges.runs(queue);
        }
        return nudges;
    }

    /** Learns from the queues of the runs that have got messages. */
    void found(Set<String> queues) {
        if (queues.isEmpty()) {
            return;
        }
        String queue = queues.size() == 1 ? queues.iterator().next() : null;
        likely = queue != null && queue.equals(last) ? queue : null;
        last = queue;
    }
}
