package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The cost of a claim from a queue in which two hundred thousand jobs are ready, and half as many more delayed; {@code
 * -Dqueue.jobs=1000000} makes it a million.
 */
@Timeout(300)
@Tag("slow")
class LargeQueueTest {
    private static final int JOBS = Integer.getInteger("queue.jobs", 200_000);
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private static TestDatabase database;
    private static DataSource pool;
    private static PostgresHistoryStore store;
    private static UUID session;

    @BeforeAll
    static void fill() {
        database = TestDatabase.migrated();
        pool = database.pooledDataSource(2);
        store = PostgresHistoryStore.of(pool);
        store.open();
        session = UUID.randomUUID();
        store.openSession(session, "worker", Duration.ofSeconds(30));
        jobs(JOBS, "null, clock_timestamp(), 0, 0");
        jobs(JOBS / 2, "clock_timestamp() + interval '1 day', clock_timestamp(), 0, 1");
        Sql.execute(pool, "analyze durable.activity_job");
    }

    @AfterAll
    static void drop() {
        store.close();
        database.close();
    }

    /** Inserts so many jobs with these values of visible_at, rank, priority, state. */
    private static void jobs(int count, String columns) {
        Sql.execute(pool, """
                insert into durable.activity_job (run_id, seq, shard, workflow_id, workflow_type, task_queue, activity,
                       max_crashes, scheduled_at, input, options, headers, visible_at, rank, priority, state)
                select gen_random_uuid(), 1, 0, 'w', 'W', 'default', 'Mail.send', 3, clock_timestamp(), '[]', '{}', '{}',
                       %s from generate_series(1, %d)""".formatted(columns, count));
    }

    private static List<ClaimedJob> claim(int limit) {
        return store.claimJobs(new JobClaim(session, "default", Set.of("Mail.send"), limit));
    }

    @Test
    void a_job_of_high_priority_is_in_the_next_claim() throws SQLException {
        jobs(1, "null, clock_timestamp() - 30 * interval '10 s', 30, 0");
        UUID urgent = UUID.fromString(Sql.column(pool, "select run_id from durable.activity_job where priority = 30")
                .getFirst());

        List<ClaimedJob> claimed = claim(10);

        assertThat(claimed).hasSize(10);
        assertThat(claimed.getFirst().key().run().runId()).isEqualTo(urgent);
    }

    @Test
    void a_claim_reads_a_few_pages_however_much_waits() throws SQLException {
        claim(10);
        assertThat(buffers(10)).as("pages of a claim of ten").isLessThan(600);
    }

    private static int buffers(int limit) throws SQLException {
        String[] values = {
            "gen_random_uuid()",
            "'" + session + "'",
            "'" + session + "'",
            "'default'",
            "'default'",
            "'{Mail.send}'",
            "'-infinity'",
            "" + limit,
            "'default'",
            "'{Mail.send}'",
            "" + limit,
            "" + limit
        };
        StringBuilder sql = new StringBuilder("explain (analyze, buffers, costs off, timing off) ");
        int param = 0;
        for (String part : JobSql.CLAIM.split("\\?", -1)) {
            sql.append(part).append(param < values.length ? values[param++] : "");
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(TransactionSettings.SHORT.setup(new SchemaName(SchemaName.DEFAULT)));
            try (ResultSet rows = statement.executeQuery(sql.toString())) {
                while (rows.next()) {
                    Matcher buffers = BUFFERS.matcher(rows.getString(1));
                    if (buffers.find()) {
                        return number(buffers.group(1)) + number(buffers.group(2));
                    }
                }
            }
            connection.rollback();
        }
        throw new AssertionError("no buffers in the plan");
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
