package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers what waits in the outbox: messages that callers' transactions have left there. Every worker does; who commits
 * such a transaction wakes them. That is a hint, and looking now and then is enough.
 */
final class Relay implements Step {
    private static final Logger log = LoggerFactory.getLogger(Relay.class);
    private static final int BATCH = 256;

    private final HistoryStore store;
    private final PollPace pace;

    Relay(HistoryStore store, Duration pollInterval) {
        this.store = store;
        this.pace = new PollPace(pollInterval, new Random());
    }

    @Override
    public Duration runOnce() {
        try {
            int gone = store.relay(BATCH);
            return gone == BATCH ? AGAIN : gone > 0 ? pace.afterFind() : pace.afterNothing();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("messages in the outbox wait for the database: {}", e.getMessage());
            return pace.afterNothing();
        }
    }
}
