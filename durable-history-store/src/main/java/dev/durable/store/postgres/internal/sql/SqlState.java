package dev.durable.store.postgres.internal.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Classes of SQLSTATE by their consequences for a transaction. */
public enum SqlState {
    /** A batch did not find the rows that it expected ({@code durable.must}), or its rows are already there. */
    UNEXPECTED,
    /** A lock was not granted in time. */
    LOCKED,
    /**
     * Rolled back by the server as the victim of others: deadlock, serialisation, cancelled by a failover, a table
     * whose rights or partitions another transaction changed at the same time.
     */
    AGAIN,
    /** A run id that no partition covers. */
    NO_PARTITION,
    /** The connection is lost or about to be; the last statement may have happened. Other connections may answer. */
    UNAVAILABLE,
    /**
     * The server refuses all work now: the disk is full or fails, no memory, no connection left, starting or stopping,
     * a standby; or an operator has cancelled the statement. Nothing happened.
     */
    REFUSED,
    /** Any other error: a defect, a missing right. */
    OTHER;

    private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01", "40003");
    /** The state of writes on a standby, or on a server that is frozen by {@code default_transaction_read_only}. */
    private static final String READ_ONLY = "25006";

    private static final String CANCELLED = "57014";

    /** The class of the engine's own functions. */
    private static final String OWN = "DU";
    /**
     * The functions of the server by which functions in PL/pgSQL, Python, Perl or Tcl raise errors of their own. Never
     * translated.
     */
    private static final Set<String> RAISING =
            Set.of("exec_stmt_raise", "PLy_output", "PLy_elog_impl", "plperl_util_elog", "pltcl_elog");

    /** The tables of which the server names one if no partition of it takes a row. */
    private static final Set<String> PARTITIONED = Set.of("history_event", "stream_entry");

    private static final Set<String> GOING_AWAY = Set.of("57P01", "57P02", "57P04", "57P05", "25P03", "25P04");
    private static final Set<String> CLOSED_TO_ALL = Set.of("57P03", READ_ONLY);
    /**
     * Classes of resources and of the system below: they are no item's fault, and giving up the outcome of an activity
     * would run it again.
     */
    private static final Set<String> CLASSES_OF_REFUSALS = Set.of("53", "58");

    /** Classes of values, constraints, limits, and errors of triggers: one row alone may be at fault. */
    private static final Set<String> REFUSALS = Set.of("22", "23", "44", "54", "P0");

    /**
     * Returns whether leaving one row out may help, if others get through. It does not help if a right or a table is
     * missing, as that concerns all rows.
     */
    public static boolean mayBeOneRows(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return isRaised(e) || (REFUSALS.contains(classOf(state)) && of(e) != NO_PARTITION);
    }

    /** Returns whether the server can't be written to: a standby, or a read-only one. */
    public static boolean isReadOnly(SQLException e) {
        return READ_ONLY.equals(e.getSQLState()) && !isRaised(e);
    }

    /**
     * Returns whether a trigger or function of the application has raised the error, by {@code RAISE … USING ERRCODE}
     * or the like: then its SQLSTATE is the application's choice and says nothing about the server.
     */
    public static boolean isRaised(SQLException e) {
        ServerErrorMessage told = told(e);
        return told != null
                && told.getRoutine() != null
                && RAISING.contains(told.getRoutine())
                && !String.valueOf(e.getSQLState()).startsWith(OWN);
    }

    private static @Nullable ServerErrorMessage told(SQLException e) {
        return e instanceof PSQLException server ? server.getServerErrorMessage() : null;
    }

    /**
     * Returns whether an operator has cancelled the statement ({@code pg_cancel_backend}). A time limit has the same
     * SQLSTATE with another message. In transactions of the engine's own the two are distinguished by the time that the
     * statement ran ({@link #judged}), in any language of the server. Where the application may have set the limit they
     * are distinguished by the message, in English; in another language the error counts as a time limit.
     */
    static boolean isCancelled(SQLException e) {
        return e instanceof Cancelled
                || (CANCELLED.equals(e.getSQLState())
                        && !isRaised(e)
                        && String.valueOf(e.getMessage()).contains("canceling statement due to user request"));
    }

    /**
     * Marks the error of a statement that ran for so long and had that limit: if it was cancelled before the limit, an
     * operator has cancelled it.
     */
    static PSQLException judged(PSQLException e, Duration ran, Duration limit) {
        ServerErrorMessage told = e.getServerErrorMessage();
        if (!CANCELLED.equals(e.getSQLState()) || told == null || isRaised(e) || ran.compareTo(limit) >= 0) {
            return e;
        }
        Cancelled cancelled = new Cancelled(told);
        cancelled.setStackTrace(e.getStackTrace());
        return cancelled;
    }

    private static final class Cancelled extends PSQLException {
        private static final long serialVersionUID = 1L;

        Cancelled(ServerErrorMessage told) {
            super(told);
        }
    }

    public static SqlState of(SQLException e) {
        if (isRaised(e)) {
            return OTHER;
        }
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.equals("DU001") || state.equals("23505")) {
            return UNEXPECTED;
        }
        if (state.equals("55P03")) {
            return LOCKED;
        }
        if (ROLLED_BACK.contains(state) || isCatalogChanged(e)) {
            return AGAIN;
        }
        if (state.equals("23514") && isOfPartitions(e)) {
            return NO_PARTITION;
        }
        if (CLOSED_TO_ALL.contains(state) || CLASSES_OF_REFUSALS.contains(classOf(state)) || isCancelled(e)) {
            return REFUSED;
        }
        return GOING_AWAY.contains(state) || state.startsWith("08") ? UNAVAILABLE : OTHER;
    }

    /**
     * Returns whether another transaction changed the catalog at that time: GRANT takes no lock on its table, so it and
     * an ALTER of the table collide in the catalog. The message is never translated.
     */
    private static boolean isCatalogChanged(SQLException e) {
        return "XX000".equals(e.getSQLState()) && String.valueOf(e.getMessage()).contains("tuple concurrently");
    }

    private static String classOf(String state) {
        return state.length() == 5 ? state.substring(0, 2) : "";
    }

    /** Returns whether the database does not answer, or refuses all work. */
    public boolean isOutage() {
        return this == UNAVAILABLE || this == REFUSED;
    }

    /**
     * Returns whether no partition of the history, or of streams, takes the row, in any language of the server: a violated
     * check has a name, and this error has none. Its table is compared, too, as it may be one of the application's.
     */
    private static boolean isOfPartitions(SQLException e) {
        ServerErrorMessage told = told(e);
        return told != null
                && told.getConstraint() == null
                && (told.getTable() == null || PARTITIONED.contains(told.getTable()));
    }
}
