package dev.durable.worker;

import dev.durable.store.HistoryStore;
import dev.durable.store.OpenJob;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends attempts that are in the hands of others and ran out of their time, or were silent for too long: no worker watches
 * them, so every process looks. Read, decide by the retry policy, order as it was seen: who comes second, or after the
 * holder of the token gave a sign, changes nothing.
 */
record ExternalTimeouts(HistoryStore store, ExternalAttempts attempts) implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(ExternalTimeouts.class);

    @Override
    public int upTo(int most) {
        List<OpenJob> overdue = store.overdueExternal(most);
        if (!overdue.isEmpty()) {
            store.order(overdue.stream().map(attempts::overdue).toList());
            log.info("{} attempts in the hands of others ran out of time", overdue.size());
        }
        return overdue.size();
    }
}
