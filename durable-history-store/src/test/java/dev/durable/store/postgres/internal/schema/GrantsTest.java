package dev.durable.store.postgres.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.DurableException;
import dev.durable.client.Installation;
import dev.durable.client.Installation.OpenWork;
import dev.durable.store.QueueChange;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import dev.durable.store.postgres.RolesTest;
import dev.durable.store.postgres.Schema;
import dev.durable.store.postgres.SchemaMode;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** The rights of the roles, whoever creates them and when, and the errors for a user who lacks a right. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class GrantsTest {
    private static final Pattern WORKERS = Pattern.compile("grant ([a-z, ]+) on (.*) to \"(\\w+_worker)\";");

    private final TestDatabase database = TestDatabase.create();
    /** The prefix of the roles, different for each test, as roles belong to the server. */
    private final String prefix =
            "r" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);

    private final List<String> roles = new ArrayList<>();
    private @Nullable HikariDataSource pool;

    @AfterEach
    void drop() {
        if (pool != null) {
            pool.close();
        }
        database.close();
        TestDatabase other = TestDatabase.create();
        for (String role : roles) {
            Sql.execute(other.dataSource(), "drop role if exists \"" + role + "\"");
        }
        for (String kind : List.of("worker", "retention", "operator")) {
            Sql.execute(other.dataSource(), "drop role if exists \"" + prefix + "_" + kind + "\"");
        }
        other.close();
    }

    private DataSource owner() {
        return database.dataSource();
    }

    private void execute(String sql) {
        Sql.execute(owner(), sql);
    }

    /** Creates a user who can log in. */
    private DataSource user(String name, String options) {
        roles.addFirst(name);
        execute("create role \"" + name + "\" login password 'secret' " + options);
        PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
        source.setUser(name);
        source.setPassword("secret");
        return source;
    }

    private DataSource pooled(DataSource dataSource) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(2);
        pool = new HikariDataSource(config);
        return pool;
    }

    private PostgresHistoryStoreBuilder builder(DataSource dataSource) {
        return PostgresHistoryStore.builder(dataSource)
                .rolePrefix(prefix)
                .description("orders-db")
                .notify(false);
    }

    private List<String> problems(DataSource dataSource) {
        return builder(dataSource).build().inspect(null).problems();
    }

    @Test
    void each_right_that_is_missing_is_named() {
        builder(owner()).build().open();
        DataSource rights = database.pooledDataSource(1);
        DataSource app = pooled(user(prefix + "_app", "in role " + prefix + "_worker"));
        assertThat(problems(app)).isEmpty();
        List<MatchResult> grants = Schema.grants("durable", prefix)
                .lines()
                .flatMap(line -> WORKERS.matcher(line).results())
                .toList();
        assertThat(grants).hasSizeGreaterThan(30);

        for (MatchResult grant : grants) {
            String object = grant.group(2);
            for (String right : grant.group(1).replace(" ", "").transform(GrantsTest::words)) {
                Sql.execute(rights, "revoke " + right + " on " + object + " from public, " + grant.group(3));
                String bare =
                        object.replace("\"durable\".", "").replace("\"", "").replaceFirst("\\(.*", "");
                assertThat(problems(app))
                        .singleElement()
                        .asString()
                        .startsWith("user " + prefix
                                + "_app of the database at orders-db lacks rights that a worker or client" + " needs: "
                                + right + " on " + bare + ".")
                        .endsWith("GRANT \"" + prefix + "_worker\" TO \"" + prefix
                                + "_app\"; or let the owner of the schema run Schema.grants().");
                Sql.execute(rights, "grant " + right + " on " + object + " to " + grant.group(3));
            }
        }
        assertThat(problems(app)).isEmpty();
    }

    private static List<String> words(String list) {
        return Pattern.compile(",").splitAsStream(list).toList();
    }

    @Test
    void who_is_no_member_is_told_all_that_is_missing() {
        builder(owner()).build().open();
        DataSource stranger = user(prefix + "_stranger", "");

        assertThat(problems(stranger))
                .singleElement()
                .asString()
                .contains(
                        "usage on schema durable, select on schema_version, select on installation, select on history_event,"
                                + " insert on history_event");
    }

    @Test
    void roles_that_are_made_later_get_their_rights_when_a_process_opens_the_store() {
        DataSource migrating = user(prefix + "_owner", "");
        execute("grant create on database " + database.name() + " to " + prefix + "_owner");
        builder(migrating).build().open();
        assertThat(Sql.number(owner(), "select count(*) from pg_roles where rolname = '" + prefix + "_worker'"))
                .as("it may not create roles")
                .isZero();

        execute("create role " + prefix + "_worker; create role " + prefix + "_retention");
        DataSource app = user(prefix + "_app", "in role " + prefix + "_worker");
        assertThat(problems(app)).isNotEmpty();
        builder(migrating).build().open();

        assertThat(problems(app)).isEmpty();
        assertThat(Sql.column(
                        owner(),
                        "select has_function_privilege('" + prefix
                                + "_retention', 'durable.purge_audit(timestamptz)', 'execute')"))
                .containsExactly("t");
        builder(app).build().open();
    }

    @Test
    void an_owners_data_source_gives_rights_to_roles_before_the_application_is_asked_for_them() {
        DataSource migrating = user(prefix + "_owner", "");
        execute("grant create on database " + database.name() + " to " + prefix + "_owner");
        builder(migrating).build().open();
        execute("create role " + prefix + "_worker; create role " + prefix + "_retention");
        DataSource app = user(prefix + "_app", "in role " + prefix + "_worker");

        builder(app).migrationDataSource(migrating).build().open();

        assertThat(problems(app)).isEmpty();
        execute("revoke " + prefix + "_worker from " + prefix + "_app");
        assertThatThrownBy(() ->
                        builder(app).migrationDataSource(migrating).build().open())
                .isInstanceOf(DurableException.class)
                .hasMessageContaining("schema \"durable\" in the database at orders-db can't be read")
                .hasMessageContaining("lacks the role " + prefix + "_worker.");
    }

    @Test
    void a_login_that_owns_the_schema_and_need_not_is_told_in_one_line_and_no_other_is() {
        DataSource own = user(prefix + "_owner", "");
        execute("grant create on database " + database.name() + " to " + prefix + "_owner");
        assertThat(said(builder(own))).as("who makes the schema owns it").isEmpty();
        assertThat(said(builder(own).schemaMode(SchemaMode.NONE))).isEmpty();
        execute("create role " + prefix + "_worker; create role " + prefix + "_retention");
        DataSource app = user(prefix + "_app", "in role " + prefix + "_worker");
        assertThat(said(builder(app).migrationDataSource(own))).isEmpty();
        assertThat(said(builder(app).schemaMode(SchemaMode.VALIDATE))).isEmpty();

        String line = "user " + prefix
                + "_owner of the database at orders-db owns schema \"durable\", and need not: %s. So this"
                + " process could change or drop histories and the audit. It works all the same; better let it log in as a"
                + " user to whom \"" + prefix + "_worker\" is granted and nothing else (docs/roles.md).";
        assertThat(said(builder(own).schemaMode(SchemaMode.VALIDATE)))
                .containsExactly(line.formatted(
                        "SchemaMode.VALIDATE (Spring Boot: durable.migrate=validate) leaves it to others"));
        assertThat(said(builder(own).migrationDataSource(own)))
                .containsExactly(line.formatted("migrationDataSource makes it"));
        assertThat(problems(own)).as("it works").isEmpty();
        execute("alter role " + prefix + "_app superuser");
        assertThat(said(builder(app).schemaMode(SchemaMode.VALIDATE)))
                .singleElement()
                .asString()
                .contains("is a superuser, so it may do all in schema \"durable\", and need not");
    }

    /** The log lines about the logins of this test when the store is opened; other tests log beside it. */
    private List<String> said(PostgresHistoryStoreBuilder builder) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Migration.class);
        lines.start();
        logger.addAppender(lines);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        try {
            builder.build().open();
        } finally {
            logger.setLevel(before);
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("user " + prefix) && line.contains("need not"))
                .toList();
    }

    @Test
    void who_lacks_a_right_is_told_the_role_that_has_it() {
        builder(owner()).build().open();
        DataSource app = user(prefix + "_app", "");
        execute("grant usage on schema durable to " + prefix
                + "_app; grant select on durable.schema_version, durable.queue," + " durable.installation to " + prefix
                + "_app");
        PostgresHistoryStore store = builder(app).build();
        String role = "Usual cause: this database user lacks the role " + prefix + "_worker. ";

        assertThatThrownBy(store::open)
                .hasMessageContaining("the partitions of the history")
                .hasMessageContaining(role);
        assertThatThrownBy(() -> store.change(
                        new QueueChange(UUID.randomUUID(), "ann", new QueueChange.PauseQueue("mail", null))))
                .hasMessageContaining("permission denied for")
                .hasMessageEndingWith(role + "GRANT \"" + prefix + "_worker\" TO it, or let the owner of the schema run"
                        + " Schema.grants().");
        execute("grant " + prefix + "_worker to " + prefix + "_app");
        assertThatThrownBy(() -> Installation.of(store).by("ann").adopt("staging", OpenWork.FREEZE))
                .isInstanceOf(DurableException.class)
                .hasMessage(
                        "schema \"durable\" in the database at orders-db was not adopted, nothing was written: ERROR:"
                                + " permission denied for table installation. Only the owner of the schema may adopt it: give"
                                + " Installation.of(…) a store with the owner's DataSource.");
    }

    @Test
    void what_a_dba_runs_by_hand_is_all_that_is_needed() {
        execute("create role " + prefix + "_worker; create role " + prefix + "_retention");
        execute(Schema.sql("durable", prefix));
        DataSource app = user(prefix + "_app", "in role " + prefix + "_worker");
        assertThat(problems(app)).isEmpty();
        execute("revoke all on all tables in schema durable from " + prefix + "_worker");
        assertThat(problems(app)).isNotEmpty();

        execute(Schema.grants("durable", prefix));

        assertThat(problems(app)).isEmpty();
        builder(app).schemaMode(SchemaMode.VALIDATE).build().open();
    }

    @Test
    void what_is_in_the_schema_stands_in_the_grants() {
        builder(owner()).build().open();

        assertThat(Sql.column(owner(), """
                        select c.relname from pg_class c
                         where c.relnamespace = 'durable'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
                         union select p.proname from pg_proc p
                         where p.pronamespace = 'durable'::regnamespace and p.prorettype <> 'trigger'::regtype"""))
                .filteredOn(name -> !name.equals("migration"))
                .allSatisfy(name -> assertThat(Schema.grants()).containsPattern("\"durable\"\\." + name + "\\b"));
    }

    @Test
    void a_worker_has_no_right_to_write_that_no_statement_needs() throws IOException {
        StringBuilder code = new StringBuilder();
        try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
            for (Path file : files.filter(path -> path.toString().matches(".*(\\.java|/V\\w+\\.sql)"))
                    .toList()) {
                code.append(Files.readString(file).replace("${schema}.", "durable."))
                        .append('\n');
            }
        }
        Pattern grant = Pattern.compile("grant ([a-z, ]+) on durable\\.(\\w+) to durable_worker;");
        List<String> tried = new ArrayList<>();
        for (MatchResult match : grant.matcher(Migrations.resource("dev/durable/store/postgres/grants.sql"))
                .results()
                .toList()) {
            String table = "durable\\." + match.group(2) + "\\b";
            for (String right : words(match.group(1).replace(" ", ""))) {
                Pattern statement = Pattern.compile(
                        switch (right) {
                            case "insert" -> "insert into " + table;
                            case "delete" -> "delete from " + table;
                            case "update" ->
                                "update " + table + "|insert into " + table + "(?s:(?!;\n).){1,700}do update|" + table
                                        + "(?s:(?!;\n).){1,500}for (no key update|update|key share)";
                            default -> "";
                        });
                assertThat(statement.matcher(code).find())
                        .as(right + " on " + match.group(2))
                        .isTrue();
                tried.add(right);
            }
        }
        assertThat(tried).contains("insert", "update", "delete").hasSizeGreaterThan(60);
    }

    @Test
    void a_role_that_is_there_for_something_else_gets_nothing_by_accident() {
        String name = prefix + "_worker";
        user(name, "");
        assertThatThrownBy(() -> PostgresHistoryStore.builder(owner())
                        .schema(prefix)
                        .description("orders-db")
                        .build()
                        .open())
                .isInstanceOf(DurableException.class)
                .hasMessage(
                        "schema \"" + prefix + "\" in the database at orders-db is not made: its roles would be " + name
                                + ", " + prefix + "_retention and " + prefix + "_operator, and " + name
                                + " is there for something else (able to log in, or"
                                + " with rights or objects in this database), and would get the rights of a worker. Choose other"
                                + " names, PostgresHistoryStore.builder(…).rolePrefix(\"durable_" + prefix
                                + "\"); or say rolePrefix(\"" + prefix + "\") if they are meant.");
        assertThat(Sql.number(owner(), "select count(*) from pg_namespace where nspname = '" + prefix + "'"))
                .isZero();

        PostgresHistoryStore.builder(owner())
                .schema(prefix)
                .rolePrefix("x" + prefix)
                .build()
                .open();
        roles.add("x" + prefix + "_worker");
        roles.add("x" + prefix + "_retention");
        roles.add("x" + prefix + "_operator");
        assertThat(Sql.column(owner(), "select has_schema_privilege('" + name + "', '" + prefix + "', 'usage')"))
                .containsExactly("f");
    }

    @Test
    void two_schemas_in_a_database_share_nothing() {
        String other = "o" + prefix;
        roles.add(other + "_worker");
        roles.add(other + "_retention");
        roles.add(other + "_operator");
        PostgresHistoryStore first =
                PostgresHistoryStore.builder(owner()).schema(prefix).build();
        PostgresHistoryStore second =
                PostgresHistoryStore.builder(owner()).schema(other).build();
        first.open();
        second.open();
        assertThat(first.inspect("blue").foreign()).isNull();
        assertThat(second.inspect("green").foreign())
                .as("each has its own name")
                .isNull();

        assertThat(Sql.column(owner(), """
                        select c.relname from pg_class c, pg_roles r
                         where c.relnamespace = '%s'::regnamespace and c.relkind in ('r', 'p', 'v') and r.rolname like '%s\\_%%'
                           and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate')""".formatted(other, prefix))).isEmpty();
        assertThat(Sql.column(owner(), """
                        select p.proname from pg_proc p, pg_roles r
                         where p.pronamespace = '%s'::regnamespace and p.prosecdef and r.rolname like '%s\\_%%'
                           and has_function_privilege(r.oid, p.oid, 'execute')""".formatted(other, prefix))).isEmpty();
        Sql.execute(
                RolesTest.as(database.dataSource(), prefix + "_retention"),
                "select %s.purge_audit('2000-01-01')".formatted(prefix));
        assertThatThrownBy(() -> Sql.execute(
                        RolesTest.as(database.dataSource(), prefix + "_retention"),
                        "select %s.purge_audit('2000-01-01')".formatted(other)))
                .hasMessageContaining("permission denied");
    }
}
