package dev.durable.store.postgres;

import dev.durable.DurableException;
import dev.durable.RolledBackException;
import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import java.sql.SQLException;

/**
 * The words of this store's errors.
 *
 * @param database how people call the database: its URL without the password
 */
record Failures(String database) {

    /** For an error that trying again did not mend. */
    RuntimeException of(SQLException e) {
        return switch (SqlState.of(e)) {
            case UNAVAILABLE -> unavailable(e);
            case AGAIN -> rolledBack(e, "It was tried again, and met the same each time.");
            case LOCKED -> locked(e);
            case NO_PARTITION -> noPartition(e);
            default ->
                new DurableException(
                        "the database at " + database + " refused a statement, nothing was written" + " (SQLSTATE "
                                + e.getSQLState() + "): " + e.getMessage(),
                        e);
        };
    }

    /** For an error in a transaction that somebody else began: it can't be tried again here. */
    RuntimeException ofCaller(SQLException e) {
        return SqlState.of(e) == SqlState.AGAIN
                ? rolledBack(
                        e,
                        "The transaction that this call takes part in is lost as a whole: roll it back, and do it again"
                                + " from its beginning.")
                : of(e);
    }

    /** For a caller's transaction that came to the end of the partitions. */
    RolledBackException partitionMade(SQLException e) {
        return new RolledBackException(
                "the history in the database at " + database
                        + " had no partition for a run of this time, and has one now."
                        + " The transaction that this call takes part in is lost as a whole: roll it back, and do it again from"
                        + " its beginning. Usual cause: no worker has run for weeks, or the partition of this month was"
                        + " detached.",
                e);
    }

    private DurableException noPartition(SQLException e) {
        return new DurableException(
                "the history in the database at " + database
                        + " has no partition for a run, nothing was written (SQLSTATE "
                        + e.getSQLState() + "): " + e.getMessage() + ". Usual cause: the partition with its history was"
                        + " dropped or detached while the run was open. Attach it again, or terminate the run, which closes it"
                        + " without an event.",
                e);
    }

    private RolledBackException rolledBack(SQLException e, String then) {
        boolean deadlock = "40P01".equals(e.getSQLState());
        return new RolledBackException(
                (deadlock ? "a deadlock" : "a conflict of transactions") + " in the database at " + database
                        + ", which has rolled back this one to let the other go on (SQLSTATE " + e.getSQLState() + "): "
                        + e.getMessage() + ". Nothing of it was written. " + then + " Usual cause: "
                        + (deadlock
                                ? "two transactions that lock the same rows, or start the same ids, in different orders. Let"
                                        + " each do so in the same order."
                                : "an isolation level above read committed."),
                e);
    }

    StoreUnavailableException unavailable(SQLException e) {
        return new StoreUnavailableException(
                "the database at " + database + " can't be reached: " + e.getMessage()
                        + ". Nothing acknowledged is lost. Check that it runs, accepts connections from here and is not a"
                        + " standby.",
                e);
    }

    CommitUnknownException commitUnknown(SQLException e) {
        return new CommitUnknownException(
                "the connection to the database at " + database
                        + " was lost while committing (" + e.getMessage()
                        + "): all of the batch was written or nothing of it.",
                e);
    }

    /** The error may be the commit's, or that of what followed it. */
    CommitUnknownException unclear(SQLException e) {
        return new CommitUnknownException(
                "an error came with the answer to a commit in the database at " + database + " (" + e.getMessage()
                        + "): all of the batch was written or nothing of it.",
                e);
    }

    private StoreUnavailableException locked(SQLException e) {
        return new StoreUnavailableException(
                "a row stayed locked in the database at " + database
                        + ", nothing was written. Usual cause: a transaction that touched Durable's tables and was left open; it"
                        + " stands in pg_stat_activity as 'idle in transaction'. End it; this is tried again.",
                e);
    }
}
