package dev.durable.internal.upkeep;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that has the store make partitions of the history before the first run needs them. There are ten weeks until
 * then: a failure is logged, and tried again in a minute.
 */
public final class PartitionsAhead implements Chore {
    private static final Logger log = LoggerFactory.getLogger(PartitionsAhead.class);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final String MAKING = "the making of partitions of the history";
    private static final double SPREAD = 0.2;

    private final HistoryStore store;
    private final RandomGenerator random;
    private final Tries tries;
    private final ChoreTally tally = new ChoreTally();

    /** Creates the chore with tries that remember that no partition can be made. */
    public PartitionsAhead(HistoryStore store, RandomGenerator random, Tries tries) {
        this.tries = tries;
        this.store = store;
        this.random = random;
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            tally.did(store.makePartitions());
            tries.worked(MAKING);
            return Jitter.spread(INTERVAL, SPREAD, random);
        } catch (StoreUnavailableException | CommitUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            tries.failed(MAKING, e);
            log.warn(
                    "partitions of the history were not made, which is tried again in {}: {}",
                    SOON,
                    Thrown.of(e).words());
            return SOON;
        }
    }
}
