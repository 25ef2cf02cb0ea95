package dev.durable.store.postgres.internal.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Several statements that are sent to the server in one round trip. Keep it short (a dozen): the driver breaks very
 * long strings into several round trips.
 */
public final class SqlScript {
    private final List<Statement> statements = new ArrayList<>();

    /** Adds a statement whose answer is not read (it raises an error itself if its answer matters). */
    public SqlScript then(String sql, Param... params) {
        return read(sql, row -> {}, params);
    }

    /** Adds a query; the reader is called for each row, once the whole script has run. */
    public SqlScript read(String sql, Row reader, Param... params) {
        statements.add(new Statement(sql, reader, params, 1));
        return this;
    }

    /**
     * Adds a query as {@link #read}, for statements that are so often sent with a few rows that they may have a text
     * for each number of rows.
     */
    public SqlScript readFew(String sql, Row reader, Param... params) {
        statements.add(new Statement(sql, reader, params, Rendering.FEW));
        return this;
    }

    List<Statement> statements() {
        return statements;
    }

    /** Reads one row; the cursor stands on it. */
    @FunctionalInterface
    public interface Row {
        void read(ResultSet row) throws SQLException;
    }

    @SuppressWarnings("ArrayRecordComponent")
    public record Statement(String sql, Row reader, Param[] params, int mostRows) {
        Rendering rendering() {
            return Rendering.of(sql, mostRows, params);
        }
    }
}
