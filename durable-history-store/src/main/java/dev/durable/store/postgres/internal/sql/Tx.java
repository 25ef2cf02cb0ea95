package dev.durable.store.postgres.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PreferQueryMode;
import org.postgresql.util.PSQLException;

/**
 * One database transaction on one connection. BEGIN travels with the first script and COMMIT with the last: a
 * transaction of one script is one round trip, and a {@link NudgePassage} may travel behind the COMMIT. It is READ
 * COMMITTED, whatever the server's default is, as the protocol needs a fresh snapshot for each statement. It does not
 * say whether it writes: a standby, and a server that an operator has frozen by {@code default_transaction_read_only},
 * refuse its first write (25006).
 */
public final class Tx {
    private static final String BEGIN = "begin isolation level read committed";
    private static final String BEGIN_READING = BEGIN + " read only";
    private static final String COMMIT = "commit";

    private final Connection connection;
    private final SchemaName schema;
    private final TransactionSettings locks;
    private final TimeSeen timeSeen;
    private @Nullable NudgePassage passage;
    private String begin = BEGIN;
    private boolean begun;
    /** True if BEGIN is among the statements that were sent last. */
    private boolean beginSent;

    private boolean callers;
    private boolean committing;
    private boolean committed;
    private boolean passageSent;
    private long sentNanos;

    /**
     *
     * @param passage is sent together with COMMIT, behind it; null is none
     */
    Tx(
            Connection connection,
            SchemaName schema,
            TransactionSettings locks,
            TimeSeen timeSeen,
            @Nullable NudgePassage passage) {
        this.connection = connection;
        this.schema = schema;
        this.locks = locks;
        this.timeSeen = timeSeen;
        this.passage = passage;
    }

    /** A transaction that only reads and does not read the server's time, on a replica. */
    public static Tx reading(Connection connection, SchemaName schema, TransactionSettings locks) {
        Tx tx = new Tx(connection, schema, locks, (time, roundTrip) -> {}, null);
        tx.begin = BEGIN_READING;
        return tx;
    }

    /**
     * The caller's own transaction, with the caller's own settings: it has begun already, and only the caller ends it.
     * After each script its search_path is the caller's again.
     */
    public static Tx ofCaller(Connection connection, SchemaName schema) {
        Tx tx = new Tx(connection, schema, TransactionSettings.SHORT, (time, roundTrip) -> {}, null);
        tx.begun = true;
        tx.callers = true;
        return tx;
    }

    /** Runs the script; the transaction goes on. */
    public void run(SqlScript script) throws SQLException {
        send(script, false);
    }

    /** Runs the script and commits, in the same round trip. */
    public void last(SqlScript script) throws SQLException {
        send(script, true);
    }

    /**
     * Runs the script and commits, in the same round trip, with a passage that is known only now; not in a caller's
     * transaction.
     *
     * @param later null is none
     */
    public void last(SqlScript script, @Nullable NudgePassage later) throws SQLException {
        passage = later;
        last(script);
    }

    /** Runs the script alone, and commits it; an error leaves no transaction open. */
    public void only(SqlScript script) throws SQLException {
        try {
            last(script);
        } catch (SQLException e) {
            try {
                rollback();
            } catch (SQLException lost) {
                e.addSuppressed(lost);
            }
            throw e;
        }
    }

    /** Commits what {@link #run} did, if anything ran and {@link #last} did not. */
    void commit() throws SQLException {
        if (begun && !committed) {
            last(new SqlScript());
        }
    }

    /** Rolls back, unless it is committed. */
    void rollback() throws SQLException {
        if (begun && !committed) {
            try (var statement = connection.createStatement()) {
                statement.execute("rollback");
            }
        }
    }

    /** Returns whether COMMIT was sent: an error from here on may hide a success. */
    boolean committing() {
        return committing;
    }

    /**
     * Returns whether an error that the server reported may be that of the passage, and so hide a success. It can't
     * while the server reports the transaction as open or failed.
     */
    boolean isInDoubt() {
        return passageSent && committing && !committed && isIdle();
    }

    /**
     * Returns whether BEGIN was refused: it was sent with the statements that failed, and there is no transaction. If
     * COMMIT was sent with them, too, the commit may have been refused because of a row, which the error shows.
     */
    boolean isNotBegun(SQLException e) {
        return beginSent
                && e instanceof PSQLException told
                && told.getServerErrorMessage() != null
                && SqlState.of(e) == SqlState.OTHER
                && !SqlState.mayBeOneRows(e)
                && isIdle();
    }

    private boolean isIdle() {
        try {
            return connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
        } catch (SQLException e) {
            return true;
        }
    }

    /** Tells the passage its result, if it was sent. */
    void tellPassage(Consumer<NudgePassage> what) {
        if (passage != null && passageSent) {
            what.accept(passage);
        }
    }

    /**
     * The jOOQ context of the transaction, for infrequent queries; with {@link TransactionSettings#READ} only, which
     * sets the search_path.
     */
    public DSLContext dsl() throws SQLException {
        if (!begun) {
            run(new SqlScript());
        }
        return Dsl.on(connection);
    }

    private void send(SqlScript script, boolean end) throws SQLException {
        boolean last = end && !callers;
        List<SqlScript.Statement> statements =
                new ArrayList<>(script.statements().size() + 4);
        beginSent = !begun;
        if (!begun) {
            statements.add(new SqlScript.Statement(begin, row -> {}, new Param[0], 1));
            statements.add(new SqlScript.Statement(locks.setup(schema), this::seeTime, new Param[0], 1));
        } else if (callers) {
            statements.add(new SqlScript.Statement(SearchPath.PIN, row -> {}, new Param[0], 1));
        }
        statements.addAll(script.statements());
        if (callers) {
            statements.add(new SqlScript.Statement(SearchPath.RESTORE, row -> {}, new Param[0], 1));
        }
        if (last) {
            statements.add(new SqlScript.Statement(COMMIT, row -> {}, new Param[0], 1));
            if (passage != null && stopsAtErrors()) {
                statements.add(passage.statement());
                passageSent = true;
            }
        }
        begun = true;
        execute(statements, last);
        committed |= last;
    }

    /**
     * Returns whether the server skips the statements behind one that failed. In the driver's simple mode each
     * statement is sent by itself, also those behind a failed one.
     */
    private boolean stopsAtErrors() throws SQLException {
        return connection.unwrap(BaseConnection.class).getPreferQueryMode() != PreferQueryMode.SIMPLE;
    }

    private void execute(List<SqlScript.Statement> statements, boolean last) throws SQLException {
        List<Rendering> renderings =
                statements.stream().map(SqlScript.Statement::rendering).toList();
        try (PreparedStatement prepared = connection.prepareStatement(text(renderings))) {
            prepareOnServer(prepared);
            // Whatever the URL sets for all statements: if a portal is read in parts, the parts after the first are
            // never read.
            prepared.setFetchSize(0);
            int index = 1;
            for (int i = 0; i < renderings.size(); i++) {
                index = renderings
                        .get(i)
                        .bind(prepared, index, statements.get(i).params());
            }
            sentNanos = System.nanoTime();
            committing |= last;
            prepared.execute();
            for (int i = 0; i < statements.size(); i++) {
                if (i > 0) {
                    prepared.getMoreResults();
                }
                read(prepared.getResultSet(), statements.get(i).reader());
            }
        } catch (PSQLException e) {
            Duration ran = Duration.ofNanos(System.nanoTime() - sentNanos);
            throw StoreErrors.withoutRow(callers ? e : SqlState.judged(e, ran, TransactionSettings.STATEMENT_TIMEOUT));
        }
    }

    private String text(List<Rendering> renderings) {
        StringBuilder text = new StringBuilder(2048);
        for (Rendering rendering : renderings) {
            text.append(text.isEmpty() ? "" : ";\n").append(rendering.text());
        }
        return schema.in(text.toString());
    }

    /**
     * Makes the statement a named one from its first use on, unless the owner of the pool switched that off (old
     * poolers can't use them).
     */
    private void prepareOnServer(PreparedStatement prepared) throws SQLException {
        if (connection.unwrap(PGConnection.class).getPrepareThreshold() > 0) {
            prepared.unwrap(PGStatement.class).setPrepareThreshold(1);
        }
    }

    private static void read(@Nullable ResultSet rows, SqlScript.Row reader) throws SQLException {
        if (rows != null) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    private void seeTime(ResultSet row) throws SQLException {
        timeSeen.at(TimeColumns.required(row, "now"), Duration.ofNanos(System.nanoTime() - sentNanos));
    }

    /** Receives the server's time with each transaction. */
    @FunctionalInterface
    public interface TimeSeen {
        void at(Instant time, Duration roundTrip);
    }
}
