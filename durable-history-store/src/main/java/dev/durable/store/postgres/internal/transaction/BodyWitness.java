package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.Thrown;
import dev.durable.store.postgres.internal.sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the transaction of an activity's body was ended from outside. That is asked of the connection and of what the
 * database answered to the body, not of what the body made of it: it may wrap an error, or swallow it.
 *
 * <pre>
 *   the connection is gone ────────────────► from outside, unless an error of the body's own made the pool give it up (what
 *                                            the pool does not know, or takes for a lost connection, as a trigger has raised
 *                                            it), or a setting of its own the driver ({@link BodyTransaction})
 *   the transaction has failed, and the last error of a statement was
 *        a deadlock, a conflict, no memory, no disk, a cancel by somebody else ──► from outside
 *        anything else ────────────────────► the body's own
 *   neither ───────────────────────────────► the body's own, whatever it throws
 * </pre>
 *
 * <p>Statements that do not go through {@code ActivityContext.transaction(Connection.class)}, as in Spring, are not seen: then
 * the errors in the chain of what the body threw stand for them, without cancels, which may be of a time limit of its own.
 */
final class BodyWitness implements BodyConnection.Seen {
    /** The pool gives a connection up after it (HikariCP), and the connection is fine. */
    private static final String NOT_SUPPORTED = "0A000";
    /** It tells only that another error came before it. */
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

    /** The body threw that. */
    void threw(Throwable what) {
        thrown = what;
    }

    /**
     * What ended the transaction from outside; null where that was the body.
     *
     * @param answer what the connection answers to a statement now
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

    /** What was begun writable is read-only by the body's own doing. */
    private static boolean isFromOutside(SQLException e) {
        return switch (SqlState.of(e)) {
            case AGAIN -> true;
            case UNAVAILABLE, REFUSED -> !SqlState.isReadOnly(e);
            case UNEXPECTED, LOCKED, NO_PARTITION, OTHER -> false;
        };
    }

    /** A cancel where the driver was to cancel, too, or where nobody saw whether it was. */
    private boolean mayBeItsOwn(SQLException error) {
        return CANCELLED.equals(error.getSQLState()) && (limited || last == null);
    }

    /** Whether the transaction has failed and the body went on: nothing more can be written in it, not even its outcome. */
    static boolean hasFailed(SQLException answer) {
        return HAS_FAILED.equals(answer.getSQLState());
    }

    /** The error of the body's last statement that failed, as far as statements are seen; null without. */
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
