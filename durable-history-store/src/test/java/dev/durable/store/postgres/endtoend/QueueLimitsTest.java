package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.QueueDescription;
import dev.durable.client.WorkflowHandle;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Limits over several workers, each with a store of its own, on one database. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class QueueLimitsTest {

    @Activity
    interface Calls {
        void call(int number, String key);
    }

    /** A workflow that makes as many calls as its argument says, all at once. */
    @Workflow
    static class Campaign {
        @Run
        int run(int calls, int keys) {
            List<Promise<Void>> all = IntStream.range(0, calls)
                    .mapToObj(i -> {
                        String key = "customer-" + i % Math.max(keys, 1);
                        Calls stub = Durable.activities(Calls.class, o -> {
                            if (keys > 0) {
                                o.limitKey(key);
                            }
                        });
                        return Durable.async(stub::call, i, key);
                    })
                    .toList();
            return Promise.all(all).size();
        }
    }

    /** A body's time in the process's monotonic clock. */
    private record Interval(long begin, long end) {}

    private final Bench bench = new Bench();
    private final List<DurableEngine> engines = new ArrayList<>();
    private final Map<String, ConcurrentLinkedQueue<Interval>> bodies = new ConcurrentHashMap<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Records when each job was claimed, by the database's clock, as jobs do not outlive their end. */
    @BeforeEach
    void recordClaims() throws SQLException {
        PostgresHistoryStore.of(bench.dataSource()).open();
        execute("create table durable.claimed (at timestamptz not null, task_queue text not null, limit_key text)");
        execute("""
                create function durable.record_claim() returns trigger language plpgsql as $$ begin
                    insert into durable.claimed values (new.claimed_at, new.task_queue, new.limit_key);
                    return null;
                end $$""");
        execute("create trigger record_claim after update on durable.activity_job for each row"
                + " when (new.state = 2 and old.state <> 2) execute function durable.record_claim()");
        execute("create trigger record_birth after insert on durable.activity_job for each row"
                + " when (new.state = 2) execute function durable.record_claim()");
    }

    @AfterEach
    void close() throws SQLException {
        engines.forEach(DurableEngine::close);
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    private void workers(int count, int slots) {
        for (int i = 0; i < count; i++) {
            engines.add(bench.engine()
                    .identity("worker-" + i)
                    .register(Campaign.class)
                    .activity(Calls.class, (number, key) -> call(key))
                    .queue("default", q -> q.slots(slots))
                    .start());
        }
    }

    private void call(String key) {
        long begin = System.nanoTime();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LockSupport.parkNanos(500_000); // The other side takes a while to answer.
        bodies.computeIfAbsent(key, k -> new ConcurrentLinkedQueue<>()).add(new Interval(begin, System.nanoTime()));
    }

    private DurableClient client() {
        return engines.getFirst().client();
    }

    @Test
    void four_workers_together_never_begin_more_than_the_rate_in_any_second() throws Exception {
        workers(4, 20);
        client().queues().limits("default", l -> l.ratePerSecond(50));
        int calls = 180;

        // On a busy machine they may be slower, but never faster.
        long took = Trials.until(millis -> millis < 9_000, number -> {
            execute("truncate durable.claimed");
            WorkflowHandle<?, Integer> run = client().start(Campaign.class, "campaign-" + number, w -> w.run(calls, 0));
            assertThat(run.result(Bench.SOON)).isEqualTo(calls);
            assertStartsWithinTheRate(calls);
            return number("select extract(epoch from max(at) - min(at)) * 1000 from durable.claimed");
        });

        assertThat(took).as("and the rate is used").isBetween(3_000L, 9_000L);
        assertThat(number("select count(distinct s) from (select attributes ->> 'worker' as s from"
                        + " durable.history_event where type = 'ActivityCompleted') x"))
                .as("by more than one worker")
                .isGreaterThan(1);
    }

    private void assertStartsWithinTheRate(int calls) throws SQLException {
        assertThat(number("select count(*) from durable.claimed")).isEqualTo(calls);
        assertThat(number("select max(n) from (select count(*) over (order by at range between current row"
                        + " and interval '999999 microseconds' following) as n from durable.claimed) x"))
                .as("starts in the busiest second")
                .isLessThanOrEqualTo(50);
    }

    @Test
    void no_more_of_a_thousand_keys_run_at_once_than_its_limit_and_none_starves() throws SQLException {
        workers(3, 40);
        client().queues().limits("default", l -> l.perKey(k -> k.concurrency(3)));
        List<WorkflowHandle<?, Integer>> runs = new ArrayList<>();
        // One busy customer of 300 calls among a thousand of two.
        runs.add(client().start(Campaign.class, "busy", w -> w.run(300, 1)));
        IntStream.range(0, 4)
                .forEach(i -> runs.add(client().start(Campaign.class, "campaign-" + i, w -> w.run(500, 1_000))));
        runs.add(client().start(Campaign.class, "late", w -> w.run(1_000, 1_000)));

        runs.forEach(run -> run.result(Bench.SOON));

        assertThat(bodies).hasSize(1_000);
        assertThat(bodies.values().stream()
                        .mapToInt(ConcurrentLinkedQueue::size)
                        .sum())
                .isEqualTo(3_300);
        assertThat(bodies.values())
                .allSatisfy(key -> assertThat(mostAtOnce(key)).isLessThanOrEqualTo(3));
        assertThat(mostAtOnce(bodies.get("customer-0"))).as("and it is used").isGreaterThan(1);
    }

    @Test
    void no_more_run_at_once_than_the_concurrency_of_the_queue_over_all_workers() {
        workers(3, 10);
        client().queues().limits("default", l -> l.concurrency(4));
        WorkflowHandle<?, Integer> run = client().start(Campaign.class, "campaign", w -> w.run(150, 0));
        assertThat(run.result(Bench.SOON)).isEqualTo(150);

        List<Interval> all =
                bodies.values().stream().flatMap(ConcurrentLinkedQueue::stream).toList();
        assertThat(mostAtOnce(all)).isBetween(2, 4);
    }

    @Test
    void a_flood_waits_in_the_database_and_not_in_a_slow_worker() {
        gate = new CountDownLatch(1);
        workers(1, 3);
        WorkflowHandle<?, Integer> run = client().start(Campaign.class, "campaign", w -> w.run(500, 0));
        awaitThat(() -> queue().running() == 3);
        IntStream.range(0, 20).forEach(look -> {
            assertThat(queue().running())
                    .as("leased, and all of them in a slot")
                    .isEqualTo(3);
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        });
        assertThat(queue().ready()).isEqualTo(497);
        gate.countDown();
        assertThat(run.result(Bench.SOON)).isEqualTo(500);
    }

    @Test
    void what_an_operator_sets_holds_for_all_workers_survives_restarts_and_stands_in_the_audit() throws SQLException {
        workers(2, 5);
        assertThat(client().queues().by("ann").pause("default")).isTrue();
        assertThat(client().queues().by("bob").pause("default")).isFalse();
        client().queues().by("bob").limits("default", l -> l.concurrency(2).maxDepth(1_000));
        client().queues().by("ann").pauseActivity("Calls.call");
        engines.forEach(DurableEngine::close);
        engines.clear();

        workers(2, 5);
        WorkflowHandle<?, Integer> run = client().start(Campaign.class, "campaign", w -> w.run(10, 0));
        awaitThat(() -> queue().ready() == 10);
        assertThat(queue().paused()).isTrue();
        assertThat(queue().limits().concurrency()).isEqualTo(2);
        client().queues().by("eve").resume("default");
        assertThat(queue().ready()).isEqualTo(10);
        client().queues().by("eve").resumeActivity("Calls.call");
        assertThat(run.result(Bench.SOON)).isEqualTo(10);
        run = client().start(Campaign.class, "other", w -> w.run(1, 0));
        run.result(Bench.SOON);
        assertThat(texts("select concat_ws(' ', actor, action, target, details) from durable.audit order by at, id"))
                .containsExactly(
                        "ann pause queue default {}",
                        "bob limit queue default {\"concurrency\":2,\"maxDepth\":1000}",
                        "ann pause activity Calls.call {}",
                        "eve resume queue default {}",
                        "eve resume activity Calls.call {}");
    }

    private QueueDescription queue() {
        return client().queues().describe("default");
    }

    private static int mostAtOnce(Iterable<Interval> intervals) {
        List<long[]> changes = new ArrayList<>();
        intervals.forEach(interval -> {
            changes.add(new long[] {interval.begin(), 1});
            changes.add(new long[] {interval.end(), -1});
        });
        changes.sort((a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
        int now = 0;
        int most = 0;
        for (long[] change : changes) {
            now += (int) change[1];
            most = Math.max(most, now);
        }
        return most;
    }

    private static void awaitThat(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Bench.SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        return Math.round(Double.parseDouble(texts(sql).getFirst()));
    }

    private List<String> texts(String sql) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }
}
