package dev.durable.store.postgres.internal.transaction;

import dev.durable.internal.text.Thrown;
import dev.durable.store.postgres.internal.sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the transaction of an activity's body was ended from outside. It judges by the connection and by the
 * errors that the database returned to the body, not by what the body throws, as the body may wrap an error, or swallow
 * it.
 *
 * <pre>
 *   the connection is gone ────────────────► from outside, unless an error of the body's own made the pool give it up (an
 *                                            error that the pool does not know, or takes for a lost connection, as a
 *                                            trigger has raised it), or a setting of its own the driver ({@link BodyTransaction})
 *   the transaction has failed, and the last error of a statement was
 *        a deadlock, a conflict, no memory, no disk, a cancel by an operator ──► from outside
 *        anything else ────────────────────► the body's own
 *   neither ───────────────────────────────► the body's own, whatever it throws
 * </pre>
 *
 * <p>Statements that do not go through {@code ActivityContext.transaction(Connection.class)}, as in Spring, are not
 * seen: then the errors among the causes of the body's exception are used, except for cancels, which may come from a
 * time limit of its own.
 */
final class BodyWitness implements BodyConnection.Seen {
    /** The pool (HikariCP) gives a connection up after this error, although the connection is fine. */
    private static final String NOT_SUPPORTED = "0A000";
    /** The error that tells only that another error came before it. */
    private static final String HAS_FAILED = "25P02";

    private static final String CANCELLED = "57014";

    private @Nullable SQLException last;
    private @Nullable Throwable thrown;
    private boolean limited;

    @Override
    public void failed(SQLException e) {
        if (e.getSQLState() != null && !e.getSQLState().equals(HAS_FAILED)) {
            last = e;
        }
    }

    @Override
    public void limited() {
        limited = true;
    }

    /** Takes the exception that the body threw. */
    void threw(Throwable what) {
        thrown = what;
    }

    /**
     * The error that ended the transaction from outside; null if the body ended it.
     *
     * @param answer the answer of the connection to a statement now
     */
    @Nullable
    SQLException outage(Connection connection, SQLException answer) {
        SQLException error = last == null ? inChain() : last;
        if (HAS_FAILED.equals(answer.getSQLState())) {
            return error != null && isFromOutside(error) && !mayBeItsOwn(error) ? error : null;
        }
        if (isFromOutside(answer)) {
            return answer;
        }
        if (!isGone(connection)) {
            return null;
        }
        if (error != null && isFromOutside(error)) {
            return error;
        }
        return error != null && (NOT_SUPPORTED.equals(error.getSQLState()) || SqlState.isRaised(error))
                ? null
                : new SQLException("the connection was lost: " + answer.getMessage(), "08006", answer);
    }

    /**
     * Returns whether the error comes from outside. A transaction that began writable is read-only only by the body's
     * own doing.
     */
    private static boolean isFromOutside(SQLException e) {
        return switch (SqlState.of(e)) {
            case AGAIN -> true;
            case UNAVAILABLE, REFUSED -> !SqlState.isReadOnly(e);
            case UNEXPECTED, LOCKED, NO_PARTITION, OTHER -> false;
        };
    }

    /** Returns whether a cancel may be the body's own: the driver was to cancel, or the statements were not seen. */
    private boolean mayBeItsOwn(SQLException error) {
        return CANCELLED.equals(error.getSQLState()) && (limited || last == null);
    }

    /** Returns whether the body went on in a failed transaction, in which nothing more can be written. */
    static boolean hasFailed(SQLException answer) {
        return HAS_FAILED.equals(answer.getSQLState());
    }

    /** The error of the body's last statement that failed, as far as statements are seen; null if none failed. */
    @Nullable
    SQLException last() {
        return last;
    }

    static boolean isGone(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    private @Nullable SQLException inChain() {
        Throwable outermost = thrown;
        return outermost == null
                ? null
                : Thrown.of(outermost)
                        .chain()
                        .filter(SQLException.class::isInstance)
                        .map(SQLException.class::cast)
                        .filter(e -> e.getSQLState() != null)
                        .findFirst()
                        .orElse(null);
    }
}
