package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends activities whose schedule-to-start or schedule-to-close passes while nobody runs them, perhaps because no worker
 * serves their queue: any process does, whatever it serves. Those that run are watched by who runs them.
 *
 * <p>Apart from the {@link Sweeper}, which looks three times a lease: that would be ten seconds late.
 */
final class WaitingTimeouts implements Chore {
    private static final Logger log = LoggerFactory.getLogger(WaitingTimeouts.class);
    private static final int BATCH = 200;

    private final HistoryStore store;
    private final PollPace pace;
    private final Tally tally = new Tally();

    WaitingTimeouts(HistoryStore store, PollPace pace) {
        this.store = store;
        this.pace = pace;
    }

    @Override
    public String name() {
        return "waiting-timeouts";
    }

    @Override
    public Duration interval() {
        return pace.longest();
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            int ended = store.timeOutWaiting(BATCH);
            tally.did(ended);
            if (ended > 0) {
                log.info("{} activities timed out while nobody ran them", ended);
            }
            return ended == BATCH ? AGAIN : pace.afterNothing();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("timeouts of waiting activities wait for the database: {}", e.getMessage());
            return pace.afterNothing();
        }
    }
}
