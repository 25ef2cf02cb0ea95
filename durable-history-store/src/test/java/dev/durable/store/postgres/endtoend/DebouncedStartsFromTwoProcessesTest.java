package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.UsageException;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts of two processes take the place of one another while workers claim the run that waits. */
@Timeout(300)
class DebouncedStartsFromTwoProcessesTest {
    private static final int STARTS = 80;
    private static final List<Integer> RUN = new CopyOnWriteArrayList<>();

    @Workflow
    static class Step {
        @Run
        int run(int number) {
            RUN.add(number);
            return number;
        }

        @Signal
        void urge() {}
    }

    private static boolean isStarted(DurableEngine engine, String id, int quietMillis, int number) {
        try {
            engine.client()
                    .start(
                            Step.class,
                            StartOptions.id(id).debounce(Duration.ofMillis(quietMillis), Duration.ofHours(2)),
                            w -> w.run(number));
            return true;
        } catch (WorkflowAlreadyStartedException e) {
            return false;
        }
    }

    @Test
    void the_latest_start_that_was_accepted_is_the_latest_that_runs() throws Exception {
        Random random = new Random(7);
        RUN.clear();
        try (Bench bench = new Bench();
                DurableEngine one = bench.engine().register(Step.class).start();
                DurableEngine other = bench.engine().register(Step.class).start()) {
            for (int i = 1; i <= STARTS; i++) {
                while (!isStarted(i % 2 == 0 ? one : other, "s-1", 15, i)) {
                    Thread.onSpinWait();
                }
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(30)).toNanos());
            }
            assertThat(one.client().handle(Step.class, "s-1").resultAs(Integer.class))
                    .isEqualTo(STARTS);
            assertThat(RUN).isSorted().endsWith(STARTS);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void starts_at_one_time_are_one_run() throws Exception {
        RUN.clear();
        try (Bench bench = new Bench();
                DurableEngine one = bench.engine().register(Step.class).start();
                DurableEngine other = bench.engine().register(Step.class).start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Boolean>> started = IntStream.range(0, 40)
                    .mapToObj(i -> threads.submit(() -> isStarted(i % 2 == 0 ? one : other, "s-2", 3_600_000, i)))
                    .toList();
            for (Future<Boolean> start : started) {
                assertThat(start.get()).isTrue();
            }
            assertThat(RUN).isEmpty();
            try (Connection connection = bench.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                DurableClient joining = one.client().joining(connection);
                StartOptions options = StartOptions.id("s-2").debounce(Duration.ofHours(1), Duration.ofHours(2));
                assertThatThrownBy(() -> joining.start(Step.class, options, w -> w.run(99)))
                        .isInstanceOf(UsageException.class)
                        .hasMessageContaining("start of s-2: debounce(…) takes part in no transaction of its caller");
            }
            one.client().handle(Step.class, "s-2").signal(Step::urge);
            int result = one.client().handle(Step.class, "s-2").resultAs(Integer.class);
            assertThat(RUN).containsOnly(result);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }
}
