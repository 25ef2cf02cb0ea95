package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two versions of the code side by side, whose activity has the same name and other parameters: producers of both
 * enqueue, workers of both claim, and a job that one of them can't read is left to the other.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RollingDeploymentTest {
    private static final String COMPLETED = "select count(*) from durable.workflow_run where status = 'COMPLETED'";
    private static final String UNREAD_BY =
            "select count(*) from durable.activity_job where state = 0 and last_failure like ";

    /**
     * The activity as it was: in grams. It has one attempt, so that the first one that is used up by mistake fails the
     * job.
     */
    @Activity(name = "Shipping", retry = @Retry(maxAttempts = 1))
    interface OldShipping {
        String ship(String order, int grams);
    }

    record Weight(int amount, String unit) {}

    /** The activity as it is: with a unit. */
    @Activity(name = "Shipping", retry = @Retry(maxAttempts = 1))
    interface NewShipping {
        String ship(String order, Weight weight);
    }

    /** The activity as it will be: with one parameter more. */
    @Activity(name = "Shipping", retry = @Retry(maxAttempts = 1))
    interface LongerShipping {
        String ship(String order, int grams, String carrier);
    }

    private final Bench bench = new Bench();
    private final List<DurableEngine> engines = new ArrayList<>();
    private final Map<String, Queue<String>> done = new ConcurrentHashMap<>();
    private final DurableEngine producer = bench.engine().clientOnly().start();

    /** Records how often each job was claimed, as jobs do not outlive their end. */
    @BeforeEach
    void recordClaims() throws SQLException {
        PostgresHistoryStore.of(bench.dataSource()).open();
        execute("create table durable.claimed (run_id uuid not null)");
        execute("""
                create function durable.record_claim() returns trigger language plpgsql as $$ begin
                    insert into durable.claimed values (new.run_id);
                    return null;
                end $$""");
        execute("create trigger record_claim after update on durable.activity_job for each row"
                + " when (new.state = 2 and old.state <> 2) execute function durable.record_claim()");
    }

    @AfterEach
    void close() throws SQLException {
        engines.forEach(DurableEngine::close);
        producer.close();
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    private String shipped(String order, String by) {
        done.computeIfAbsent(order, o -> new ConcurrentLinkedQueue<>()).add(by);
        return by;
    }

    private DurableEngine started(DurableEngine.Builder builder) {
        DurableEngine engine = builder.start();
        engines.add(engine);
        return engine;
    }

    private DurableEngine oldWorker() {
        return started(bench.engine()
                .identity("old")
                .activity(OldShipping.class, (order, grams) -> shipped(order, "old " + grams)));
    }

    private DurableEngine newWorker() {
        return started(bench.engine()
                .identity("new")
                .activity(NewShipping.class, (order, weight) -> shipped(order, "new " + weight.amount())));
    }

    private static void stop(DurableEngine engine) {
        engine.close();
    }

    private void enqueue(int from, int to) {
        DurableClient client = producer.client();
        IntStream.range(from, to).forEach(i -> {
            client.enqueue(OldShipping.class, StartOptions.id("old-" + i), s -> s.ship("old-" + i, i));
            client.enqueue(NewShipping.class, StartOptions.id("new-" + i), s -> s.ship("new-" + i, new Weight(i, "g")));
        });
    }

    @Test
    void of_a_thousand_jobs_none_fails_and_each_is_done_once_by_who_can_read_it() throws SQLException {
        enqueue(0, 200);
        DurableEngine old = oldWorker();
        awaitThat(COMPLETED, 200);
        awaitThat(UNREAD_BY + "'worker old can''t read it:%'", 200);
        assertThat(done.keySet()).hasSize(200).allMatch(order -> order.startsWith("old-"));
        stop(old);

        DurableEngine young = newWorker();
        awaitThat(COMPLETED, 400);
        enqueue(200, 350);
        awaitThat(COMPLETED, 550);
        awaitThat(UNREAD_BY + "'worker new can''t read it:%'", 150);
        stop(young);

        oldWorker();
        newWorker();
        enqueue(350, 500);
        awaitThat(COMPLETED, 1_000);

        assertThat(done).hasSize(1_000);
        assertThat(done).allSatisfy((order, by) -> {
            String number = order.substring(order.indexOf('-') + 1);
            assertThat(by).containsExactly(order.replace("-" + number, " " + number));
        });
        assertThat(number("select count(*) from durable.workflow_run where status <> 'COMPLETED'"))
                .isZero();
        assertThat(number("select count(*) from durable.history_event where type = 'ActivityCompleted'"
                        + " and attributes ->> 'attempt' = '1'"))
                .as("in their first attempt")
                .isEqualTo(1_000);
        assertThat(number("select max(n) from (select count(*) as n from durable.claimed group by run_id) c"))
                .as("claims of the job that was claimed most often")
                .isLessThan(15);
    }

    @Test
    void what_no_worker_reads_becomes_an_incident_and_the_new_worker_does_it_after_a_retry() throws SQLException {
        enqueue(0, 20);
        oldWorker();
        awaitThat(UNREAD_BY + "'worker old can''t read it:%'", 20);
        // As if 15 minutes had passed.
        execute("update durable.activity_job"
                + " set notes = regexp_replace(notes::text, '\"at\" *: *\"\\d{4}', '\"at\":\"2020')::json");
        awaitThat("select count(*) from durable.activity_job where state = 6", 20);
        awaitThat(COMPLETED, 20);

        newWorker();
        assertThat(producer.client()
                        .incidents()
                        .where(i -> i.activity("Shipping.ship"))
                        .groups(10))
                .singleElement()
                .satisfies(group -> {
                    assertThat(group.fingerprint()).isEqualTo("Shipping.ship: not read");
                    assertThat(group.count()).isEqualTo(20);
                    assertThat(group.lastFailure()).contains("argument 2", "can't be read as int");
                });
        engines.getFirst().close();
        assertThat(producer.client().incidents().retry()).isEqualTo(20);

        awaitThat(COMPLETED, 40);
        assertThat(done).hasSize(40).allSatisfy((order, by) -> assertThat(by).hasSize(1));
    }

    @Test
    void an_added_parameter_is_null_and_a_removed_one_dropped_unless_arguments_must_be_exact() throws SQLException {
        IntConsumer both = i -> {
            String id = Integer.toString(i);
            producer.client().enqueue(OldShipping.class, s -> s.ship("old-" + id, i));
            producer.client().enqueue(LongerShipping.class, s -> s.ship("longer-" + id, i, "by sea"));
        };
        IntStream.range(0, 50).forEach(both);
        DurableEngine exactOld = started(
                bench.engine().exactArguments().activity(OldShipping.class, (order, grams) -> shipped(order, "old")));
        DurableEngine exactLonger = started(bench.engine()
                .exactArguments()
                .activity(LongerShipping.class, (order, grams, carrier) -> shipped(order, "longer " + carrier)));
        awaitThat(COMPLETED, 100);
        assertThat(done)
                .hasSize(100)
                .allSatisfy((order, by) ->
                        assertThat(by).containsExactly(order.startsWith("old") ? "old" : "longer by sea"));
        stop(exactOld);
        stop(exactLonger);

        done.clear();
        both.accept(50);
        DurableEngine lenient = started(bench.engine()
                .activity(LongerShipping.class, (order, grams, carrier) -> shipped(order, "longer " + carrier)));
        awaitThat(COMPLETED, 102);
        stop(lenient);
        assertThat(done.get("old-50")).containsExactly("longer null");
        assertThat(done.get("longer-50")).containsExactly("longer by sea");

        done.clear();
        both.accept(51);
        started(bench.engine().activity(OldShipping.class, (order, grams) -> shipped(order, "old")));
        awaitThat(COMPLETED, 104);
        assertThat(done.get("longer-51")).containsExactly("old");
    }

    private void awaitThat(String count, long wanted) throws SQLException {
        long deadline = System.nanoTime() + Bench.SOON.toNanos();
        long last = number(count);
        while (last != wanted) {
            assertThat(System.nanoTime())
                    .as("%s: %s, not %s", count, last, wanted)
                    .isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            last = number(count);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
