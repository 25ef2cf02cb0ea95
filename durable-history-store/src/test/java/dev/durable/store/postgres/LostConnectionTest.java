package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/**
 * All connections of a pool are cut, and the server goes on: a transaction that one connection has lost is done by
 * another at once.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class LostConnectionTest {
    private static final int CONNECTIONS = 8;
    /** The time for which a pool trusts a connection that was returned. */
    private static final String TRUST = "com.zaxxer.hikari.aliveBypassWindowMs";

    private final TestDatabase database = TestDatabase.migrated();
    private final HikariDataSource pool = pool();
    private final PostgresHistoryStore store =
            PostgresHistoryStore.builder(pool).notify(false).build();
    private final Logger hikari = (Logger) LoggerFactory.getLogger("com.zaxxer.hikari");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void open() {
        store.open();
        lines.start();
        hikari.addAppender(lines);
    }

    @AfterEach
    void close() {
        hikari.detachAppender(lines);
        store.close();
        pool.close();
        database.close();
    }

    @Test
    void a_read_is_made_on_another() throws Exception {
        for (int i = 0; i < 5; i++) {
            cutAll();
            store.now();
        }
        assertQuiet();
    }

    @Test
    void of_many_dead_connections_one_is_met() throws Exception {
        NewRun run = new NewRunBuilder(store, "order-1").build();
        cutAll();

        int lost = 0;
        List<StartOutcome> outcomes = List.of();
        while (outcomes.isEmpty()) {
            try {
                outcomes = store.start(List.of(run));
            } catch (CommitUnknownException e) {
                lost++;
            }
        }

        assertThat(lost).as("answers that were lost").isEqualTo(1);
        assertThat(outcomes).containsExactly(new StartOutcome.Started(false));
        assertQuiet();
    }

    /** Each physical connection is first asked which database it leads to. */
    @Test
    void that_is_lost_before_it_was_ever_used_is_no_outage() throws Exception {
        Guard guard = new Guard(new SchemaName("durable"), "orders-db");
        try (Connection other = database.dataSource().getConnection()) {
            guard.look(other, null, List.of());
        }
        Connections connections = new Connections(pool, new SchemaName("durable"), new StoreErrors("orders-db"), guard);
        cutAll();

        assertThat(connections.<Boolean>transaction(TransactionSettings.SHORT, tx -> {
                    tx.last(new SqlScript());
                    return true;
                }))
                .isTrue();
        assertQuiet();
    }

    /** A line for each connection would be too many. Other tests have pools, too, and the machine may be busy. */
    private void assertQuiet() {
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .filteredOn(line -> line.getFormattedMessage().contains(pool.getPoolName()))
                .filteredOn(line -> !line.getFormattedMessage().contains("Thread starvation"))
                .isEmpty();
    }

    /** Cuts all connections just after each was used, so that the pool tests none of them. */
    private void cutAll() throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(pool.getConnection());
        }
        for (Connection each : all) {
            each.close();
        }
        PGSimpleDataSource server = (PGSimpleDataSource) database.dataSource();
        server.setDatabaseName("postgres");
        String theirs = " from pg_stat_activity where datname = '" + database.name() + "'";
        Sql.execute(server, "select pg_terminate_backend(pid)" + theirs);
        assertThat(Sql.await(Duration.ofSeconds(30), () -> Sql.number(server, "select count(*)" + theirs) == 0))
                .isTrue();
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setPoolName("lost-" + database.name());
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(CONNECTIONS);
        // The default is half a second; a slow machine may take as long to cut them.
        System.setProperty(TRUST, "60000");
        try {
            return new HikariDataSource(config);
        } finally {
            System.clearProperty(TRUST);
        }
    }
}
