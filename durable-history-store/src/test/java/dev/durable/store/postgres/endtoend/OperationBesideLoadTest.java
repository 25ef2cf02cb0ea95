package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Operation;
import dev.durable.client.OperationProgress;
import dev.durable.client.WorkflowVerbs;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on all of many waiting runs, beside live load. It asserts that each run is treated and the load goes on, and
 * logs how long that takes and what the load loses, which is for a quiet machine.
 */
@Timeout(3_600)
@Tag("slow")
class OperationBesideLoadTest {
    private static final Logger log = LoggerFactory.getLogger(OperationBesideLoadTest.class);

    private static final int RUNS = Integer.getInteger("durable.operations.beside", 2_000);
    private static final int CALLERS = 8;
    private static final Duration ALONE = Duration.ofSeconds(RUNS > 10_000 ? 15 : 2);

    @Workflow(name = "Waits")
    static class Waits {
        @Run
        void run() {
            Durable.sleep(Duration.ofDays(30));
        }
    }

    @Activity
    interface Desk {
        int step(int number);
    }

    @Workflow(name = "Live")
    static class Live {
        private final Desk desk;

        Live(Desk desk) {
            this.desk = desk;
        }

        @Run
        int run() {
            return desk.step(1) + desk.step(2);
        }
    }

    @Test
    void an_operation_on_many_runs_treats_each_and_live_load_goes_on_beside_it() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine engine = bench.engine()
                        .register(Waits.class, Live.class)
                        .activity(Desk.class, number -> number)
                        .start();
                ExecutorService callers = Executors.newFixedThreadPool(CALLERS * 2)) {
            DurableClient client = engine.client();
            for (Function<WorkflowVerbs, Operation> verb :
                    List.<Function<WorkflowVerbs, Operation>>of(WorkflowVerbs::cancel, WorkflowVerbs::terminate)) {
                start(client, callers);
                AtomicBoolean enough = new AtomicBoolean();
                AtomicLong ended = new AtomicLong();
                IntStream.range(0, CALLERS).forEach(i -> callers.execute(() -> live(client, enough, ended)));
                double alone = perSecond(ended, () -> Bench.awaitThat(elapsed(ALONE)));
                long began = System.nanoTime();
                Operation operation = verb.apply(
                        client.workflows().where(w -> w.type("Waits")).by("ann").because("sold out"));
                OperationProgress[] progress = new OperationProgress[1];
                double beside = perSecond(ended, () -> {
                    progress[0] = operation.await();
                    Bench.awaitThat(() -> Sql.number(
                                    bench.dataSource(), "select count(*) from durable.run_state where type = 'Waits'")
                            == 0);
                });
                double seconds = (System.nanoTime() - began) / 1e9;
                enough.set(true);
                log.info(String.format(
                        Locale.ROOT,
                        "%s of %,d runs: %.1f s, %,.0f a second; live runs: %.0f a second alone, %.0f beside it (%.0f %%)",
                        progress[0].action(),
                        RUNS,
                        seconds,
                        RUNS / seconds,
                        alone,
                        beside,
                        100 * beside / alone));
                assertThat(progress[0].done()).isEqualTo(RUNS);
                assertThat(progress[0].passed()).isZero();
                assertThat(beside).isPositive();
            }
            assertThat(Sql.number(
                            bench.dataSource(),
                            "select count(*) from durable.workflow_run where type = 'Waits' and status = 'CANCELLED'"))
                    .isEqualTo(RUNS);
            assertThat(Sql.number(
                            bench.dataSource(),
                            "select count(*) from durable.workflow_run where type = 'Waits' and status = 'TERMINATED'"))
                    .isEqualTo(RUNS);
            if (RUNS <= 10_000) {
                assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
            }
        }
    }

    private static void start(DurableClient client, ExecutorService callers) throws Exception {
        List<? extends Future<?>> started = IntStream.range(0, CALLERS)
                .mapToObj(caller -> callers.submit(() -> {
                    for (int i = caller; i < RUNS; i += CALLERS) {
                        client.startVoid(Waits.class, "waits-" + i, Waits::run);
                    }
                }))
                .toList();
        for (Future<?> each : started) {
            each.get();
        }
    }

    private static void live(DurableClient client, AtomicBoolean enough, AtomicLong ended) {
        while (!enough.get()) {
            client.start(Live.class, "live-" + UUID.randomUUID(), Live::run).result();
            ended.incrementAndGet();
        }
    }

    private static BooleanSupplier elapsed(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        return () -> System.nanoTime() - until >= 0;
    }

    private static double perSecond(AtomicLong ended, Runnable meanwhile) {
        long before = ended.get();
        long began = System.nanoTime();
        meanwhile.run();
        return (ended.get() - before) / ((System.nanoTime() - began) / 1e9);
    }
}
