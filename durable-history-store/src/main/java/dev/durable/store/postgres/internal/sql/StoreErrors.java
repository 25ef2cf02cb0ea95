package dev.durable.store.postgres.internal.sql;

import dev.durable.DurableException;
import dev.durable.RolledBackException;
import dev.durable.StoreRefusedException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.StoreOutageException;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Converts SQL errors to the exceptions of the API, and holds their texts.
 *
 * @param database the name of the database for people: its URL without the password
 * @param workerRole the role whose rights a worker or client needs
 */
public record StoreErrors(String database, String workerRole) {
    /** The prefix of the name of a replica. */
    public static final String REPLICA = "(replica) ";

    private static final String UNREACHABLE = "unreachable";
    /** SQLSTATE class of deadlocks and conflicts: their details name processes and locks. */
    private static final String OF_A_ROLLBACK = "40";
    /** SQLSTATE class of data exceptions. */
    private static final String OF_A_VALUE = "22";

    private static final String DIVISION_BY_ZERO = "22012";

    /**
     * The detail of a row that no partition takes, in any language of the server: it contains only the run's id, which
     * may be shown.
     */
    private static final Pattern PARTITION_KEY = Pattern.compile("\\(run_id\\) = \\([0-9a-f-]{36}\\)");

    /** Uses the role of the schema {@code durable}. */
    public StoreErrors(String database) {
        this(database, SchemaName.DEFAULT + "_worker");
    }

    public static boolean isDenied(@Nullable Throwable e) {
        return e instanceof SQLException sql && "42501".equals(sql.getSQLState()) && !SqlState.isRaised(sql);
    }

    /** The exception for an error that trying again did not mend. */
    public RuntimeException of(SQLException e) {
        return switch (SqlState.of(e)) {
            case UNAVAILABLE, REFUSED -> unavailable(e);
            case AGAIN -> rolledBack(e, "It was tried again, and met the same each time.");
            case LOCKED -> locked(e);
            case NO_PARTITION -> noPartition(e);
            case UNEXPECTED, OTHER ->
                SqlState.mayBeOneRows(e)
                        ? refusedForGood(e)
                        : new DurableException(
                                "the database at " + database + " refused a statement, nothing was written"
                                        + " (SQLSTATE "
                                        + e.getSQLState() + "): " + unended(withoutRow(e))
                                        + (isDenied(e)
                                                ? ". Usual cause: this database user lacks the role " + workerRole
                                                        + ". GRANT \""
                                                        + workerRole + "\" TO it, or let the owner of the schema run"
                                                        + " Schema.grants()."
                                                : ""),
                                withoutRow(e));
        };
    }

    /** The exception for an error in a transaction that the caller began, which can't be tried again here. */
    public RuntimeException ofCaller(SQLException e) {
        return SqlState.of(e) == SqlState.AGAIN
                ? rolledBack(
                        e,
                        "The transaction that this call takes part in is lost as a whole: roll it back, and do it again"
                                + " from its beginning.")
                : of(e);
    }

    /** The exception for a caller's transaction that met a missing partition, which has been created since. */
    RolledBackException partitionMade(SQLException e) {
        return new RolledBackException(
                "the history in the database at " + database
                        + " had no partition for a run of this time, and has one now."
                        + " The transaction that this call takes part in is lost as a whole: roll it back, and do it again from"
                        + " its beginning. Usual cause: no worker has run for weeks, or the partition of this month was"
                        + " detached.",
                withoutRow(e));
    }

    private StoreRefusedException refusedForGood(SQLException e) {
        return new StoreRefusedException(
                "the database at " + database + " refused a statement, nothing was written (SQLSTATE " + e.getSQLState()
                        + "): " + unended(withoutRow(e))
                        + (SqlState.isRaised(e)
                                ? ". Usual cause: a trigger or function of one's own, which has raised this."
                                : ". Usual cause: a value that it can't keep, or a check that a DBA has put on a table of"
                                        + " Durable.")
                        + " It would be refused again. Send another value, or let the owner of the schema change what"
                        + " refuses it.",
                withoutRow(e));
    }

    private DurableException noPartition(SQLException e) {
        return new DurableException(
                "the history in the database at " + database
                        + " has no partition for a run, nothing was written (SQLSTATE "
                        + e.getSQLState() + "): " + unended(withoutRow(e))
                        + ". Usual cause: the partition with its history was"
                        + " dropped or detached while the run was open. Attach it again, or terminate the run, which closes it"
                        + " without an event.",
                withoutRow(e));
    }

    private RolledBackException rolledBack(SQLException e, String then) {
        boolean deadlock = "40P01".equals(e.getSQLState());
        return new RolledBackException(
                (deadlock ? "a deadlock" : "a conflict of transactions") + " in the database at " + database
                        + ", which has rolled back this one to let the other go on (SQLSTATE " + e.getSQLState() + "): "
                        + unended(withoutRow(e)) + ". Nothing of it was written. " + then + " Usual cause: "
                        + (deadlock
                                ? "two transactions that lock the same rows, or start the same ids, in different orders. Let"
                                        + " each do so in the same order."
                                : "an isolation level above read committed."),
                withoutRow(e));
    }

    /** The exception where the database does not answer at all, as far as this process can see. */
    public StoreUnavailableException unavailable(SQLException e) {
        SQLException servers = behind(e);
        if (servers == null) {
            return SqlState.of(e) == SqlState.REFUSED
                    ? refused(e)
                    : unreachable(UNREACHABLE, e, unended(withoutRow(e)));
        }
        String reason = SqlState.of(servers) == SqlState.REFUSED ? "SQLSTATE " + servers.getSQLState() : UNREACHABLE;
        return unreachable(reason, e, unended(withoutRow(e)) + ": " + unended(withoutRow(servers)));
    }

    private StoreUnavailableException unreachable(String reason, SQLException e, @Nullable String words) {
        return StoreOutageException.ofAll(
                reason,
                "the database at " + database + " can't be reached: " + oneLine(words)
                        + (database.startsWith(REPLICA)
                                ? ". Listings, descriptions and histories are not shown until then; all else goes on. Check that"
                                        + " it runs and accepts connections from here."
                                : ". Nothing acknowledged is lost. Check that it runs, accepts connections from here and is not a"
                                        + " standby."),
                withoutRow(e));
    }

    /**
     * The exception for a server that can't be written to.
     *
     * @param e the server's answer to a write; null if the server was asked
     */
    public StoreUnavailableException readOnly(@Nullable SQLException e) {
        return StoreOutageException.ofAll(
                "SQLSTATE 25006",
                "connected to a standby or read-only server: the database at " + database + " refuses writes"
                        + (e == null ? "" : " (" + unended(withoutRow(e)) + ")")
                        + ". Nothing acknowledged is lost, and what is to be written waits. Usual cause: a failover whose old"
                        + " primary still answers, an address that leads to a replica, or default_transaction_read_only = on."
                        + " Put targetServerType=primary, and all servers, into the JDBC URL so that new connections find the"
                        + " primary; where the server is frozen on purpose, work goes on when it is not.",
                e == null ? null : withoutRow(e));
    }

    /** The exception where the server refused to begin a transaction, which is no fault of any item of the batch. */
    StoreUnavailableException notBegun(SQLException e) {
        return StoreOutageException.ofAll(
                "SQLSTATE " + e.getSQLState(),
                "the database at " + database + " refused to begin a transaction (SQLSTATE " + e.getSQLState() + "): "
                        + unended(withoutRow(e))
                        + ". Nothing was written, and it is tried again. Usual cause: a server that is being"
                        + " failed over or put into another mode, or a pooler in front of it: in"
                        + " transaction mode it needs PgBouncer 1.21 with max_prepared_statements, or prepareThreshold=0 in the"
                        + " JDBC URL.",
                withoutRow(e));
    }

    /** The message without its final full stop, which some drivers write, as the text around it has one. */
    private static String unended(SQLException e) {
        String said = String.valueOf(e.getMessage()).stripTrailing();
        return said.endsWith(".") ? said.substring(0, said.length() - 1) : said;
    }

    /** The error of the server behind that of a pool, which says only that it has no connection. */
    private static @Nullable SQLException behind(SQLException e) {
        SQLException innermost = null;
        for (Throwable cause : Thrown.of(e).chain().skip(1).toList()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                innermost = sql;
            }
        }
        return innermost;
    }

    /** The exception where the server itself has refused the work, so that nothing was written. */
    StoreUnavailableException refused(SQLException e) {
        if (SqlState.isReadOnly(e)) {
            return readOnly(e);
        }
        if (SqlState.isCancelled(e)) {
            return StoreOutageException.ofAll(
                    "SQLSTATE 57014",
                    "a statement was cancelled in the database at " + database + " ("
                            + unended(withoutRow(e))
                            + "). Nothing of it was written. Usual cause: pg_cancel_backend, by hand or by a monitor of long"
                            + " statements.",
                    withoutRow(e));
        }
        return StoreOutageException.ofAll(
                "SQLSTATE " + e.getSQLState(),
                "the database at " + database + " refuses work, nothing was written (SQLSTATE " + e.getSQLState()
                        + "): "
                        + oneLine(unended(withoutRow(e))) + ". Nothing acknowledged is lost. "
                        + wayOut(String.valueOf(e.getSQLState()))
                        + " It is tried again until then.",
                withoutRow(e));
    }

    /** The words in one line, without the full stop with which a hint of the server ends. */
    private static String oneLine(@Nullable String words) {
        String line = String.valueOf(words)
                .lines()
                .map(String::strip)
                .collect(Collectors.joining(" "))
                .strip();
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }

    /** The error by {@link #withoutRow} in the driver's own class, which the application knows and histories record. */
    public static SQLException ofTheDriver(SQLException e) {
        SQLException shown = withoutRow(e);
        ServerErrorMessage told = shown instanceof WithoutRow own ? own.getServerErrorMessage() : null;
        return told == null ? shown : at(e, new PSQLException(told));
    }

    /**
     * The error without the parts that show data of the row or value that the server refused. These are its detail and
     * its context, and its message if that may quote a value, which is known by the SQLSTATE, as the server may use any
     * language. The context of any error has the values of all parameters if the server is configured so
     * (log_parameter_max_length_on_error). The details of deadlocks stay, and so do errors that a trigger has raised,
     * as their words are the application's own.
     */
    public static SQLException withoutRow(SQLException e) {
        if (e instanceof WithoutRow) {
            return e;
        }
        if (!(e instanceof PSQLException told)) {
            return e.getNextException() == null ? e : withoutRow(e.getNextException());
        }
        if (told.getServerErrorMessage() == null) {
            return quotesValue(e) ? at(e, new SQLException(words(e), e.getSQLState())) : e;
        }
        return withoutRow(told, told.getServerErrorMessage());
    }

    private static SQLException withoutRow(PSQLException e, ServerErrorMessage whole) {
        StringBuilder kept = new StringBuilder();
        keep(kept, 'S', whole.getSeverity());
        keep(kept, 'C', whole.getSQLState());
        keep(kept, 'M', quotesValue(e) ? words(e) : whole.getMessage());
        keep(kept, 'D', whole.getDetail() == null ? null : detail(e, whole.getDetail()));
        keep(kept, 'H', whole.getHint());
        keep(kept, 's', whole.getSchema());
        keep(kept, 't', whole.getTable());
        keep(kept, 'c', whole.getColumn());
        keep(kept, 'n', whole.getConstraint());
        keep(kept, 'R', whole.getRoutine());
        return at(e, new WithoutRow(new ServerErrorMessage(kept.append('\0').toString())));
    }

    /** An error that {@link #withoutRow} has made: made again, it would lose the place where the error arose. */
    private static final class WithoutRow extends PSQLException {
        private static final long serialVersionUID = 1L;

        WithoutRow(ServerErrorMessage kept) {
            super(kept);
        }
    }

    private static SQLException at(SQLException e, SQLException shown) {
        shown.setStackTrace(e.getStackTrace());
        return shown;
    }

    private static @Nullable String detail(PSQLException e, String whole) {
        if (String.valueOf(e.getSQLState()).startsWith(OF_A_ROLLBACK)) {
            return whole;
        }
        Matcher key = PARTITION_KEY.matcher(whole);
        return SqlState.of(e) == SqlState.NO_PARTITION && key.find() ? key.group() : null;
    }

    /**
     * Returns whether the message may quote a value: those of data exceptions do, in quotes or bare, before or after a
     * colon; that of a division by zero does not.
     */
    private static boolean quotesValue(SQLException e) {
        String state = e.getSQLState();
        return state != null
                && state.startsWith(OF_A_VALUE)
                && !state.equals(DIVISION_BY_ZERO)
                && !SqlState.isRaised(e);
    }

    /** The name that PostgreSQL's manual has for the error. */
    private static String words(SQLException e) {
        String name =
                switch (String.valueOf(e.getSQLState())) {
                    case "22001" -> "string data right truncation";
                    case "22003" -> "numeric value out of range";
                    case "22007" -> "invalid datetime format";
                    case "22008" -> "datetime field overflow";
                    case "2201B" -> "invalid regular expression";
                    case "22021" -> "character not in repertoire";
                    case "22023" -> "invalid parameter value";
                    case "22032" -> "invalid JSON text";
                    case "22P02" -> "invalid text representation";
                    case "22P05" -> "untranslatable character";
                    default -> "data exception";
                };
        return name + " (its words are left out, as they may quote the value" + ErrorPlace.of(e) + ")";
    }

    private static void keep(StringBuilder kept, char field, @Nullable String value) {
        if (value != null) {
            kept.append(field).append(value).append('\0');
        }
    }

    private static String wayOut(String state) {
        return switch (state) {
            case "53100" -> "Usual cause: its disk is full. Make room.";
            case "53300" ->
                "Usual cause: more connections than max_connections allows. End some, or use smaller pools.";
            case "57P03" -> "It is starting or stopping.";
            default ->
                "Usual cause: its machine has no memory or disk left, or its disk fails. The server's log tells more.";
        };
    }

    /** The exception for a connection lost before COMMIT was sent: nothing was written. */
    StoreUnavailableException lost(SQLException e) {
        return StoreOutageException.ofOneConnection(
                "a connection to the database at " + database + " was lost, nothing was written with it: "
                        + unended(withoutRow(e))
                        + ". Nothing acknowledged is lost. Usual cause: the server, or what is between,"
                        + " has ended the connection.",
                withoutRow(e));
    }

    CommitUnknownException commitUnknown(SQLException e) {
        return new CommitUnknownException(
                "the connection to the database at " + database
                        + " was lost while committing (" + unended(withoutRow(e))
                        + "): all of the batch was written or nothing of it.",
                withoutRow(e));
    }

    /** The exception for a nudge that did not get through, for the log only, as it changes nothing. */
    public static StoreUnavailableException lostHint(Exception e) {
        Exception shown = e instanceof SQLException sql ? withoutRow(sql) : e;
        String message = Thrown.of(shown).words();
        String state = e instanceof SQLException sql ? sql.getSQLState() : null;
        if (e instanceof SQLException sql && SqlState.of(sql) == SqlState.UNAVAILABLE) {
            return StoreOutageException.ofOneConnection(message, shown);
        }
        return StoreOutageException.ofAll(state == null ? UNREACHABLE : "SQLSTATE " + state, message, shown);
    }

    /** The exception for an error that may be the commit's, or that of the statement behind it. */
    CommitUnknownException unclear(SQLException e) {
        return new CommitUnknownException(
                "an error came with the answer to a commit in the database at " + database + " ("
                        + unended(withoutRow(e)) + "): all of the batch was written or nothing of it.",
                withoutRow(e));
    }

    /** The text that lists all rights of a worker that a user lacks. */
    public String missingRights(List<String> missing, String user) {
        return "user " + user + " of the database at " + database + " lacks rights that a worker or client needs: "
                + String.join(", ", missing) + ". Usual cause: it is no member of role " + workerRole
                + ", or the schema was upgraded by a user that does not own it. GRANT \"" + workerRole + "\" TO \""
                + user
                + "\"; or let the owner of the schema run Schema.grants().";
    }

    private StoreUnavailableException locked(SQLException e) {
        return new StoreUnavailableException(
                "a row stayed locked in the database at " + database
                        + ", nothing was written. Usual cause: a transaction that touched Durable's tables and was left open; it"
                        + " stands in pg_stat_activity as 'idle in transaction'. End it; this is tried again.",
                withoutRow(e));
    }
}
