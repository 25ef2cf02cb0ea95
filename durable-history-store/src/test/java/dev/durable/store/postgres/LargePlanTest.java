package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.ActivityState;
import dev.durable.client.QueueDescription;
import dev.durable.store.JobFilter;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.postgres.internal.job.FailedJobs;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.read.OpenJobs;
import dev.durable.store.postgres.internal.read.RunSearch;
import dev.durable.store.postgres.internal.read.RunWay;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The plans of the queries on tables as they are after a long time: many closed runs, their histories, a long queue.
 * {@code -Dplan.runs=5000000} makes it five million closed runs with ten million events, and then the time counts as
 * well.
 */
@Tag("slow")
class LargePlanTest {
    private static final int RUNS = Integer.getInteger("plan.runs", 100_000);
    private static final int OPEN = Integer.getInteger("plan.open", 50_000);
    private static final int EVENTS_A_RUN = 10;
    private static final int MILLION = 1_000_000;
    /** The greatest number of pages of a page of a listing, or of a view of one run. */
    private static final long MOST_PAGES = 5_000;

    private static final double MOST_MILLIS = 5;
    /**
     * The longest time of a query that has to search the whole table, because the rows are rare and have no index of
     * their own.
     */
    private static final double MOST_MILLIS_SOUGHT = 100;

    /** Listings, and pages of activities, that have to read many rows to find few. */
    private static final Set<String> SOUGHT = Set.of(
            Listed.RARE_TYPE.name(),
            Listed.RARE_QUEUE.name(),
            Listed.OPEN_OF_NO_TYPE.name(),
            Listed.FAILED_WITH_A_PREFIX.name(),
            Listed.CLOSED_LAST_WEEK_OF_A_TYPE.name(),
            "running",
            "often retried");

    private static final Pattern SQL_BLOCK = Pattern.compile("(?s)```sql\\n(.*?)```");
    private static final Pattern LARGE_SCAN = Pattern.compile(
            "Seq Scan on (history_event|workflow_run|activity_job|notable_run)\\w*(?: \\w+)? \\(actual");

    private static TestDatabase database;
    private static DataSource pool;

    @BeforeAll
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    static void fill() {
        database = TestDatabase.migrated();
        pool = database.pooledDataSource(2);
        Sql.execute(database.dataSource(), LargeFill.sql(RUNS, OPEN, EVENTS_A_RUN));
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statements")
    void goes_by_index(String name, String sql) throws SQLException {
        PlanTest.assertGoesByIndex(database, name, sql);
    }

    /**
     * The two orders in which jobs are claimed are those of their indexes; only the rows that were found are sorted.
     */
    @Test
    void the_claim_of_jobs_takes_what_the_index_gives_and_sorts_nothing_that_waits() throws SQLException {
        List<String> plan = PlanTest.explain(database, JobSql.CLAIM);
        List<String> below = IntStream.range(1, plan.size())
                .filter(line -> plan.get(line - 1).contains("LockRows"))
                .mapToObj(plan::get)
                .toList();

        assertThat(below).hasSize(2);
        assertThat(below.get(0)).contains("Index Scan using activity_job_ready");
        assertThat(below.get(1)).contains("Index Scan using activity_job_delayed");
    }

    /** Half a million delayed jobs are not read: a claim touches a few pages however many jobs wait. */
    @Test
    void a_claim_reads_few_pages_however_long_the_queue_is() {
        List<String> plan = Sql.column(database.dataSource(), """
                explain (analyze, buffers, costs off, timing off, summary off)
                select run_id, seq from durable.activity_job
                 where task_queue = 'q0' and state = 0 and activity = any (array['A.a1'])
                 order by rank limit 50 for no key update skip locked""");

        assertThat(String.join("\n", plan)).contains("activity_job_ready").doesNotContain("Sort", "Seq Scan");
        assertThat(pages(plan)).isLessThan(500);
    }

    @Test
    void incidents_are_listed_counted_and_grouped_by_their_own_indexes() throws SQLException {
        JobFilter incidents = JobFilter.ALL.states(Set.of(ActivityState.INCIDENT));

        Explained page = Explained.listing(pool, dsl -> OpenJobs.page(dsl, incidents, 200));
        assertThat(page.plan()).contains("activity_job_buried_state").doesNotContainPattern(LARGE_SCAN);
        Explained count = Explained.listing(
                pool, dsl -> OpenJobs.count(dsl, incidents, 10_001).fetch());
        assertThat(count.plan()).contains("activity_job_buried").doesNotContainPattern(LARGE_SCAN);
        assertThat(PlanTest.planOf(database, dsl -> FailedJobs.groups(dsl, incidents, 20)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan");
    }

    @ParameterizedTest
    @EnumSource(Listed.class)
    void a_page_of_a_listing_reads_little_whatever_is_asked_for(Listed listed) throws SQLException {
        double mostMillis = mostMillis(listed.name());
        assertReadsLittle(listed.name(), mostMillis, () -> Explained.page(pool, listed.filter(), 50));

        List<RunRecord> first = page(listed.filter());
        if (first.size() == 50) {
            RunFilter next = listed.filter().after(first.getLast().run().runId());
            assertReadsLittle(listed + ", next page", mostMillis, () -> Explained.page(pool, next, 50));
        }
    }

    @ParameterizedTest
    @EnumSource(Listed.class)
    void a_page_has_what_a_look_at_each_run_finds(Listed listed) throws SQLException {
        RunFilter filter = listed.filter();
        String each = "select run_id from workflow_run where "
                + DSL.using(SQLDialect.POSTGRES)
                        .renderInlined(RunWay.anyRun(filter, filter.statuses()).wanted())
                + (filter.stalled()
                        ? " and exists (select from run_state s where s.run_id = workflow_run.run_id and s.stalled_by <> '')"
                        : "")
                + " order by run_id " + (filter.newestFirst() ? "desc" : "asc") + " limit 50";
        List<String> expected = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path to durable");
            try (ResultSet rows = statement.executeQuery(each)) {
                while (rows.next()) {
                    expected.add(rows.getString(1));
                }
            }
            statement.execute("reset search_path");
        }

        assertThat(page(filter).stream().map(run -> run.run().runId().toString()))
                .containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @EnumSource(Listed.class)
    void a_count_up_to_a_bound_looks_at_no_whole_table(Listed listed) throws SQLException {
        Explained count = Explained.listing(pool, dsl -> new RunSearch(listed.filter()).count(dsl, 10_001));

        assertThat(count.plan()).doesNotContainPattern(LARGE_SCAN);
    }

    private static List<RunRecord> page(RunFilter filter) {
        try (PostgresHistoryStore store = PostgresHistoryStore.of(pool)) {
            return store.runs(filter, 50);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobListings")
    void a_page_of_activities_reads_little_whatever_is_asked_for(String name, JobFilter filter) throws SQLException {
        assertReadsLittle(name, mostMillis(name), () -> Explained.listing(pool, dsl -> OpenJobs.page(dsl, filter, 50)));
    }

    static Stream<Object[]> jobListings() {
        JobFilter incidents = JobFilter.ALL.states(Set.of(ActivityState.INCIDENT));
        Instant then = Instant.now().minusSeconds(600);
        return Stream.of(
                new Object[] {"all", JobFilter.ALL},
                new Object[] {"workflow id", JobFilter.ALL.workflowId("open-5")},
                new Object[] {"activity", JobFilter.ALL.activity("A.a2")},
                new Object[] {"queue", JobFilter.ALL.taskQueue("q1")},
                new Object[] {"running", JobFilter.ALL.states(Set.of(ActivityState.RUNNING))},
                new Object[] {"delayed", JobFilter.ALL.states(Set.of(ActivityState.DELAYED))},
                new Object[] {"paused", JobFilter.ALL.states(Set.of(ActivityState.PAUSED))},
                new Object[] {"external", JobFilter.ALL.states(Set.of(ActivityState.EXTERNAL))},
                new Object[] {"waiting", JobFilter.ALL.states(Set.of(ActivityState.WAITING))},
                new Object[] {
                    "ready of an activity",
                    JobFilter.ALL.states(Set.of(ActivityState.READY)).activity("A.a3")
                },
                new Object[] {"retried", JobFilter.ALL.minAttempt(2)},
                new Object[] {"often retried", JobFilter.ALL.minAttempt(9)},
                new Object[] {"incidents", incidents},
                new Object[] {"incidents of an activity", incidents.activity("A.a0")},
                new Object[] {"incidents of none", incidents.activity("A.none")},
                new Object[] {"incidents on a queue", incidents.taskQueue("q1")},
                new Object[] {"incidents of a type", incidents.workflowType("T3")},
                new Object[] {"incidents that failed alike", incidents.fingerprint("f 3")},
                new Object[] {"incidents of late", incidents.buriedFrom(then)},
                new Object[] {"incidents of a workflow id", incidents.workflowId("open-70")},
                new Object[] {"dead letters", JobFilter.ALL.states(Set.of(ActivityState.DEAD))});
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v_workflow where workflow_id = '%s'",
                "v_workflow where run_id = '%s'",
                "v_history where workflow_id = '%s' order by event_id",
                "v_history where run_id = '%s' order by event_id",
                "v_activity where workflow_id = '%s' order by seq",
                "v_activity where run_id = '%s' order by seq",
                "v_dead_letter where workflow_id = '%s'",
                "v_incident where workflow_id = '%s'"
            })
    void a_view_answers_for_one_run_by_its_keys(String query) throws SQLException {
        String column = query.contains("workflow_id") ? "workflow_id" : "run_id";
        String key = Sql.column(
                        pool,
                        "select " + column + " from durable.workflow_run where workflow_id = 'order-" + (RUNS - 5)
                                + "'")
                .getFirst();

        assertReadsLittle(
                query, MOST_MILLIS, () -> Explained.sql(pool, "select * from durable." + query.formatted(key)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v_workflow order by run_id desc limit 50",
                "v_workflow where run_id < durable.run_id_at(now() - interval '3 days') order by run_id desc limit 50",
                "v_workflow where stalled order by run_id limit 50",
                "v_history order by run_id desc, event_id limit 50",
                "v_activity order by run_id desc, seq limit 50",
                "v_dead_letter order by since desc limit 50",
                "v_incident order by since desc limit 50"
            })
    void a_view_gives_a_page_of_the_newest_by_its_keys(String query) throws SQLException {
        assertReadsLittle(query, 4 * MOST_MILLIS, () -> Explained.sql(pool, "select * from durable." + query));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v_workflow", "v_history", "v_activity"})
    void a_view_gives_a_window_of_time_at_the_cost_of_the_window(String view) throws SQLException {
        Explained hour = Explained.sql(
                pool,
                "select count(*) from durable." + view
                        + " where run_id >= durable.run_id_at(now() - interval '1 hour')");

        assertThat(hour.plan()).doesNotContainPattern(LARGE_SCAN).contains("workflow_run_pkey");
        long runsAnHour = ((long) RUNS + OPEN) / (21 * 24) + 1;
        assertThat(hour.pages()).isLessThan(40 * runsAnHour + 1_000);
    }

    @Test
    void the_view_of_queues_reads_at_most_ten_thousand_jobs_of_each() throws SQLException {
        Explained queues = Explained.sql(pool, "select * from durable.v_queue");

        assertThat(queues.plan()).doesNotContainPattern(LARGE_SCAN).doesNotContain("Seq Scan on run_state");
        assertThat(Sql.column(
                        pool,
                        "select concat_ws(' ', task_queue, ready, delayed, dead, at_least) from durable.v_queue"
                                + " order by task_queue"))
                .hasSize(3)
                .allMatch(row -> row.endsWith(" t"))
                .anyMatch(row -> row.startsWith("q0 10000 0"));
        assertThat(Sql.number(pool, "select sum(open_runs) from durable.v_queue"))
                .isBetween(OPEN * 4L / 5, OPEN * 6L / 5);
        assertThat(PostgresHistoryStore.of(pool).queues()).hasSize(3).allMatch(QueueDescription::atLeast);
    }

    /** The statements as they stand in the documents; the application's own tables of the samples are not here. */
    @ParameterizedTest
    @MethodSource("documented")
    void a_documented_query_looks_at_no_whole_table(String sql) throws SQLException {
        assertThat(Explained.sql(pool, sql).plan()).doesNotContainPattern(LARGE_SCAN);
    }

    static Stream<String> documented() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        List<Path> documents = new ArrayList<>(List.of(root.resolve("README.md"), root.resolve("samples/README.md")));
        try (Stream<Path> docs = Files.list(root.resolve("docs"))) {
            docs.filter(path -> path.toString().endsWith(".md")).forEach(documents::add);
        }
        List<String> blocks = new ArrayList<>();
        for (Path document : documents) {
            SQL_BLOCK.matcher(Files.readString(document)).results().forEach(block -> blocks.add(block.group(1)));
        }
        assertThat(blocks).hasSizeGreaterThan(3);
        blocks.add(
                Files.readString(root.resolve("samples/src/main/resources/dev/durable/samples/orders/cli/views.sql")));
        return blocks.stream()
                .flatMap(block -> Stream.of(block.split(";\\s*(?:\n|$)", -1)))
                .filter(sql -> !sql.isBlank() && !sql.contains("shop."));
    }

    private static double mostMillis(String name) {
        return SOUGHT.contains(name) ? MOST_MILLIS_SOUGHT : MOST_MILLIS;
    }

    /** In the ordinary build the pages count, on a machine of its own the time, too. */
    private static void assertReadsLittle(String name, double mostMillis, Reading reading) throws SQLException {
        Explained once = reading.explain();
        assertThat(once.plan()).doesNotContainPattern(LARGE_SCAN);
        assertThat(once.pages()).as(() -> name + "\n" + once.plan()).isLessThan(MOST_PAGES);
        if (RUNS > MILLION) {
            double[] millis = new double[40];
            for (int i = 0; i < millis.length; i++) {
                millis[i] = reading.explain().millis();
            }
            Arrays.sort(millis);
            double p95 = millis[millis.length * 95 / 100];
            System.out.printf("%-40s %7.2f ms at p50 %7.2f ms at p95 %6d pages%n", name, millis[20], p95, once.pages());
            assertThat(p95).as(() -> name + "\n" + once.plan()).isLessThan(mostMillis);
        }
    }

    private interface Reading {
        Explained explain() throws SQLException;
    }

    private static long pages(List<String> plan) {
        return plan.stream().filter(line -> line.contains("Buffers:")).findFirst().stream()
                .flatMap(line -> Stream.of(line.split("\\D+")))
                .filter(number -> !number.isEmpty())
                .mapToLong(Long::parseLong)
                .sum();
    }

    static Stream<Object[]> statements() {
        return PlanTest.statements();
    }
}
