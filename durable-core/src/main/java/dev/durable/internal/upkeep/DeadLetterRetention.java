package dev.durable.internal.upkeep;

import dev.durable.internal.drive.BatchChore;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that ends dead letters that no operator resolved in time, or that exceed their number; their activities fail,
 * and the failure says so.
 *
 * @param kept how long dead letters are kept
 * @param atMost how many dead letters are kept
 */
public record DeadLetterRetention(HistoryStore store, Duration kept, int atMost) implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterRetention.class);
    public static final Duration INTERVAL = Duration.ofMinutes(10);

    @Override
    public int upTo(int most) {
        int purged = store.purgeDeadLetters(kept, atMost, most);
        if (purged > 0) {
            log.warn("{} dead letters were purged: kept for {}, at most {}", purged, kept, atMost);
        }
        return purged;
    }
}
