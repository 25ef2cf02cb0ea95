package dev.durable.store.postgres;

import dev.durable.StoreUnavailableException;
import dev.durable.store.EstimatedClock;
import dev.durable.store.Fitness;
import dev.durable.store.StoreClock;
import dev.durable.store.postgres.internal.schema.Grants;
import dev.durable.store.postgres.internal.schema.Migration;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.SearchPath;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.transaction.SameDatabase;
import dev.durable.store.postgres.internal.upkeep.Partitions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a store: migrates or checks the schema, reads the clock, and checks whether a process may work there. */
final class StoreOpening {
    private static final Logger log = LoggerFactory.getLogger(PostgresHistoryStore.class);

    private final SchemaMode schemaMode;
    private final Migration migration;
    private final Guard guard;
    private final Connections connections;
    private final SameDatabase database;
    private final Partitions partitions;
    private final Supplier<Instant> now;
    private final LongSupplier nanoTime;
    private volatile @Nullable EstimatedClock clock;

    StoreOpening(
            SchemaMode schemaMode,
            Migration migration,
            Guard guard,
            Connections connections,
            SameDatabase database,
            Partitions partitions,
            Supplier<Instant> now,
            LongSupplier nanoTime) {
        this.schemaMode = schemaMode;
        this.migration = migration;
        this.guard = guard;
        this.connections = connections;
        this.database = database;
        this.partitions = partitions;
        this.now = now;
        this.nanoTime = nanoTime;
    }

    void open() {
        migration.run(schemaMode);
        if (clock == null) {
            database.learn();
            EstimatedClock opened = new EstimatedClock(now, nanoTime);
            connections.onTime(opened::observe);
            clock = opened;
            addPartitions();
        }
    }

    /**
     * Adds partitions ahead of time, if the server can be written to: a client of a read-only server opens all the
     * same, and a worker there is refused when it begins.
     */
    private void addPartitions() {
        try {
            partitions.add();
        } catch (StoreUnavailableException e) {
            if (!(e.getCause() instanceof SQLException refused) || !SqlState.isReadOnly(refused)) {
                throw e;
            }
            log.warn("opened for reading: {}", e.getMessage());
        }
    }

    /** Checks whether the schema's installation is that of this process, and which rights are missing. */
    Fitness inspect(@Nullable String installation) {
        return connections.ask(connection -> {
            Grants grants = migration.grants();
            List<String> missing = SearchPath.around(connection, grants::missing);
            List<String> problems = missing.isEmpty()
                    ? List.of()
                    : List.of(connections.failures().missingRights(missing, user(connection)));
            return guard.look(connection, installation, problems);
        });
    }

    private static String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select current_user")) {
            row.next();
            return row.getString(1);
        }
    }

    StoreClock clock() {
        StoreClock opened = clock;
        if (opened == null) {
            throw new IllegalStateException(
                    "the store is not open yet: call open() first, it reads the database's clock");
        }
        return opened;
    }
}
