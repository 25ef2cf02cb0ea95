package dev.durable.store.postgres;

import dev.durable.DurableException;
import dev.durable.RolledBackException;
import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import java.sql.SQLException;
import java.util.List;

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

    /** What a user lacks of the rights of a worker, all of it. */
    String missingRights(List<String> missing, String role, String user) {
        return "user " + user + " of the database at " + database + " lacks rights that a worker or client needs: "
                + String.join(", ", missing) + ". Usual cause: it is no member of role " + role
                + ", or the schema was upgraded by somebody who does not own it. GRANT \"" + role + "\" TO \"" + user
                + "\"; or let the owner of the schema run Schema.grants().";
    }

    private StoreUnavailableException locked(SQLException e) {
        return new StoreUnavailableException(
                "a row stayed locked in the database at " + database
                        + ", nothing was written. Usual cause: a transaction that touched Durable's tables and was left open; it"
                        + " stands in pg_stat_activity as 'idle in transaction'. End it; this is tried again.",
                e);
    }
}
