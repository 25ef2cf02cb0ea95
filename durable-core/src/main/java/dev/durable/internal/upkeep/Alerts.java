package dev.durable.internal.upkeep;

import dev.durable.client.Alert;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.observe.Tries;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that tells the application's listener of dead letters and incidents once they are durable, at most once an
 * hour for each fingerprint over all processes. It reads the rows of dead letters and incidents rather than the events
 * of this process, so a crash loses at most the alert whose listener was being called. A nudge of the store wakes it
 * ({@link dev.durable.store.Nudges.JobBuried}).
 *
 * @param loggable removes what must not be logged from an exception of the listener
 * @param tries remembers that the listener fails at every alert
 */
public record Alerts(
        HistoryStore store, Consumer<? super Alert> listener, UnaryOperator<Throwable> loggable, Tries tries)
        implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(Alerts.class);
    private static final String TELLING = "the telling of alerts (onAlert)";
    static final Duration QUIET = Duration.ofHours(1);
    /** The interval where no nudge announces an alert. */
    public static final Duration INTERVAL = Duration.ofSeconds(10);
    /** The shortest time between two reads while many jobs fail. */
    public static final Duration MOMENT = Duration.ofSeconds(1);

    @Override
    public int upTo(int most) {
        List<FailedJobGroup> due = store.alertsDue(QUIET, most);
        due.forEach(this::tell);
        return due.size();
    }

    private void tell(FailedJobGroup group) {
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
            tries.worked(TELLING);
        } catch (RuntimeException e) {
            tries.failed(TELLING, e);
            log.warn("the alert of {} was not taken: its listener failed", group.fingerprint(), loggable.apply(e));
        }
    }
}
