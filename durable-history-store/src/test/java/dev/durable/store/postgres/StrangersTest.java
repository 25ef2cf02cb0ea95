package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Installation;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests a login of the same database that has no right in the schema, while every user may create objects in public, as
 * up to PostgreSQL 14.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class StrangersTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final TestDatabase database = TestDatabase.create();
    private final String eve = "eve_" + UUID.randomUUID().toString().substring(0, 8);
    private final DataSource owner = database.dataSource();
    /** The owner with a search_path without strangers' schemas, for the test's own queries. */
    private final DataSource test = test();

    private final DataSource stranger = stranger();

    private DataSource stranger() {
        Sql.execute(owner, "create role " + eve + " login password 'secret'; grant create on schema public to public");
        PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
        source.setUser(eve);
        source.setPassword("secret");
        return source;
    }

    private DataSource test() {
        PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
        source.setOptions("-c search_path=pg_catalog");
        return source;
    }

    private void plant() {
        Traps.plant(stranger, "public");
    }

    @AfterEach
    void close() {
        Sql.execute(test, "drop owned by " + eve + " cascade; drop role " + eve);
        database.close();
    }

    @Activity
    interface Mail {
        String send(String to);
    }

    @Activity(transactional = true)
    interface Books {
        String book(String what);
    }

    @Workflow
    static class Order {
        private final Mail mail;
        private final Books books;
        private String word;

        Order(Mail mail, Books books) {
            this.mail = mail;
            this.books = books;
        }

        @Run
        String run(String name) {
            String sent = mail.send(name);
            String booked = books.book(name);
            Durable.await(() -> word != null);
            return sent + booked + word;
        }

        @Signal
        void say(String said) {
            word = said;
        }
    }

    @Test
    void the_traps_are_traps() {
        plant();
        for (String call : List.of(
                "to_jsonb('a'::text)",
                "pg_notify('a'::varchar, 'b'::text)",
                "hashtextextended('a'::varchar, 0)",
                "format('%s'::text, 'a'::text, 'b'::name, 'c'::name)",
                "'a'::text = 'b'::varchar",
                "1::numeric * 2",
                "count(1)",
                "unnest(array['a'::text])")) {
            assertThatThrownBy(() -> Sql.execute(owner, "select " + call))
                    .as(call)
                    .hasMessageContaining("planted");
        }
        assertThat(Traps.anyWasCalled(test, "public")).isTrue();
    }

    @Test
    void nothing_of_theirs_is_called_by_who_makes_the_schema_works_in_it_and_reads_it() throws Exception {
        plant();
        DataSource pool = database.pooledDataSource(12);
        PostgresHistoryStore store = PostgresHistoryStore.of(pool);
        try (DurableEngine engine = DurableEngine.builder(store)
                .installation("prod")
                .pollInterval(Duration.ofMillis(50))
                .activity(Mail.class, to -> "sent " + to)
                .activity(Books.class, what -> " booked " + what)
                .register(Order.class)
                .start()) {
            DurableClient client = engine.client();
            var order = client.start(Order.class, "order-1", o -> o.run("{\"n\":1e999999}"));
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                String path = path(connection);
                DurableClient joined = client.joining(connection);
                joined.start(Order.class, "order-2", o -> o.run("two"));
                joined.handle(Order.class, "order-1").signal(o -> o.say("yes"));
                joined.signalWithStart(Order.class, "order-3", o -> o.run("three"), o -> o.say("no"));
                joined.enqueue(Mail.class, keyed("mail-1"), m -> m.send("ann"));
                assertThat(path(connection)).as("within the transaction").isEqualTo(path);
                connection.commit();
                assertThat(path(connection)).isEqualTo(path);
            }
            assertThat(order.result(SOON)).endsWith("yes");
            assertThat(engine.problems()).isEmpty();
            client.queues().limits("default", l -> l.perKey(k -> k.concurrency(1)));
            assertThat(client.enqueue(Mail.class, keyed("mail-2"), m -> m.send("bob"))
                            .resultAs(String.class, SOON))
                    .isNotNull();
            assertThat(client.workflows().where(w -> w.type(Order.class)).page(10))
                    .hasSize(3);
            assertThat(client.activities().page(10)).isNotNull();
            assertThat(client.deadLetters().page(10)).isEmpty();
            assertThat(client.queues().toString()).isNotNull();
        }
        Sql.execute(test, """
                insert into durable.outbox_refused (run_id, event_id, at, refused_at, kind, shard, target_workflow_id, name, payload,
                       sqlstate, error)
                values ('00000000-0000-0000-0000-000000000001', 1, now(), now(), 1, 1, 'x', 'say', '[]', 'P0001', 'no')""");
        for (String read : List.of(
                "select * from durable.v_workflow",
                "select * from durable.v_history",
                "select * from durable.v_activity",
                "select * from durable.v_queue",
                "select * from durable.v_dead_letter",
                "select * from durable.v_incident",
                "select durable.why_waiting(w.workflow_id) from durable.workflow_run w",
                "select durable.readable('{\"n\":1e999999}')",
                "select durable.run_id_at(now())",
                "select durable.joined('[1]', '[2]')",
                "select durable.resend_refused('00000000-0000-0000-0000-000000000001', 1)",
                "select durable.purge_audit(now() - interval '2 days')",
                "select durable.add_history_partitions(now(), now() + interval '300 days')")) {
            Sql.column(owner, read);
        }
        assertThatThrownBy(() -> Sql.execute(owner, "delete from durable.history_event"))
                .hasMessageContaining("history is append-only");
        assertThat(SqlInvariants.check(owner)).isEmpty();
        Sql.execute(owner, Schema.grants());
        Installation.of(PostgresHistoryStore.of(pool)).by("ann").adopt("copy", Installation.OpenWork.CANCEL);
        assertThat(Traps.anyWasCalled(test, "public")).isFalse();
    }

    @Test
    void nothing_of_theirs_is_called_by_the_script_of_a_dba_nor_by_an_upgrade() {
        plant();
        String path = Sql.column(owner, "show search_path").getFirst();
        DataSource one = database.pooledDataSource(1);
        Sql.execute(one, Schema.sql());
        assertThat(Sql.column(one, "show search_path")).as("of the session").containsExactly(path);
        Sql.execute(one, Schema.sql("other"));
        assertThat(Sql.column(one, "show search_path")).containsExactly(path);

        DataSource two = database.pooledDataSource(2);
        PostgresHistoryStore.of(two).open();

        try (Connection first = two.getConnection();
                Connection second = two.getConnection()) {
            assertThat(List.of(path(first), path(second))).containsOnly(path);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(Traps.anyWasCalled(test, "public")).isFalse();
    }

    @Test
    void what_a_caller_rolls_back_to_its_savepoint_takes_our_search_path_with_it() throws Exception {
        PostgresHistoryStore store = PostgresHistoryStore.of(database.pooledDataSource(4));
        store.open();
        try (DurableEngine engine = DurableEngine.builder(store).clientOnly().start();
                Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("set search_path = public, pg_temp");
            }
            DurableClient joined = engine.client().joining(connection);
            Savepoint before = connection.setSavepoint();
            Sql.execute(
                    owner,
                    "alter table durable.workflow_run add constraint no_more check (type <> 'Refused') not valid");
            assertThatThrownBy(() -> joined.start("Refused", StartOptions.id("order-1")))
                    .isNotNull();
            connection.rollback(before);

            assertThat(path(connection)).isEqualTo("public, pg_temp");
            joined.start("Accepted", StartOptions.id("order-2"));
            assertThat(path(connection)).isEqualTo("public, pg_temp");
            connection.commit();
            assertThat(path(connection)).as("what the caller has set goes on").isEqualTo("public, pg_temp");
        }
    }

    @Test
    void each_function_is_bound_when_it_is_made_or_has_a_search_path_of_its_own() {
        PostgresHistoryStore.of(owner).open();

        assertThat(Sql.column(test, """
                        select p.proname from pg_catalog.pg_proc p
                         where p.pronamespace = 'durable'::regnamespace and p.prosqlbody is null
                           and not coalesce(array_to_string(p.proconfig, ' ') ~ 'search_path=(pg_catalog|durable), pg_temp', false)"""))
                .as("its body names no function, operator or type")
                .containsExactly("must");
        assertThat(Sql.column(test, "select prosrc from pg_proc where pronamespace = 'durable'::regnamespace"))
                .as("an advisory lock is anybody's")
                .noneMatch(body -> body.contains("advisory"));
    }

    @Test
    void they_can_read_nothing_and_call_nothing() throws Exception {
        PostgresHistoryStore.of(owner).open();
        List<String> tables = Sql.column(test, """
                select c.oid::regclass::text from pg_class c
                 where c.relnamespace = 'durable'::regnamespace and c.relkind in ('r', 'p', 'v', 'S', 'm')""");
        assertThat(tables).hasSizeGreaterThan(25);
        for (String table : tables) {
            for (String statement : List.of(
                    "select 1 from " + table,
                    "begin; lock table " + table + " in access share mode",
                    "insert into " + table + " default values",
                    "delete from " + table,
                    "select 1 from " + table + " for update")) {
                assertRefused(statement);
            }
        }
        for (String function : Sql.column(test, """
                select format('%I.%I(%s)', 'durable'::text, p.proname::text, (select string_agg('null::' || format_type(t, null)::text, ', ')
                         from unnest(p.proargtypes::oid[]) as t)) from pg_proc p
                 where p.pronamespace = 'durable'::regnamespace and p.prorettype <> 'trigger'::regtype""")) {
            assertRefused("select " + function);
        }
        assertRefused("create table durable.mine (a int)");
    }

    @Test
    void what_they_listen_to_tells_them_nothing_and_what_they_say_is_heard_by_nobody() throws Exception {
        PostgresHistoryStore one = PostgresHistoryStore.of(database.pooledDataSource(4));
        PostgresHistoryStore other = PostgresHistoryStore.of(database.pooledDataSource(4));
        one.open();
        other.open();
        try (AutoCloseable here = one.nudges().listen(nudge -> {});
                AutoCloseable there = other.nudges().listen(nudge -> {});
                Connection eves = stranger.getConnection();
                var statement = eves.createStatement()) {
            assertThat(here).isNotSameAs(there);
            for (String guess : List.of("durable", "durable_nudge", "durable_worker", "nudge")) {
                statement.execute("listen " + guess);
            }
            assertThat(Sql.await(
                            Duration.ofSeconds(10),
                            () -> one.nudges().heard() && other.nudges().heard()))
                    .isTrue();
            statement.execute("select pg_catalog.pg_notify('durable', 'mine')");
            assertThat(eves.unwrap(PGConnection.class).getNotifications(1_000))
                    .extracting(heard -> heard.getParameter())
                    .containsExactly("mine");
            assertThat(Sql.column(stranger, "select query from pg_stat_activity where datname = current_database()"))
                    .noneMatch(query -> query != null && query.contains("listen \"durable_"));
        }
    }

    @Test
    void an_adoption_changes_the_channel() {
        PostgresHistoryStore store = PostgresHistoryStore.of(owner);
        store.open();
        String before = channel();

        Installation.of(store).by("ann").adopt("copy", Installation.OpenWork.CANCEL);

        assertThat(channel()).matches("durable_[0-9a-f]{32}").isNotEqualTo(before);
    }

    @Test
    void the_locks_that_they_can_take_hold_up_nobody() throws Exception {
        try (Connection eves = stranger.getConnection();
                var statement = eves.createStatement()) {
            for (String name : List.of(
                    "durable ddl durable",
                    "durable grants",
                    "durable history partitions durable",
                    "durable history partitions \"durable\"",
                    "durable admission durable default")) {
                statement.execute("select pg_catalog.pg_advisory_lock(pg_catalog.hashtextextended('" + name + "', 0))");
            }
            PostgresHistoryStore store = PostgresHistoryStore.of(owner);
            store.open();
            Sql.execute(
                    owner,
                    "drop table durable.history_event_"
                            + Sql.column(test, "select to_char(now() at time zone 'UTC', 'YYYY_MM')")
                                    .getFirst());
            PostgresHistoryStore.of(owner).open();
            assertThat(store.admit("default").retryIn()).isNull();
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(database.pooledDataSource(8)))
                    .activity(Mail.class, to -> "sent " + to)
                    .start()) {
                assertThat(engine.client()
                                .enqueue(Mail.class, keyed("mail-1"), m -> m.send("ann"))
                                .resultAs(String.class, SOON))
                        .isEqualTo("sent ann");
            }
        }
    }

    private static StartOptions keyed(String id) {
        return StartOptions.id(id).activity(o -> o.limitKey("smtp"));
    }

    private String channel() {
        return Sql.column(test, "select channel from durable.installation").getFirst();
    }

    private void assertRefused(String statement) {
        assertThatThrownBy(() -> Sql.execute(stranger, statement))
                .as(statement)
                .hasMessageContaining("permission denied")
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("42501"));
    }

    private static String path(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("show search_path")) {
            row.next();
            return row.getString(1);
        }
    }
}
