package dev.durable.store.postgres.internal.run;

import dev.durable.DurableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.Bounds;
import dev.durable.store.Nudges;
import dev.durable.store.RunChange;
import dev.durable.store.RunIds;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes changes of many runs in few transactions, in the order in which runs are locked. Where a lock is in the way, it
 * writes parts, until those that wait for it are left; a change alone waits for its lock for seconds. Where the database
 * refuses a part by what may be the fault of one run, it writes halves, until the runs that are refused stand alone; those
 * are logged and left as they are. An outage is thrown.
 */
final class RunBatches {
    private static final Logger log = LoggerFactory.getLogger(RunBatches.class);

    private static final String TIME_LIMIT = "57014";

    private final Connections connections;
    private final Nudges nudges;
    private final int most;

    /** @param most how many runs one transaction changes */
    RunBatches(Connections connections, Nudges nudges, int most) {
        this.connections = connections;
        this.nudges = nudges;
        this.most = most;
    }

    /** Writes one part of a batch in a transaction. It may be called again with the same items, after a rollback. */
    @FunctionalInterface
    interface Part {
        /**
         * Writes the changes with these indices, and notes what has come of those whose run is found.
         *
         * @return the nudges to send after the commit
         */
        PendingNudges write(Tx tx, List<Integer> items, Outcomes outcomes) throws SQLException;
    }

    /** The results of the changes of a batch, each in the place of its request. Used by one thread. */
    static final class Outcomes {
        private final List<RunChange> all;

        private Outcomes(int size) {
            all = new ArrayList<>(Collections.nCopies(size, RunChange.NOT_FOUND));
        }

        void set(int item, RunChange outcome) {
            all.set(item, outcome);
        }

        boolean isMissing(int item) {
            return all.get(item).kind() == RunChange.Kind.NOT_FOUND;
        }
    }

    /**
     * Writes a batch; returns the outcomes in the order of the items.
     *
     * @param workflowIds those of the runs, all different
     */
    List<RunChange> write(List<String> workflowIds, Part part) {
        Outcomes outcomes = new Outcomes(workflowIds.size());
        List<Integer> items = IntStream.range(0, workflowIds.size())
                .boxed()
                .sorted(Comparator.comparingInt((Integer item) -> RunIds.shardOf(workflowIds.get(item)))
                        .thenComparing(workflowIds::get, Utf8Order.INSTANCE))
                .toList();
        if (items.size() == 1) {
            writeOne(items, workflowIds.get(items.getFirst()), outcomes, part);
        } else {
            for (int from = 0; from < items.size(); from += most) {
                List<Integer> some = items.subList(from, Math.min(items.size(), from + most));
                writePortion(some, workflowIds, outcomes, part);
            }
        }
        return List.copyOf(outcomes.all);
    }

    private void writePortion(List<Integer> items, List<String> workflowIds, Outcomes outcomes, Part part) {
        Set<Integer> settled = new HashSet<>();
        connections
                .inParts(
                        items,
                        workflowIds::get,
                        LockPatience.SHORT,
                        (locks, some) -> writeSome(
                                locks,
                                some.stream()
                                        .filter(item -> !settled.contains(item))
                                        .toList(),
                                settled,
                                workflowIds,
                                outcomes,
                                part))
                .forEach(item -> outcomes.set(item, RunChange.LOCKED));
    }

    private void writeOne(List<Integer> one, String workflowId, Outcomes outcomes, Part part) {
        try {
            connections
                    .transaction(TransactionSettings.LONG, tx -> write(tx, one, outcomes, part))
                    .sendTo(nudges);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (DurableException e) {
            if (!(e.getCause() instanceof SQLException why) || !mayBeOneRuns(why)) {
                throw e;
            }
            refused(outcomes, one.getFirst(), workflowId, e);
        }
    }

    /**
     * Writes items in one transaction; in halves, down to single items, where the database refuses that by what may be the
     * fault of one of them.
     *
     * @param settled gets the items of which it is known what has come of them: a lock in the way of others lets them all be
     *     written again
     */
    private void writeSome(
            TransactionSettings locks,
            List<Integer> some,
            Set<Integer> settled,
            List<String> workflowIds,
            Outcomes outcomes,
            Part part)
            throws SQLException {
        if (some.isEmpty()) {
            return;
        }
        try {
            connections.attempt(locks, tx -> write(tx, some, outcomes, part)).sendTo(nudges);
        } catch (SQLException e) {
            if (!mayBeOneRuns(e)) {
                throw e;
            }
            if (some.size() == 1) {
                RuntimeException error = connections.failures().of(e);
                if (!(error instanceof DurableException why)) {
                    throw error;
                }
                refused(outcomes, some.getFirst(), workflowIds.get(some.getFirst()), why);
            } else {
                int half = some.size() / 2;
                writeSome(locks, some.subList(0, half), settled, workflowIds, outcomes, part);
                writeSome(locks, some.subList(half, some.size()), settled, workflowIds, outcomes, part);
            }
        }
        settled.addAll(some);
    }

    /**
     * Returns whether another transaction without one of its runs may succeed. Of the time limits, that of the statement is
     * meant: what an operator has cancelled counts as an outage.
     */
    static boolean mayBeOneRuns(SQLException e) {
        return switch (SqlState.of(e)) {
            case UNEXPECTED, NO_PARTITION -> true;
            case OTHER -> SqlState.mayBeOneRows(e) || TIME_LIMIT.equals(e.getSQLState());
            case LOCKED, AGAIN, UNAVAILABLE, REFUSED -> false;
        };
    }

    private static void refused(Outcomes outcomes, int item, String workflowId, DurableException why) {
        log.warn(
                "workflow {} is left as it is, as the database refuses to change it: {}",
                Bounds.shown(workflowId),
                why.getMessage());
        outcomes.set(item, RunChange.refused(why));
    }

    private static PendingNudges write(Tx tx, List<Integer> items, Outcomes outcomes, Part part) throws SQLException {
        items.forEach(item -> outcomes.set(item, RunChange.NOT_FOUND));
        return part.write(tx, items, outcomes);
    }
}
