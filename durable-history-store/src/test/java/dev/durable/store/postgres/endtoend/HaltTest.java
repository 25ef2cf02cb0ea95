package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two worker processes under load are halted as a whole, and go on. */
@Timeout(300)
@Tag("slow")
class HaltTest {
    /** How long a halt is watched: some polls of each loop. */
    private static final Duration WATCHED = Duration.ofSeconds(4);

    private static final Duration PROMISED = Duration.ofSeconds(1);
    private static final int RUNS = 6;

    private final Bench bench = new Bench();
    private final AtomicLong lastBegun = new AtomicLong();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final AtomicInteger running = new AtomicInteger();
    private final CountDownLatch longBody = new CountDownLatch(1);

    @Activity(startToClose = "5m")
    interface Desk {
        /** Returns whether there is more to do. */
        boolean step();

        @Activity(local = true)
        boolean local();

        boolean slow();
    }

    private final class Worker implements Desk {
        @Override
        public boolean step() {
            return count();
        }

        @Override
        public boolean local() {
            return count();
        }

        @Override
        public boolean slow() {
            count();
            running.incrementAndGet();
            try {
                longBody.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return false;
        }

        private boolean count() {
            lastBegun.accumulateAndGet(System.nanoTime(), Math::max);
            begun.incrementAndGet();
            return !enough.get();
        }
    }

    /** Calls an activity again and again, until it says that it is enough. */
    @Workflow(name = "Steps")
    static class Steps {
        private final Desk desk;

        Steps(Desk desk) {
            this.desk = desk;
        }

        @Run
        int run(String kind) {
            int steps = 1;
            while (step(kind)) {
                steps++;
            }
            return steps;
        }

        private boolean step(String kind) {
            if (kind.equals("timer")) {
                Durable.sleep(Duration.ofMillis(5));
            }
            return switch (kind) {
                case "local" -> desk.local();
                case "slow" -> desk.slow();
                default -> desk.step();
            };
        }
    }

    private DurableEngine worker() {
        return bench.engine()
                .register(Steps.class)
                .activity(Desk.class, new Worker())
                .start();
    }

    @Test
    void nothing_begins_a_second_after_a_halt_what_runs_ends_and_all_goes_on_when_it_ends() throws Exception {
        try (DurableEngine one = worker();
                DurableEngine two = worker()) {
            DurableClient client = one.client();
            client.start(Steps.class, "slow", w -> w.run("slow"));
            for (int i = 0; i < RUNS; i++) {
                String kind = List.of("job", "local", "timer").get(i % 3);
                (i % 2 == 0 ? client : two.client()).start(Steps.class, "run-" + i, w -> w.run(kind));
            }
            Bench.awaitThat(() -> begun.get() > 50 && running.get() == 1);

            assertThat(client.queues().by("ann").because("the provider is down").halt())
                    .isTrue();
            long returned = System.nanoTime();

            assertThat(client.queues().isHalted()).isTrue();
            assertThat(two.client().queues().halt()).as("a second time").isFalse();
            client.start(Steps.class, "later-1", w -> w.run("job"));
            two.client().start(Steps.class, "later-2", w -> w.run("local"));
            client.enqueue(Desk.class, StartOptions.id("job-1"), d -> d.step());
            longBody.countDown();
            Bench.awaitThat(() -> System.nanoTime() - returned > WATCHED.toNanos());
            assertThat(Duration.ofNanos(lastBegun.get() - returned)).isLessThan(PROMISED);
            assertThat(
                            Sql.column(
                                    bench.dataSource(),
                                    "select type from durable.v_history where workflow_id = 'slow' and type = 'ActivityCompleted'"))
                    .as("the outcome of what was running")
                    .hasSize(1);
            for (DurableEngine engine : List.of(one, two)) {
                assertThat(engine.healthy()).isTrue();
                assertThat(engine.problems())
                        .containsExactly("everything is halted: no run is claimed and no body begins, until an operator"
                                + " calls client.queues().endHalt(). The audit says who has halted it, when and why.");
            }
            assertThat(client.queues().pausedActivities())
                    .extracting(paused -> paused.activity())
                    .containsExactly("*");

            int before = begun.get();
            assertThat(two.client().queues().by("bob").endHalt()).isTrue();
            Bench.awaitThat(() -> begun.get() > before + RUNS);
            enough.set(true);

            for (int i = 0; i < RUNS; i++) {
                assertThat(client.handle("run-" + i).resultAs(Integer.class, Bench.SOON))
                        .isPositive();
            }
            assertThat(client.handle("slow").resultAs(Integer.class, Bench.SOON))
                    .isOne();
            assertThat(client.handle("later-1").resultAs(Integer.class, Bench.SOON))
                    .isPositive();
            assertThat(client.handle("later-2").resultAs(Integer.class, Bench.SOON))
                    .isPositive();
            assertThat(client.job("job-1").resultAs(Boolean.class, Bench.SOON)).isNotNull();
            assertThat(client.queues().endHalt()).isFalse();
            Bench.awaitThat(() -> one.problems().isEmpty() && two.problems().isEmpty());
        }
        assertThat(Sql.column(
                        bench.dataSource(),
                        "select actor || ': ' || action || ' ' || target || coalesce(', ' || (details ->> 'reason'), '')"
                                + " from durable.audit where target = '*' order by at"))
                .containsExactly("ann: halt *, the provider is down", "bob: end halt *");
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    @Test
    void a_process_that_starts_while_all_is_halted_begins_nothing() {
        try (DurableEngine clientOnly = bench.engine().clientOnly().start()) {
            clientOnly.client().queues().halt();
            clientOnly.client().start(Steps.class, "run-1", w -> w.run("local"));
            try (DurableEngine one = worker()) {
                long started = System.nanoTime();
                Bench.awaitThat(() -> System.nanoTime() - started > PROMISED.toNanos());
                assertThat(begun.get()).isZero();
                assertThat(Sql.column(bench.dataSource(), "select type from durable.history_event"))
                        .as("the run is not claimed")
                        .containsExactly("WorkflowStarted");

                enough.set(true);
                clientOnly.client().queues().endHalt();

                assertThat(one.client().handle("run-1").resultAs(Integer.class, Bench.SOON))
                        .isOne();
            }
        }
        bench.close();
    }
}
