package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.JobFilter;
import dev.durable.store.postgres.internal.job.FailedJobSql;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.job.OrderSql;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.queue.AdmissionSql;
import dev.durable.store.postgres.internal.queue.QueueSql;
import dev.durable.store.postgres.internal.read.OpenJobs;
import dev.durable.store.postgres.internal.run.Callbacks;
import dev.durable.store.postgres.internal.run.ClaimSql;
import dev.durable.store.postgres.internal.run.ForkSql;
import dev.durable.store.postgres.internal.run.ReadSql;
import dev.durable.store.postgres.internal.run.SeizureSql;
import dev.durable.store.postgres.internal.run.StartSql;
import dev.durable.store.postgres.internal.run.StepSql;
import dev.durable.store.postgres.internal.run.TransitionSql;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.Rendering;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.stream.StreamSql;
import dev.durable.store.postgres.internal.transaction.RelaySql;
import dev.durable.store.postgres.internal.upkeep.SessionSql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.Select;
import org.jooq.conf.ParamType;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The generic plan of each hot statement, as the engine's transactions make it: the same with empty tables, whose
 * statistics tempt the planner into sequential scans, and with full ones.
 */
@Tag("slow")
class PlanTest {
    private static final List<Class<?>> STATEMENTS = List.of(
            TransitionSql.class,
            StepSql.class,
            StartSql.class,
            ForkSql.class,
            MessageSql.class,
            JobSql.class,
            OrderSql.class,
            Callbacks.class,
            ClaimSql.class,
            SessionSql.class,
            SeizureSql.class,
            RelaySql.class,
            QueueSql.class,
            ReadSql.class,
            StreamSql.class);

    private static final Pattern INDEX_SCAN = Pattern.compile("Index (?:Only )?Scan(?: Backward)? using (\\w+)");
    private static final Pattern INDEX_CONDITION = Pattern.compile("Index Cond: (.*)");

    private static final Map<String, DataSource> POOLS = new ConcurrentHashMap<>();

    private static TestDatabase empty;
    private static TestDatabase idle;
    private static TestDatabase deserted;
    private static TestDatabase full;

    @BeforeAll
    static void databases() {
        empty = TestDatabase.migrated();
        idle = TestDatabase.migrated();
        Sql.execute(idle.dataSource(), "vacuum analyze");
        deserted = TestDatabase.migrated();
        desert(deserted);
        full = TestDatabase.migrated();
        Sql.execute(full.dataSource(), Fill.SQL);
    }

    @AfterAll
    static void drop() {
        empty.close();
        idle.close();
        deserted.close();
        full.close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statements")
    void goes_by_index_with_empty_tables(String name, String sql) throws SQLException {
        assertGoesByIndex(empty, name, sql);
    }

    /**
     * Autovacuum has analyzed the tables while they were empty: if no row is expected, any index seems as good as
     * another.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("statements")
    void goes_by_the_right_index_with_tables_that_were_empty_when_they_were_analyzed(String name, String sql)
            throws SQLException {
        assertGoesByIndex(idle, name, sql);
    }

    /**
     * Autovacuum has analyzed the empty tables, which have filled since: by these statistics a wrong index with few
     * levels seems cheaper than the right one with many.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("statements")
    void goes_by_the_right_index_with_tables_that_have_filled_since_they_were_analyzed(String name, String sql)
            throws SQLException {
        assertGoesByIndex(deserted, name, sql);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statements")
    void goes_by_index_with_full_tables(String name, String sql) throws SQLException {
        assertGoesByIndex(full, name, sql);
    }

    @Test
    void jobs_that_ran_out_of_time_are_found_by_an_index_that_has_no_others() throws SQLException {
        assertThat(explain(full, JobSql.LOCK_OVERDUE))
                .anyMatch(line -> line.contains("Index Scan using activity_job_waiting_deadline"))
                .noneMatch(line -> line.contains("Sort"));
    }

    @Test
    void jobs_in_the_hands_of_others_that_ran_out_of_time_are_found_by_an_index_that_has_no_others()
            throws SQLException {
        assertThat(explain(full, OrderSql.OVERDUE))
                .anyMatch(line -> line.contains("Index Scan using activity_job_external"))
                .noneMatch(line -> line.contains("Sort"));
    }

    @Test
    void keys_that_wait_are_skipped_through_and_counted_by_indexes_that_have_no_other_jobs() throws SQLException {
        assertThat(String.join("\n", explain(full, AdmissionSql.ADMIT)))
                .contains("activity_job_waiting", "activity_job_admitted", "limit_key_start_pkey")
                .doesNotContain("Seq Scan", "Bitmap", "Hash ", "Sort Key: j.rank", "Memoize");
        assertThat(String.join("\n", explain(full, AdmissionSql.END_DELAYS)))
                .contains("activity_job_delayed_key")
                .doesNotContain("Seq Scan", "Sort");
    }

    /**
     * Dead letters and their alerts may be many: they are read by indexes that contain no other jobs, without a sort.
     */
    @Test
    void dead_letters_that_are_to_be_purged_are_found_by_an_index_that_has_no_others() throws SQLException {
        assertThat(explain(full, FailedJobSql.LOCK_OVER))
                .anyMatch(line -> line.contains("Index Scan using activity_job_buried_since"))
                .anyMatch(line -> line.contains("Index Only Scan Backward using activity_job_buried_since"))
                .noneMatch(line -> line.contains("Sort") || line.contains("Seq Scan"));
        assertThat(String.join("\n", explain(full, FailedJobSql.FORGET_ALERTS)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan on activity_job");
    }

    @Test
    void alerts_read_what_is_buried_and_no_other_job() throws SQLException {
        assertThat(String.join("\n", explain(full, FailedJobSql.ALERTS_DUE)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan on activity_job");
    }

    @Test
    void one_job_is_found_by_its_key() throws SQLException {
        JobFilter one = JobFilter.ALL.workflowId("w-1").seq(1);

        assertThat(Explained.listing(full.dataSource(), dsl -> OpenJobs.page(dsl, one, 1))
                        .plan())
                .contains("Index Scan using activity_job_pkey")
                .doesNotContain("Seq Scan on activity_job", "Seq Scan on run_state");
    }

    /** In a history of 50,000 events. */
    @Test
    void a_callback_is_read_from_the_event_that_opened_it_and_afterwards_from_the_last_that_was_read()
            throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            Sql.execute(database.dataSource(), """
                    insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                        select durable.run_id_at(now()), now(), 1, 'w', 'T', 'q', 'RUNNING';
                    insert into durable.run_state (run_id, fence, next_event_id, shard, workflow_id, type, task_queue)
                        select run_id, run_id, 50001, shard, 'w', 'T', 'q' from durable.workflow_run;
                    insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                        select run_id, e, now(), shard, 'TimerFired', '{"seq":1}'
                          from durable.workflow_run, generate_series(1, 50000) e;
                    analyze""");

            Explained all = callback(database, 1);
            assertThat(all.pages()).as("of an id that names no event").isGreaterThan(400);
            assertThat(callback(database, 49_900).pages())
                    .as("opened at event 49,900")
                    .isLessThan(40);
            assertThat(callback(database, 50_001).pages())
                    .as("read to event 50,000")
                    .isLessThan(40);
        }
    }

    private static Explained callback(TestDatabase database, long firstEvent) throws SQLException {
        String run = Sql.column(database.dataSource(), "select run_id::text from durable.workflow_run")
                .getFirst();
        String id = "'" + UUID.randomUUID() + "'";
        String sql = Callbacks.STATE;
        for (String value : List.of("'" + run + "'", "1", "'w'", "" + firstEvent, id, id, id)) {
            sql = sql.replaceFirst("\\?", value);
        }
        return Explained.sql(database.dataSource(), sql);
    }

    /** The plan of a query as the transactions of listings plan it. */
    static String planOf(TestDatabase database, Function<DSLContext, Select<?>> query) throws SQLException {
        String sql = query.apply(DSL.using(SQLDialect.POSTGRES)).getSQL(ParamType.INLINED);
        return String.join("\n", explain(database, sql, TransactionSettings.READ));
    }

    static void assertGoesByIndex(TestDatabase database, String name, String sql) throws SQLException {
        // Leases that were given as an array are hashed: they are no table. Servers before 17 do not print the
        // comparison. Partitions of streams are merged in the order of one index, which is no join.
        List<String> plan = explain(database, sql).stream()
                .map(line -> line.replace("Merge Append", "Append")
                        .replace("lease = (hashed SubPlan", "lease = (SubPlan")
                        .replace("NOT (hashed SubPlan", "NOT (SubPlan"))
                .toList();
        assertIndexesAreEnteredFromTheFront(database, name, plan);
        assertThat(String.join("\n", plan))
                .as(name)
                .doesNotContain("Seq Scan", "Bitmap", "Hash ", "hashed", "Merge", "Memoize");
        if (sql.contains("unnest(?")) {
            assertThat(plan.stream()
                            .filter(line -> line.matches(".*(Function|Index|Index Only|Tid) Scan.*"))
                            .findFirst())
                    .as("the outer side of %s", name)
                    .hasValueSatisfying(line -> assertThat(line).contains("Function Scan"));
        }
    }

    private static void desert(TestDatabase database) {
        String fill = Fill.SQL
                .replace("create temp table key", "drop table if exists key; create temp table key")
                .replace("analyze", "");
        Sql.execute(database.dataSource(), fill);
        Sql.execute(
                database.dataSource(),
                "delete from durable.run_state; delete from durable.workflow_run; delete from durable.inbox;"
                        + " delete from durable.activity_job; delete from durable.activity_heartbeat;"
                        + " delete from durable.session; delete from durable.workflow_stream;"
                        + " delete from durable.stream_entry; delete from durable.stream_source; analyze");
        Sql.execute(database.dataSource(), fill.replaceAll("(?s)insert into durable.history_event.*?;", ""));
    }

    /** An index whose first column is not compared is scanned from end to end, for each row that is looked up. */
    private static void assertIndexesAreEnteredFromTheFront(TestDatabase database, String name, List<String> plan) {
        for (int i = 1; i < plan.size(); i++) {
            Matcher scan = INDEX_SCAN.matcher(plan.get(i - 1));
            Matcher condition = INDEX_CONDITION.matcher(plan.get(i));
            if (scan.find() && condition.find()) {
                String column = Sql.column(
                                pool(database),
                                "select pg_get_indexdef('durable." + scan.group(1) + "'::regclass, 1, true)")
                        .getFirst();
                // An expression is printed in other words.
                if (column.matches("\\w+")) {
                    assertThat(condition.group(1))
                            .as(name + ", " + scan.group(1))
                            .contains(column);
                }
            }
        }
    }

    static Stream<Object[]> statements() {
        return STATEMENTS.stream()
                .flatMap(type -> Stream.of(type.getDeclaredFields()))
                .filter(field -> field.getType() == String.class && Modifier.isStatic(field.getModifiers()))
                .filter(field -> !Modifier.isPrivate(field.getModifiers()))
                // a regular expression for statements
                .filter(field -> !field.getName().equals("ACTIVITY_OF_JOB"))
                .flatMap(field -> {
                    String name = field.getDeclaringClass().getSimpleName() + "." + field.getName();
                    // Only lone steps are sent with more rows than one as scalars.
                    int most = field.getDeclaringClass() == StepSql.class ? Rendering.FEW : 1;
                    return IntStream.rangeClosed(0, most)
                            .mapToObj(rows -> new Object[] {name + " for " + rows, rows(text(field), rows)})
                            .filter(rendered -> rendered[1].equals(text(field)) == rendered[0].equals(name + " for 0"));
                });
    }

    /** The statement as it is sent for so many rows; 0 is as arrays. */
    private static String rows(String sql, int rows) {
        Param[] params = sql.chars()
                .filter(c -> c == '?')
                .mapToObj(c -> Param.ints(Collections.nCopies(rows, 0), n -> n))
                .toArray(Param[]::new);
        return Rendering.of(sql, Rendering.FEW, params).text();
    }

    private static String text(Field field) {
        try {
            field.setAccessible(true);
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> explain(TestDatabase database, String sql) throws SQLException {
        return explain(database, sql, TransactionSettings.SHORT);
    }

    @SuppressWarnings("LoopOverCharArray")
    private static List<String> explain(TestDatabase database, String sql, TransactionSettings locks)
            throws SQLException {
        try (Connection connection = pool(database).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(locks.setup(new SchemaName("durable")));
            String name = "hot_" + UUID.randomUUID().toString().replace('-', '_');
            StringBuilder text = new StringBuilder();
            int params = 0;
            for (char c : sql.toCharArray()) {
                text.append(c == '?' ? "$" + ++params : String.valueOf(c));
            }
            statement.execute("prepare " + name + " as " + text);
            String values = IntStream.range(0, params).mapToObj(i -> "null").collect(Collectors.joining(", "));
            List<String> plan = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "explain (costs off) execute " + name + (params == 0 ? "" : "(" + values + ")"))) {
                while (rows.next()) {
                    plan.add(rows.getString(1));
                }
            }
            statement.execute("deallocate " + name);
            return plan;
        }
    }

    /**
     * A pool of one connection, which knows the tables: to load their definitions takes longer than to plan. It is
     * closed with its database.
     */
    private static DataSource pool(TestDatabase database) {
        return POOLS.computeIfAbsent(database.name(), name -> database.pooledDataSource(1));
    }
}
