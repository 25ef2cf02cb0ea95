package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.history.InboxMessage;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * An empty store on a database that is shared by tests that run one after another: it is emptied before each, and its
 * clock is set back to about the server's, and is slow. The store connects as a user that has the rights of a worker
 * and no others, and whose search_path has a schema full of {@link Traps}.
 */
public final class PostgresFixture implements StoreFixture {
    private static final InboxLimit INBOX_LIMIT = new InboxLimit(50, 20 << 20);

    /**
     * Empties all tables that have rows, except those that describe the schema: an empty table costs as much to
     * truncate as a full one. The append-only trigger refuses TRUNCATE to every user; a session with
     * session_replication_role = replica fires no triggers.
     */
    private static final String EMPTY = """
            do $empty$
            declare
                filled text;
            begin
                select string_agg(c.oid::regclass::text, ', ') into filled
                  from pg_class c
                 where c.relnamespace = 'durable'::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) > 0
                   and c.relname not in ('schema_version', 'installation');
                if filled is not null then
                    set local session_replication_role = replica;
                    execute 'truncate ' || filled;
                end if;
            end $empty$""";

    /**
     * How much slower than the server's clock the database's clock goes: two seconds in which a thread stands still, as
     * it may at any point on a busy machine, are a moment for the store.
     */
    private static final int SLOWER = 50;

    /** The database of all tests that do not have one of their own. */
    private static final Shared SHARED = new Shared();

    private final Shared shared;
    private final PostgresHistoryStore store;
    private Duration ahead = Duration.ZERO;

    public PostgresFixture() {
        this(SHARED);
        Holder.closeAll();
    }

    PostgresFixture(Shared shared) {
        this.shared = shared;
        store = PostgresHistoryStore.builder(shared.worker)
                .schemaMode(SchemaMode.NONE)
                .inboxLimit(INBOX_LIMIT.messages())
                .inboxBytes(INBOX_LIMIT.bytes())
                .build();
        store.open();
        shared.setClock(ahead);
        Sql.execute(shared.pool, EMPTY);
    }

    /** A database, for tests of which one runs at a time. */
    static final class Shared {
        private final TestDatabase database = TestDatabase.migrated();
        private final DataSource pool = database.pooledDataSource(16);
        private final DataSource worker = worker();

        /** The time from which its clock goes slower. */
        private final String begun = Sql.column(pool, "select now()").getFirst();

        /** How far the database's clock is ahead of that time; null as long as it is the server's. */
        private @Nullable Duration set;

        private DataSource worker() {
            PostgresHistoryStore.of(pool).open();
            String user = "app_of_" + database.name();
            Sql.execute(pool, "create role " + user + " login password 'secret' in role durable_worker");
            Sql.execute(pool, "create schema trap; grant usage on schema trap to public");
            Traps.plant(pool, "trap");
            Sql.execute(
                    pool, "alter role " + user + " in database " + database.name() + " set search_path = public, trap");
            PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
            source.setUser(user);
            source.setPassword("secret");
            HikariConfig config = new HikariConfig();
            config.setPoolName(user);
            config.setDataSource(source);
            config.setMaximumPoolSize(16);
            config.setMinimumIdle(1);
            return new HikariDataSource(config);
        }

        private void setClock(Duration ahead) {
            if (ahead.equals(set)) {
                return;
            }
            Sql.execute(pool, """
                    create or replace function durable.clock() returns timestamptz language sql stable parallel safe
                        return timestamptz '%2$s' + (statement_timestamp() - timestamptz '%2$s') / %3$d
                               + %1$d * interval '1 ms'""".formatted(ahead.toMillis(), begun, SLOWER));
            set = ahead;
        }
    }

    /** Connections of the owner. */
    public static DataSource pool() {
        return SHARED.pool;
    }

    /** Opens all connections anew; those of before report at their end the deadlocks that they have counted. */
    static void evict() {
        for (DataSource pool : List.of(SHARED.pool, SHARED.worker)) {
            ((HikariDataSource) pool).getHikariPoolMXBean().softEvictConnections();
        }
    }

    public static TestDatabase database() {
        return SHARED.database;
    }

    @Override
    public HistoryStore store() {
        return store;
    }

    @Override
    public void advance(Duration by) {
        ahead = ahead.plus(by);
        shared.setClock(ahead);
        store.now();
    }

    @Override
    public InboxLimit inboxLimit() {
        return INBOX_LIMIT;
    }

    @Override
    public HeldSender holdSender(RunKey run, InboxMessage message) {
        try {
            return new OpenSender(shared.database.dataSource().getConnection(), run, message);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The deadlocks since the database was made; the server counts some late, so that a later test fails. */
    @Override
    public long deadlocks() {
        return Sql.number(shared.pool, "select deadlocks from pg_stat_database where datname = current_database()");
    }

    /** Checks the tables beyond what the suite sees through the SPI; its steps are no whole turns of real workflows. */
    @Override
    public void close() {
        store.close();
        assertThat(Traps.anyWasCalled(shared.pool, "trap")).isFalse();
        try {
            assertThat(SqlInvariants.check(shared.pool))
                    .filteredOn(violation -> !violation.contains("begins with")
                            && !violation.contains("neither ended nor was cancelled"))
                    .isEmpty();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A sender in the middle of its transaction. */
    private final class OpenSender implements HeldSender {
        private final Connection connection;
        private final long pid;

        OpenSender(Connection connection, RunKey run, InboxMessage message) throws SQLException {
            this.connection = connection;
            connection.setAutoCommit(false);
            try (var lock = connection.prepareStatement("""
                    select pg_backend_pid() from durable.run_state where workflow_id = ? and shard = ? for key share""")) {
                lock.setString(1, run.workflowId());
                lock.setInt(2, run.shard());
                try (var row = lock.executeQuery()) {
                    row.next();
                    pid = row.getLong(1);
                }
            }
            insert(run, message);
        }

        private void insert(RunKey run, InboxMessage message) throws SQLException {
            try (var insert = connection.prepareStatement("""
                    insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)
                    select run_id, ?, durable.clock(), 0, ?, shard, true, task_queue, ?, ?::json from durable.run_state
                     where run_id = ?""")) {
                insert.setObject(1, message.messageId());
                insert.setInt(2, message.kind().code());
                insert.setString(3, message.name());
                insert.setString(4, message.payload());
                insert.setObject(5, run.runId());
                insert.executeUpdate();
            }
        }

        @Override
        public void awaitSomebodyWaiting() {
            Sql.await(
                    Duration.ofMillis(500),
                    () -> Sql.number(
                                    shared.pool,
                                    "select count(*) from pg_stat_activity where " + pid
                                            + " = any(pg_blocking_pids(pid))")
                            > 0);
        }

        @Override
        public void commit() {
            try (connection) {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
