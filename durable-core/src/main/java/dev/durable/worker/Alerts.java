package dev.durable.worker;

import dev.durable.Alert;
import dev.durable.StoreUnavailableException;
import dev.durable.store.BuriedGroup;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener of dead letters and incidents: after they are durable, and once an hour for what failed alike, whichever
 * process looks. It looks at what is there rather than at what this process did, so a crash between the two loses nothing
 * but the alert that was being told.
 */
final class Alerts implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Alerts.class);
    static final Duration QUIET = Duration.ofHours(1);
    static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final int BATCH = 50;

    private final HistoryStore store;
    private final Consumer<? super Alert> listener;
    private final Tally tally = new Tally();

    Alerts(HistoryStore store, Consumer<? super Alert> listener) {
        this.store = store;
        this.listener = listener;
    }

    @Override
    public String name() {
        return "alerts";
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
            var due = store.alertsDue(QUIET, BATCH);
            tally.did(due.size());
            due.forEach(this::tell);
            return due.size() == BATCH ? AGAIN : INTERVAL;
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("alerts wait for the database: {}", e.getMessage());
            return INTERVAL;
        }
    }

    private void tell(BuriedGroup group) {
        try {
            listener.accept(new Alert(
                    group.fingerprint(),
                    group.activity(),
                    group.count(),
                    group.firstSeen(),
                    group.lastSeen(),
                    group.lastFailure(),
                    group.latest().run().workflowId(),
                    group.latest().run().runId(),
                    group.latest().seq()));
        } catch (RuntimeException e) {
            log.warn("the alert of {} was not taken: its listener failed", group.fingerprint(), e);
        }
    }
}
