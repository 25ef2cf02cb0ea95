package dev.durable.store.postgres;

import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;

/** What an error of the server means for a transaction: the classes of SQLSTATE that this store tells apart. */
enum SqlState {
    /** A batch did not find what it counted on ({@code durable.must}), or its rows are already there. */
    UNEXPECTED,
    /** A lock was not to be had in time. */
    LOCKED,
    /** Rolled back by the server for somebody else's sake: deadlock, serialisation, cancelled by a failover. */
    AGAIN,
    /** A run id that no partition covers. */
    NO_PARTITION,
    /** The database is away, going away, out of disk, or (a standby) not the one that can be written. */
    UNAVAILABLE,
    /** Anything else: a defect, a missing right. */
    OTHER;

    private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01", "40003");
    private static final Set<String> GOING_AWAY = Set.of("57P01", "57P02", "57P03", "57P05", "25006", "53300", "25P03");
    /** The disk is full or fails: no item's fault, and giving up the outcome of an activity would run it again. */
    private static final Set<String> DISK = Set.of("53100", "58030");

    /** Values, constraints, limits, and what triggers raise: it may be one row's fault alone. */
    private static final Set<String> REFUSALS = Set.of("22", "23", "44", "54", "P0");

    /** Whether leaving one row out may help, if others get through. Not where a right or a table is missing: that hits all. */
    static boolean mayBeOneRows(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return state.length() == 5 && REFUSALS.contains(state.substring(0, 2)) && of(e) != NO_PARTITION;
    }

    static SqlState of(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.equals("DU001") || state.equals("23505")) {
            return UNEXPECTED;
        }
        if (state.equals("55P03")) {
            return LOCKED;
        }
        if (ROLLED_BACK.contains(state)) {
            return AGAIN;
        }
        if (state.equals("23514") && isWithoutConstraint(e)) {
            return NO_PARTITION;
        }
        return GOING_AWAY.contains(state) || DISK.contains(state) || state.startsWith("08") ? UNAVAILABLE : OTHER;
    }

    /** A check that is violated has a name; a row that no partition takes violates none. In whatever language the server speaks. */
    private static boolean isWithoutConstraint(SQLException e) {
        return e instanceof PSQLException server
                && server.getServerErrorMessage() != null
                && server.getServerErrorMessage().getConstraint() == null;
    }
}
