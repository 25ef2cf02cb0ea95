package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends attempts that are in the hands of others and ran out of their time, or were silent for too long: no worker watches
 * them, so every process looks. Read, decide by the retry policy, order as it was seen: who comes second, or after the
 * holder of the token gave a sign, changes nothing.
 */
final class ExternalTimeouts implements Chore {
    private static final Logger log = LoggerFactory.getLogger(ExternalTimeouts.class);
    private static final int BATCH = 200;

    private final HistoryStore store;
    private final ExternalAttempts attempts;
    private final PollPace pace;
    private final Tally tally = new Tally();

    ExternalTimeouts(HistoryStore store, ExternalAttempts attempts, PollPace pace) {
        this.store = store;
        this.attempts = attempts;
        this.pace = pace;
    }

    @Override
    public String name() {
        return "external-timeouts";
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
            List<OpenJob> overdue = store.overdueExternal(BATCH);
            tally.did(overdue.size());
            if (!overdue.isEmpty()) {
                store.order(overdue.stream().map(attempts::overdue).toList());
                log.info("{} attempts in the hands of others ran out of time", overdue.size());
            }
            return overdue.size() == BATCH ? AGAIN : pace.afterNothing();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("timeouts of attempts in the hands of others wait for the database: {}", e.getMessage());
            return pace.afterNothing();
        }
    }
}
