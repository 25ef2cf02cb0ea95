package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.ForeignInstallationException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.DurableEngine;
import dev.durable.client.Installation;
import dev.durable.client.Installation.OpenWork;
import dev.durable.store.Fitness;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.RunKey;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests to which installation a schema belongs: each row of the table in docs/clones.md. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class InstallationTest {
    private final TestDatabase original = TestDatabase.migrated();
    private @Nullable TestDatabase copy;

    @AfterEach
    void drop() {
        original.close();
        if (copy != null) {
            copy.close();
        }
    }

    private static PostgresHistoryStore open(DataSource dataSource) {
        PostgresHistoryStore store = PostgresHistoryStore.builder(dataSource)
                .description("orders-db")
                .notify(false)
                .build();
        store.open();
        return store;
    }

    private static @Nullable String refusal(DataSource dataSource, @Nullable String installation) {
        return refusal(open(dataSource), installation);
    }

    private static @Nullable String refusal(PostgresHistoryStore store, @Nullable String installation) {
        Fitness fitness = store.inspect(installation);
        assertThat(fitness.problems()).isEmpty();
        return fitness.foreign() == null ? null : fitness.foreign().getMessage();
    }

    private DataSource source() {
        return original.dataSource();
    }

    /** Inserts a run, so that a copy would do work twice. */
    private void aRun() {
        Sql.execute(source(), """
                insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                values (gen_random_uuid(), now(), 0, 'order-1', 'Order', 'default', 'COMPLETED')""");
    }

    private DataSource template() {
        copy = TestDatabase.copyOf(original);
        return copy.dataSource();
    }

    private static List<String> audit(DataSource dataSource) {
        return Sql.column(dataSource, "select action || ' ' || target from durable.audit order by at, action");
    }

    // ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void without_names_the_database_is_its_processes_own() {
        assertThat(refusal(source(), null)).isNull();
        assertThat(refusal(source(), null)).isNull();
        assertThat(audit(source())).isEmpty();
    }

    @Test
    void the_first_name_that_is_said_is_kept_and_another_one_is_refused() {
        assertThat(refusal(source(), "prod")).isNull();
        assertThat(refusal(source(), "prod")).isNull();

        assertThat(audit(source())).containsExactly("name installation prod");
        assertThat(refusal(source(), "staging"))
                .isEqualTo(
                        "schema \"durable\" in the database at orders-db belongs to installation \"prod\", and this process"
                                + " to installation \"staging\". This process does none of the work there: no run, activity, timer or"
                                + " message is touched, and no call that writes is taken; reads go on. Usual cause: the database is a"
                                + " copy (a snapshot, a dump, a branch) of the one of installation \"prod\", or the process was given"
                                + " the configuration of another environment. The way out of a copy:"
                                + " Installation.of(store).by(\"you\").adopt(\"staging\", OpenWork.CANCEL), as owner of the schema,"
                                + " makes it installation \"staging\" and ends what is open in it (OpenWork.FREEZE keeps that). A"
                                + " process that is wrong here needs another name or another database.");
    }

    @Test
    void a_process_without_a_name_is_refused_where_there_is_one_unless_it_worked_there_before() {
        PostgresHistoryStore before = open(source());
        assertThat(refusal(before, null)).isNull();
        assertThat(refusal(source(), "prod")).isNull();

        assertThat(refusal(before, null))
                .as("it goes on until it is deployed anew")
                .isNull();
        assertThat(refusal(source(), null))
                .contains("belongs to installation \"prod\", and this process does not say to which it belongs.")
                .contains("The way out: builder.installation(\"prod\"), in Spring Boot durable.installation=prod,");
    }

    @Test
    void of_two_names_that_are_said_at_once_one_is_kept() throws Exception {
        open(source());
        try (Connection first = source().getConnection();
                Statement statement = first.createStatement()) {
            first.setAutoCommit(false);
            statement.execute("select durable.belongs('blue')");
            Meanwhile<String> second = Meanwhile.of(() -> String.valueOf(refusal(source(), "green")));
            assertThat(Sql.await(
                            Duration.ofSeconds(10),
                            () -> Sql.number(source(), "select count(*) from pg_locks where not granted") > 0))
                    .isTrue();
            first.commit();

            assertThat(second.get())
                    .contains("belongs to installation \"blue\", and this process to installation \"green\"");
        }
        assertThat(audit(source())).containsExactly("name installation blue");
    }

    // ── copies ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_copy_by_template_is_refused_where_there_is_no_name() {
        assertThat(refusal(source(), null)).isNull();
        aRun();
        DataSource copied = template();

        assertThat(refusal(copied, null))
                .startsWith(
                        "schema \"durable\" in the database at orders-db is a copy: it belongs to an installation without a"
                                + " name, which was made in the database \"" + original.name()
                                + "\" and not in this one, \"")
                .contains("Usual cause: CREATE DATABASE … TEMPLATE, or a dump that was restored.")
                .contains("Installation.of(store).by(\"you\").adopt(\"staging\", OpenWork.CANCEL), as owner")
                .contains("If the database was moved and the old one is gone, OpenWork.CONTINUE.");
        assertThat(refusal(copied, "staging")).contains("is a copy");
        assertThat(refusal(source(), null)).as("the original").isNull();
    }

    @Test
    void a_copy_in_which_no_run_ever_was_is_its_own_as_databases_of_tests_are() {
        assertThat(refusal(source(), null)).isNull();
        DataSource copied = template();

        assertThat(refusal(copied, null)).isNull();
        assertThat(audit(copied)).containsExactly("move installation ");
        assertThat(refusal(source(), null)).isNull();
    }

    @Test
    void a_copy_by_template_is_refused_where_its_processes_have_another_name_or_none() {
        assertThat(refusal(source(), "prod")).isNull();
        aRun();
        DataSource copied = template();

        assertThat(refusal(copied, "staging")).contains("belongs to installation \"prod\"");
        assertThat(refusal(copied, null)).contains("is a copy").contains("builder.installation(\"prod\")");
    }

    @Test
    void a_name_moves_along_and_the_move_stands_in_the_audit() {
        assertThat(refusal(source(), "prod")).isNull();
        DataSource moved = template();

        assertThat(refusal(moved, "prod")).isNull();
        assertThat(audit(moved)).containsExactly("name installation prod", "move installation prod");
        assertThat(refusal(moved, "prod")).isNull();
        assertThat(audit(moved)).hasSize(2);
    }

    /** A restored dump has the rows of the original in a database of another server. */
    @Test
    void a_restored_dump_is_refused_where_there_is_no_name_and_goes_by_its_name_where_there_is_one() {
        assertThat(refusal(source(), null)).isNull();
        aRun();
        onAnotherServer(false);

        assertThat(refusal(source(), null)).contains("is a copy");

        Installation.of(open(source())).by("ann").adopt("prod", OpenWork.CONTINUE);
        onAnotherServer(false);
        assertThat(refusal(source(), "prod")).isNull();
    }

    /** pg_upgrade makes a new cluster with the databases and tables of the old one, under their old ids. */
    @Test
    void an_upgraded_server_is_no_copy() {
        assertThat(refusal(source(), null)).isNull();
        aRun();
        onAnotherServer(true);

        assertThat(refusal(source(), null)).isNull();
        assertThat(audit(source())).containsExactly("move installation ");
        assertThat(refusal(source(), null)).isNull();
        assertThat(audit(source())).hasSize(1);
    }

    private void onAnotherServer(boolean older) {
        Sql.execute(
                source(), "update durable.installation set system_id = '1'" + (older ? ", server = server - 1" : ""));
    }

    @Test
    void a_server_that_does_not_tell_its_identity_goes_by_the_database_alone() {
        assertThat(refusal(source(), null)).isNull();
        aRun();
        Sql.execute(source(), "update durable.installation set system_id = null");
        assertThat(refusal(source(), null)).isNull();

        Sql.execute(source(), "update durable.installation set system_id = null");
        assertThat(refusal(template(), null)).contains("is a copy");
    }

    @Test
    void an_ordinary_role_may_ask_which_database_this_is() {
        open(source());

        assertThat(Sql.column(
                        RolesTest.as(source(), "durable_worker"), "select system_id from durable.this_database()"))
                .allSatisfy(id -> assertThat(id).matches("\\d+"));
    }

    @Test
    void a_snapshot_of_the_server_with_another_configuration_is_refused_and_without_names_it_is_not_told(
            @TempDir Path directory) throws Exception {
        Path first = directory.resolve("first");
        try (EmbeddedPostgres server = EmbeddedPostgres.at(first)) {
            assertThat(refusal(server.dataSource(), "prod")).isNull();
            assertThat(refusal(schema(server, "nameless"), null)).isNull();
        }
        Path second = directory.resolve("second");
        copyTree(first, second);
        try (EmbeddedPostgres snapshot = EmbeddedPostgres.at(second);
                EmbeddedPostgres again = EmbeddedPostgres.at(first)) {
            assertThat(snapshot.port()).as("another address").isNotEqualTo(again.port());

            assertThat(refusal(snapshot.dataSource(), "staging")).contains("belongs to installation \"prod\"");
            assertThat(refusal(snapshot.dataSource(), null)).contains("belongs to installation \"prod\"");
            assertThat(refusal(schema(snapshot, "nameless"), null))
                    .as("said in the docs")
                    .isNull();
            assertThat(refusal(again.dataSource(), "prod")).as("a restart").isNull();
        }
    }

    /** As a promoted standby, a server that was restored to a point in time goes on in a timeline of its own. */
    @Test
    void another_timeline_is_no_copy(@TempDir Path directory) throws Exception {
        Path first = directory.resolve("first");
        try (EmbeddedPostgres server = EmbeddedPostgres.at(first)) {
            assertThat(refusal(server.dataSource(), "prod")).isNull();
            assertThat(refusal(schema(server, "nameless"), null)).isNull();
        }
        Path restored = directory.resolve("restored");
        copyTree(first, restored);
        Files.createFile(restored.resolve("data/recovery.signal"));
        Files.writeString(
                restored.resolve("data/postgresql.conf"), "restore_command = 'false'\n", StandardOpenOption.APPEND);
        try (EmbeddedPostgres server = EmbeddedPostgres.at(restored)) {
            assertThat(Sql.await(
                            Duration.ofSeconds(20),
                            () -> Sql.number(server.dataSource(), "select timeline_id from pg_control_checkpoint()")
                                    > 1))
                    .isTrue();

            assertThat(refusal(server.dataSource(), "prod")).isNull();
            assertThat(refusal(schema(server, "nameless"), null)).isNull();
        }
    }

    private static PostgresHistoryStore schema(EmbeddedPostgres server, String name) {
        PostgresHistoryStore store = PostgresHistoryStore.builder(server.dataSource())
                .schema(name)
                .notify(false)
                .build();
        store.open();
        return store;
    }

    static void copyTree(Path from, Path to) throws Exception {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    // ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void in_a_copy_nothing_is_written_and_reads_go_on() {
        refusal(source(), "prod");
        DataSource copied = template();
        PostgresHistoryStore store = open(copied);
        assertThat(refusal(store, "staging")).isNotNull();
        UUID session = UUID.randomUUID();

        assertThat(store.run(UUID.randomUUID())).isEmpty();
        assertThat(store.latestRun("order-1")).isEmpty();
        assertThat(store.queues()).isEmpty();
        for (Runnable write : List.<Runnable>of(
                () -> store.openSession(session, "me", Duration.ofSeconds(30)),
                () -> store.beat(session),
                store::refuseIfForeign,
                () -> store.timeOutWaiting(1),
                () -> store.purgeDeadLetters(Duration.ZERO, 0, 1),
                () -> store.admit("default"),
                () -> store.readBack(List.of(new ReadBack(new RunKey(session, "order-1"), session, 1))))) {
            assertThatThrownBy(write::run)
                    .isInstanceOf(ForeignInstallationException.class)
                    .hasMessageContaining(
                            "belongs to installation \"prod\", and this process to installation \"staging\"");
        }
        assertThat(Sql.number(copied, "select count(*) from durable.session")).isZero();
    }

    @Test
    void a_database_that_is_put_in_the_place_of_another_is_found_by_its_first_connection() {
        refusal(source(), "prod");
        DataSource copied = template();
        Sql.execute(copied, "update durable.installation set name = 'elsewhere'");
        AtomicReference<DataSource> behind = new AtomicReference<>(original.pooledDataSource(2));
        PostgresHistoryStore store = open(redirected(behind));
        assertThat(refusal(store, "prod")).isNull();
        UUID session = UUID.randomUUID();
        store.openSession(session, "me", Duration.ofSeconds(30));

        behind.set(copied);

        assertThatThrownBy(() -> store.beat(session)).isInstanceOf(ForeignInstallationException.class);
        behind.set(source());
        assertThat(store.beat(session)).as("it goes on by itself").isTrue();
    }

    private static DataSource redirected(AtomicReference<DataSource> behind) {
        return (DataSource) Proxy.newProxyInstance(
                InstallationTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.invoke(behind.get(), arguments));
    }

    @Test
    void who_is_frozen_while_it_works_stops_at_its_next_look() {
        PostgresHistoryStore store = open(original.pooledDataSource(2));
        assertThat(refusal(store, "prod")).isNull();
        UUID session = UUID.randomUUID();
        store.openSession(session, "me", Duration.ofSeconds(30));

        Installation.of(open(source())).by("ann").adopt("prod", OpenWork.FREEZE);

        assertThat(refusal(store, "prod")).contains("belongs to installation \"prod\", which was frozen");
        assertThatThrownBy(() -> store.beat(session)).isInstanceOf(ForeignInstallationException.class);
        Installation.of(open(source())).by("ann").adopt("prod", OpenWork.CONTINUE);
        assertThat(refusal(store, "prod")).isNull();
        assertThat(store.beat(session)).isTrue();
    }

    @Test
    void a_connection_that_can_not_ask_whose_the_database_is_waits_no_longer_than_others_for_a_lock() throws Exception {
        PostgresHistoryStore store = open(source());
        assertThat(refusal(store, "prod")).isNull();
        NewRun run = new NewRunBuilder(store, "order-1").build();
        try (Connection other = source().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table durable.installation in access exclusive mode");
            Meanwhile<String> start = Meanwhile.of(() -> {
                try {
                    return store.start(List.of(run)).toString();
                } catch (StoreUnavailableException e) {
                    return String.valueOf(e.getMessage());
                }
            });

            assertThat(start.get())
                    .startsWith("a row stayed locked in the database at orders-db, nothing was written.");
        }
    }

    // ── adoption ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_is_open_in_the_installation_itself_is_not_cancelled_by_mistake() {
        refusal(source(), "prod");

        assertThatThrownBy(() -> Installation.of(open(source())).adopt("prod", OpenWork.CANCEL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this is installation \"prod\" already: what is open here is its own work, and was not"
                        + " cancelled. If it is a copy, give it a name of its own. If its work is to end nevertheless, adopt"
                        + " it with FREEZE first.");
    }

    @Test
    void an_adoption_is_a_row_of_the_audit_and_only_the_owner_may() {
        refusal(source(), "prod");
        DataSource copied = template();

        assertThat(Installation.of(open(copied)).by("ann").adopt("staging", OpenWork.CANCEL))
                .isZero();

        assertThat(Sql.column(copied, """
                select concat_ws(' ', actor, action, target, details ->> 'from', details ->> 'open', details ->> 'runs')
                  from durable.audit where action like 'adopt%'""")).containsExactly("ann adopt installation staging prod CANCEL 0");
        assertThat(refusal(copied, "staging")).isNull();
        assertThat(refusal(copied, null)).as("a process without a name").isNotNull();
        assertThatThrownBy(() -> Installation.of(PostgresHistoryStore.builder(RolesTest.as(copied, "durable_worker"))
                                .notify(false)
                                .build())
                        .adopt("mine", OpenWork.CONTINUE))
                .hasMessageContaining("permission denied for table installation");
        assertThat(Sql.column(copied, "select name from durable.installation")).containsExactly("staging");
    }

    @Test
    void an_adoption_of_what_had_no_name_says_so() {
        open(source());
        DataSource copied = template();
        Installation.of(open(copied)).adopt("staging", OpenWork.FREEZE);
        assertThat(Sql.column(copied, """
                select json_typeof(details -> 'from') from durable.audit where action like 'adopt%'""")).containsExactly("null");
    }

    // ── replicas ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private DurableEngine readingFrom(DataSource replica) {
        open(source());
        return DurableEngine.builder(PostgresHistoryStore.builder(source())
                        .description("orders-db")
                        .notify(false)
                        .readFrom(replica)
                        .build())
                .clientOnly()
                .start();
    }

    private static void awaitProblem(DurableEngine engine) {
        assertThat(Sql.await(Duration.ofSeconds(30), () -> !engine.problems().isEmpty()))
                .isTrue();
    }

    @Test
    void what_is_read_from_is_this_database_and_says_so_when_it_is_away() {
        try (DurableEngine engine = readingFrom(source())) {
            assertThat(engine.client().workflows().count()).isZero();
            assertThat(engine.problems()).isEmpty();
        }
        PGSimpleDataSource away = (PGSimpleDataSource) source();
        away.setPortNumbers(new int[] {1});
        try (DurableEngine engine = readingFrom(away)) {
            awaitProblem(engine);
            assertThat(engine.problems())
                    .singleElement()
                    .asString()
                    .startsWith("the database at (replica) " + DataSources.describe(away) + " can't be reached: ")
                    .endsWith(
                            ". Listings, descriptions and histories are not shown until then; all else goes on. Check that"
                                    + " it runs and accepts connections from here.");
            assertThat(engine.healthy()).as("the worker works").isTrue();
        }
    }

    @Test
    void what_is_read_from_and_is_no_replica_is_a_problem_and_not_shown() {
        try (TestDatabase foreign = TestDatabase.migrated()) {
            refusal(foreign.dataSource(), "other");
            try (DurableEngine engine = readingFrom(foreign.dataSource())) {
                awaitProblem(engine);
                String problem = "the database at (replica) " + DataSources.describe(foreign.dataSource()) + " (\""
                        + foreign.name()
                        + "\", installation \"other\") is no replica of the one at orders-db: listings,"
                        + " descriptions and histories would show what is not here, and are refused. Usual cause: the URL of"
                        + " another environment. Give readFrom(…) a replica of this database, or leave it out to read from the"
                        + " primary.";
                assertThat(engine.problems()).containsExactly(problem);
                assertThatThrownBy(() -> engine.client().workflows().count())
                        .isInstanceOf(DurableException.class)
                        .hasMessage(problem);
                assertThat(engine.healthy()).as("the worker works").isTrue();
            }
        }
    }

    /**
     * Behind one address there may be several servers: the one that is checked every ten seconds may not be the one
     * that answers a read.
     */
    @Test
    void a_connection_that_leads_to_another_database_than_the_one_that_was_looked_at_shows_nothing() {
        try (TestDatabase foreign = TestDatabase.migrated()) {
            refusal(foreign.dataSource(), "other");
            DataSource several = (DataSource) Proxy.newProxyInstance(
                    InstallationTest.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> method.invoke(
                            Thread.currentThread().getName().equals("durable-replica")
                                    ? source()
                                    : foreign.dataSource(),
                            arguments));
            try (DurableEngine engine = readingFrom(several)) {
                AtomicReference<@Nullable String> refused = new AtomicReference<>();
                assertThat(Sql.await(Duration.ofSeconds(10), () -> {
                            try {
                                engine.client().workflows().count();
                            } catch (DurableException e) {
                                refused.set(e.getMessage());
                            }
                            return refused.get() != null;
                        }))
                        .isTrue();
                assertThat(refused.get())
                        .contains("\"" + foreign.name() + "\", installation \"other\") is no replica of");
                assertThat(engine.problems())
                        .as("the one that was looked at is right")
                        .isEmpty();
            }
        }
    }

    @Test
    void names_are_checked() {
        Installation installation = Installation.of(open(source()));
        for (String name : Set.of("", " ", "a\nb", "x".repeat(101))) {
            assertThatThrownBy(() -> installation.adopt(name, OpenWork.FREEZE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a name has 1 to 100 characters");
        }
    }
}
