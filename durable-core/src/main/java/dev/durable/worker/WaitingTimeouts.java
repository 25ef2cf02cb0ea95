package dev.durable.worker;

import dev.durable.store.HistoryStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends activities whose schedule-to-start or schedule-to-close passes while nobody runs them, perhaps because no worker
 * serves their queue: any process does, whatever it serves. Those that run are watched by who runs them.
 */
record WaitingTimeouts(HistoryStore store) implements BatchChore.Work {
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
