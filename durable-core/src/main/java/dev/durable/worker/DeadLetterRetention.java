package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends dead letters that nobody resolved in time, or that are too many; their activities fail and say so. */
final class DeadLetterRetention implements Chore {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterRetention.class);
    static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final int BATCH = 200;

    private final HistoryStore store;
    private final Duration kept;
    private final int most;
    private final Tally tally = new Tally();

    /**
     * @param kept for how long
     * @param most how many
     */
    DeadLetterRetention(HistoryStore store, Duration kept, int most) {
        this.store = store;
        this.kept = kept;
        this.most = most;
    }

    @Override
    public String name() {
        return "dead-letters";
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            int purged = store.purgeDeadLetters(kept, most, BATCH);
            tally.did(purged);
            if (purged > 0) {
                log.warn("{} dead letters were purged: kept for {}, at most {}", purged, kept, most);
            }
            return purged == BATCH ? AGAIN : INTERVAL;
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("purging dead letters waits for the database: {}", e.getMessage());
            return INTERVAL;
        }
    }
}
