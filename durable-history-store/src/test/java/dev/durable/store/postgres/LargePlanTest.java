package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityState;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The hot statements on tables as they are after a long time: many closed runs, their histories, a long queue. {@code
 * -Dplan.runs=1000000} makes them as large as the issue asks: a million closed runs, ten million events, half a million
 * jobs.
 */
class LargePlanTest {
    private static final int RUNS = Integer.getInteger("plan.runs", 200_000);
    private static final int EVENTS_A_RUN = 10;

    private static TestDatabase database;

    @BeforeAll
    static void fill() {
        database = TestDatabase.create();
        PostgresHistoryStore.of(database.dataSource()).open();
        Sql.execute(database.dataSource(), LargeFill.sql(RUNS, EVENTS_A_RUN));
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

    /** The two orders in which jobs are claimed are those of their indexes; only what was found is put into one order. */
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

    /** Half a million jobs that are not due are not read: a claim touches a few pages however many wait. */
    @Test
    void a_claim_reads_few_pages_however_long_the_queue_is() {
        List<String> plan = Sql.column(database.dataSource(), """
                explain (analyze, buffers, costs off, timing off, summary off)
                select run_id, seq from durable.activity_job
                 where task_queue = 'q' and state = 0 and activity = any (array['a'])
                 order by rank limit 50 for no key update skip locked""");

        assertThat(String.join("\n", plan)).contains("activity_job_ready").doesNotContain("Sort", "Seq Scan");
        assertThat(pages(plan)).isLessThan(500);
    }

    @Test
    void incidents_are_listed_in_the_order_of_their_own_index_and_counted_by_it() throws SQLException {
        JobFilter incidents = JobFilter.ALL.states(Set.of(ActivityState.INCIDENT));
        JobKey last = new JobKey(new RunKey(RunIds.create(Instant.now(), "w-1", 7), "w-1"), 1);

        assertThat(PlanTest.planOf(database, dsl -> OpenJobs.page(dsl, incidents, 200)))
                .contains("Index Scan using activity_job_buried_key")
                .doesNotContain("Seq Scan on activity_job", "Sort");
        assertThat(PlanTest.planOf(database, dsl -> OpenJobs.page(dsl, incidents.after(last), 200)))
                .contains("Index Scan using activity_job_buried_key")
                .doesNotContain("Seq Scan on activity_job", "Sort");
        assertThat(PlanTest.planOf(database, dsl -> OpenJobs.page(dsl, incidents.fingerprint("f 1"), 200)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan on activity_job");
        assertThat(PlanTest.planOf(database, dsl -> OpenJobs.count(dsl, incidents)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan");
        assertThat(PlanTest.planOf(database, dsl -> Buried.groups(dsl, incidents, 20)))
                .contains("activity_job_buried")
                .doesNotContain("Seq Scan");
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
