package dev.durable.internal.upkeep;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.observe.Tries;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that ends waiting activities, attempts that were left to token holders, and runs whose timeouts pass while no
 * worker watches them. One query reads the earliest timeout of each kind, so that an idle process makes a single query,
 * and a timeout that the last query has read is ended when it passes.
 *
 * <p>It is apart from the {@link Sweeper}, which reads three times a lease and would be ten seconds late.
 */
public final class Timeouts implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Timeouts.class);
    private static final int BATCH = 200;

    private final HistoryStore store;
    private final Kinds kinds;
    private final PollPace pace;
    private final UnaryOperator<Throwable> loggable;
    private final Tries tries;
    private final ChoreTally tally = new ChoreTally();

    /** The work of the chore, by the kind of timeout. */
    public record Kinds(BatchChore.Work waiting, BatchChore.Work external, BatchChore.Work runs) {}

    /**
     * The work that ends activities whose schedule-to-start, schedule-to-close or expiry passes while no worker runs them.
     * Every process does it, whatever it serves; the attempts that run are watched by their workers.
     */
    public static BatchChore.Work ofWaiting(HistoryStore store) {
        return most -> {
            int ended = store.timeOutWaiting(most);
            if (ended > 0) {
                log.info("{} activities timed out while no worker ran them", ended);
            }
            return ended;
        };
    }

    /** Creates the chore with tries that remember kinds of timeouts of which none can be ended. */
    public Timeouts(HistoryStore store, Kinds kinds, PollPace pace, UnaryOperator<Throwable> loggable, Tries tries) {
        this.tries = tries;
        this.loggable = loggable;
        this.store = store;
        this.kinds = kinds;
        this.pace = pace;
    }

    @Override
    public Duration interval() {
        return pace.longest();
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        EarliestTimeouts earliest = store.earliestTimeouts();
        Round round = new Round(store.clock().now());
        round.end("activities that wait", earliest.waiting(), kinds.waiting);
        round.end("attempts of token holders", earliest.external(), kinds.external);
        round.end("runs", earliest.runs(), kinds.runs);
        if (!round.failed) {
            tally.did(round.ended);
        }
        return round.pause(earliest);
    }

    private static String shown(String kind) {
        return "the ending of due timeouts of " + kind;
    }

    /** One query, and the ends that follow from it. */
    private final class Round {
        private final Instant now;
        private int ended;
        private boolean full;
        /** True where a kind has failed; upkeep then shows the chore as late. */
        private boolean failed;

        Round(Instant now) {
            this.now = now;
        }

        /**
         * Ends the due timeouts of a kind; a kind that fails (because of a trigger of a DBA, or rows of a newer
         * version) must not hold up the others.
         */
        void end(String name, @Nullable Instant earliest, BatchChore.Work kind) {
            if (earliest == null || earliest.isAfter(now)) {
                return;
            }
            try {
                int count = kind.upTo(BATCH);
                ended += count;
                full |= count >= BATCH;
                tries.worked(shown(name));
            } catch (StoreUnavailableException | CommitUnknownException e) {
                throw e;
            } catch (RuntimeException e) {
                failed = true;
                tries.failed(shown(name), e);
                log.error(
                        "due timeouts of {} were not ended; it is tried again, and keeps no other kind",
                        name,
                        loggable.apply(e));
            }
        }

        /**
         * Returns the time until the next timeout is due, at most as long as the pace says; a due timeout that was not
         * ended is locked by another process.
         */
        Duration pause(EarliestTimeouts earliest) {
            if (full) {
                return AGAIN;
            }
            Duration pause = ended > 0 ? pace.afterFind() : pace.afterNothing();
            return Stream.of(earliest.waiting(), earliest.external(), earliest.runs())
                    .flatMap(Stream::ofNullable)
                    .filter(now::isBefore)
                    .map(due -> Duration.between(now, due).plusMillis(1))
                    .filter(left -> left.compareTo(pause) < 0)
                    .min(Duration::compareTo)
                    .orElse(pause);
        }
    }
}
