package dev.durable.store.postgres;

import dev.durable.DurableException;
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
            case UNAVAILABLE, AGAIN -> unavailable(e);
            case LOCKED -> locked(e);
            default ->
                new DurableException(
                        "the database at " + database + " refused a statement, nothing was written" + " (SQLSTATE "
                                + e.getSQLState() + "): " + e.getMessage(),
                        e);
        };
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
