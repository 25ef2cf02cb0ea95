package dev.durable.store.postgres.endtoend;

import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.contract.HardStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database with worker processes on it, as many as a test starts: real engines, their own threads, real time. */
final class Bench implements AutoCloseable {
    static final Duration SOON = Duration.ofMinutes(2);

    private final TestDatabase database = TestDatabase.migrated();
    private final DataSource pool = database.pooledDataSource(16);

    /** A builder for an engine that polls for work often. */
    DurableEngine.Builder engine() {
        return engineOn(pool);
    }

    static DurableEngine.Builder engineOn(DataSource dataSource) {
        EngineBuilder builder = new EngineBuilder(HardStore.of(PostgresHistoryStore.of(dataSource)));
        return (HardStore.ON ? builder.cacheBytes(1) : builder)
                .pollInterval(Duration.ofMillis(50))
                .drainTimeout(Duration.ofSeconds(1));
    }

    /**
     * A builder for tests in which workers die: other workers take over soon from a dead one, and also from one that
     * stands still for so long.
     */
    static DurableEngine.Builder takingOverSoon(DataSource dataSource) {
        return engineOn(dataSource).sessionLease(Duration.ofSeconds(3));
    }

    /** Polls until the run's description satisfies the condition. */
    static WorkflowDescription awaitThat(WorkflowHandle<?, ?> run, Predicate<WorkflowDescription> wanted) {
        AtomicReference<WorkflowDescription> last = new AtomicReference<>();
        boolean seen = Sql.await(SOON, () -> {
            last.set(run.describe());
            return wanted.test(last.get());
        });
        if (!seen) {
            throw new AssertionError("not within " + SOON + "; the last was " + last);
        }
        return last.get();
    }

    /** Polls until the condition holds. */
    static void awaitThat(BooleanSupplier wanted) {
        if (!Sql.await(SOON, wanted)) {
            throw new AssertionError("not within " + SOON);
        }
    }

    /** The server's own database, for actions on this one from outside. */
    DataSource server() {
        PGSimpleDataSource server = (PGSimpleDataSource) database.dataSource();
        server.setDatabaseName("postgres");
        return server;
    }

    /** Opens a new connection each time, whatever the state of the pool's connections. */
    DataSource direct() {
        return database.dataSource();
    }

    String name() {
        return database.name();
    }

    /** Another pool on the same database, closed with it. */
    DataSource pool(int connections) {
        return database.pooledDataSource(connections);
    }

    DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        database.close();
    }
}
