package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Checks that a connection which a caller wants to have joined belongs to the store's own database. A database is known
 * by its OID and by the time at which the schema was created in it, to the microsecond. A physical connection is asked
 * once, behind a savepoint, so that a failed query leaves the transaction as it was.
 */
public final class SameDatabase {
    private static final String WHICH = """
            select d.oid::pg_catalog.int8 as oid, d.datname as name, v.applied_at as made
              from pg_catalog.pg_database d, durable.schema_version v
             where d.datname operator(pg_catalog.=) pg_catalog.current_database() and v.version operator(pg_catalog.=) 1""";

    private final Connections connections;
    private final Map<PGConnection, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());
    private volatile @Nullable Identity own;

    private record Identity(long oid, String name, OffsetDateTime made) {
        boolean isSame(@Nullable Identity other) {
            return other != null && oid == other.oid && made.isEqual(other.made);
        }

        static Identity read(ResultSet row) throws SQLException {
            return new Identity(row.getLong("oid"), row.getString("name"), row.getObject("made", OffsetDateTime.class));
        }
    }

    public SameDatabase(Connections connections) {
        this.connections = connections;
    }

    /**
     *
     * @throws IllegalArgumentException if it is a connection of another database
     */
    void check(Connection connection) {
        PGConnection physical = physical(connection);
        if (physical != null && known.containsKey(physical)) {
            return;
        }
        Identity its = of(connection);
        if (!its.isSame(own)) {
            // The schema may have been created anew since then.
            learn();
            if (!its.isSame(own)) {
                throw refused("database " + its.name() + ", which has a schema " + schema() + " of its own", null);
            }
        }
        if (physical != null) {
            known.put(physical, true);
        }
    }

    /**
     * Reads the identity of the store's own database. It is called when the store is opened, as later on callers that
     * join may hold all connections of the pool.
     */
    public void learn() {
        List<Identity> found = new ArrayList<>();
        connections.read(TransactionSettings.SHORT, tx -> {
            found.clear();
            tx.last(new SqlScript().read(WHICH, row -> found.add(Identity.read(row))));
            return true;
        });
        own = found.isEmpty() ? null : found.getFirst();
    }

    private Identity of(Connection connection) {
        try {
            Savepoint before = connection.setSavepoint();
            @Nullable Identity identity;
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(connections.schema().in(WHICH))) {
                identity = row.next() ? Identity.read(row) : null;
            } catch (SQLException e) {
                connection.rollback(before);
                throw refused("a database where schema " + schema() + " can't be read (" + e.getMessage() + ")", e);
            }
            connection.releaseSavepoint(before);
            if (identity == null) {
                throw refused("a database whose schema " + schema() + " is empty", null);
            }
            return identity;
        } catch (SQLException e) {
            throw new IllegalArgumentException("joining(connection): it is closed or broken: " + e.getMessage(), e);
        }
    }

    private IllegalArgumentException refused(String where, @Nullable SQLException cause) {
        return new IllegalArgumentException(
                "joining(connection): it is a connection of " + where + ", and not of the store's, "
                        + connections.failures().database()
                        + ". What was started through it would be found by no worker of this engine. Usual cause: the"
                        + " application has several DataSources. Take a connection of the one that the store was made with,"
                        + " or leave joining(…) out.",
                cause);
    }

    private String schema() {
        return connections.schema().quoted();
    }

    private static @Nullable PGConnection physical(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
        } catch (SQLException e) {
            return null;
        }
    }
}
