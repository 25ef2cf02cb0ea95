package dev.durable.internal.upkeep;

import dev.durable.internal.drive.BatchChore;
import dev.durable.store.HistoryStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that ends activities whose schedule-to-start, schedule-to-close or expiry passes while they wait; every
 * process looks for them, whichever queues it serves. Running activities are watched by their worker.
 */
public record WaitingTimeouts(HistoryStore store) implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(WaitingTimeouts.class);

    @Override
    public int upTo(int most) {
        int ended = store.timeOutWaiting(most);
        if (ended > 0) {
            log.info("{} activities timed out while nobody ran them", ended);
        }
        return ended;
    }
}
