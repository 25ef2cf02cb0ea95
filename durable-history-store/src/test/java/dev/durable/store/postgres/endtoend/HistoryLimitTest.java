package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The two ways out for a run that stalls as its history has come to the limit, on both stores. */
@Timeout(300)
@Tag("slow")
class HistoryLimitTest {
    private static final int LIMIT = 10;
    private static final int SENT = 15;
    /** As many messages, of two events each, as fill a step. */
    private static final int MANY = 1_000;

    /** Adds up what it is sent, without end. */
    @Workflow(name = "Sum")
    static class Sum {
        int sum;
        boolean over;

        @Run
        int run(int before) {
            sum = before;
            Durable.await(() -> over);
            return sum;
        }

        @Signal
        void add(int value) {
            sum += value;
        }

        @Signal
        void end() {
            over = true;
        }
    }

    /** The code that is deployed for the run that has stalled. */
    @Workflow(name = "Sum")
    static class ContinuingSum extends Sum {
        @Run
        @Override
        int run(int before) {
            sum = before;
            Durable.await(() -> over || Durable.info().historyLength() > LIMIT);
            if (over) {
                return sum;
            }
            throw Durable.continueAsNew(ContinuingSum.class, w -> w.run(sum));
        }
    }

    @Test
    void a_run_in_postgresql_goes_on_by_code_that_continues_as_new() throws SQLException {
        try (Bench bench = new Bench()) {
            goesOnAsNew(PostgresHistoryStore.of(bench.dataSource()));
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void a_run_in_memory_goes_on_by_code_that_continues_as_new() {
        goesOnAsNew(new InMemoryHistoryStore());
    }

    @Test
    void a_run_in_postgresql_goes_on_under_a_higher_limit() {
        try (Bench bench = new Bench()) {
            goesOnUnderAHigherLimit(PostgresHistoryStore.of(bench.dataSource()));
        }
    }

    @Test
    void a_run_in_memory_goes_on_under_a_higher_limit() {
        goesOnUnderAHigherLimit(new InMemoryHistoryStore());
    }

    /** Continues below the limit, as a condition does that is too low for this run. */
    @Workflow(name = "Sum")
    static class ContinuingEarlier extends Sum {
        @Run
        @Override
        int run(int before) {
            sum = before;
            Durable.await(() -> over || Durable.info().historyLength() > LIMIT / 2);
            if (over) {
                return sum;
            }
            throw Durable.continueAsNew(ContinuingEarlier.class, w -> w.run(sum));
        }
    }

    @Test
    void code_that_continues_before_what_a_run_in_postgresql_has_taken_in_stalls_and_loses_nothing() {
        try (Bench bench = new Bench()) {
            losesNothing(PostgresHistoryStore.of(bench.dataSource()));
        }
    }

    @Test
    void code_that_continues_before_what_a_run_in_memory_has_taken_in_stalls_and_loses_nothing() {
        losesNothing(new InMemoryHistoryStore());
    }

    @Activity(local = true)
    interface Scale {
        void weigh();
    }

    /** Waits for a local activity while it is sent more than its history has room for. */
    @Workflow(name = "Weighing")
    static class Weighing extends Sum {
        final Scale scale;

        Weighing(Scale scale) {
            this.scale = scale;
        }

        @Run
        @Override
        int run(int before) {
            sum = before;
            scale.weigh();
            Durable.await(() -> over);
            return sum;
        }
    }

    /** The code that is deployed for it asks behind the local activity. */
    @Workflow(name = "Weighing")
    static class ContinuingWeighing extends Weighing {
        ContinuingWeighing(Scale scale) {
            super(scale);
        }

        @Run
        @Override
        int run(int before) {
            sum = before;
            scale.weigh();
            if (Durable.info().historyLength() > LIMIT) {
                throw Durable.continueAsNew(ContinuingWeighing.class, w -> w.run(sum));
            }
            Durable.await(() -> over);
            return sum;
        }
    }

    @Test
    void code_behind_a_local_activity_continues_a_run_in_postgresql_to_which_more_was_sent_than_fits()
            throws SQLException {
        try (Bench bench = new Bench()) {
            continuesBehindALocalActivity(PostgresHistoryStore.of(bench.dataSource()));
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void code_behind_a_local_activity_continues_a_run_in_memory_to_which_more_was_sent_than_fits() {
        continuesBehindALocalActivity(new InMemoryHistoryStore());
    }

    private static void continuesBehindALocalActivity(HistoryStore store) {
        CountDownLatch weighed = new CountDownLatch(1);
        try (DurableEngine engine = engine(store)
                .register(Weighing.class)
                .activity(Scale.class, () -> await(weighed))
                .start()) {
            WorkflowHandle<Weighing, Integer> run = engine.client().start(Weighing.class, "s-1", w -> w.run(0));
            for (int i = 1; i < LIMIT; i++) {
                run.signal(w -> w.add(1));
            }
            Bench.awaitThat(run, now -> now.waitingMessages() == 0);
            for (int i = LIMIT; i <= SENT; i++) {
                run.signal(w -> w.add(1));
            }
            assertThat(run.describe().historyLength()).isEqualTo(LIMIT);
        }
        AtomicInteger calls = new AtomicInteger();
        try (DurableEngine mended = engine(store)
                .register(ContinuingWeighing.class)
                .activity(Scale.class, calls::incrementAndGet)
                .start()) {
            WorkflowHandle<Weighing, ?> run = mended.client().handle(Weighing.class, "s-1");
            Bench.awaitThat(run, now -> now.summary().chain().previousRunId() != null);
            run.signal(Sum::end);

            assertThat(run.resultAs(Integer.class)).isEqualTo(SENT);

            assertThat(calls).as("once in each run").hasValue(2);
        } finally {
            weighed.countDown();
        }
    }

    /** Continues behind its local activity, and records something for each message. */
    @Workflow(name = "Tally")
    static class Tally {
        final Scale scale;
        int sum;

        Tally(Scale scale) {
            this.scale = scale;
        }

        @Run
        int run(int before, boolean weighs) {
            sum += before;
            if (weighs) {
                scale.weigh();
                throw Durable.continueAsNew(Tally.class, w -> w.run(sum, false));
            }
            Durable.await(() -> sum >= MANY);
            return sum;
        }

        @Signal
        void add(int value) {
            sum += Durable.sideEffect(Integer.class, () -> value);
        }
    }

    @Test
    void a_local_activity_ends_before_the_many_messages_that_came_meanwhile() {
        CountDownLatch weighed = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .maxHistoryEvents(MANY)
                .register(Tally.class)
                .activity(Scale.class, () -> {
                    calls.incrementAndGet();
                    await(weighed);
                })
                .start()) {
            WorkflowHandle<Tally, Integer> run = engine.client().start(Tally.class, "t-1", w -> w.run(0, true));
            Bench.awaitThat(run, now -> calls.get() == 1);
            for (int i = 0; i < MANY; i++) {
                run.signal(w -> w.add(1));
            }
            weighed.countDown();

            assertThat(run.result()).isEqualTo(MANY);

            assertThat(calls).hasValue(1);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void losesNothing(HistoryStore store) {
        try (DurableEngine engine = engine(store).register(Sum.class).start()) {
            WorkflowHandle<Sum, Integer> run = engine.client().start(Sum.class, "s-1", w -> w.run(0));
            for (int i = 0; i < LIMIT - 2; i++) {
                run.signal(w -> w.add(1));
            }
            Bench.awaitThat(run, now -> now.waitingMessages() == 0);
        }
        try (DurableEngine hasty =
                engine(store).register(ContinuingEarlier.class).start()) {
            WorkflowHandle<Sum, ?> run = hasty.client().handle(Sum.class, "s-1");
            run.signal(w -> w.add(1));

            assertThat(Bench.awaitThat(run, now -> now.stalledBy() != null).stalledBy())
                    .contains("the code has continued the run as new before it");
        }
        try (DurableEngine mended = engine(store).register(ContinuingSum.class).start()) {
            WorkflowHandle<Sum, ?> run = mended.client().handle(Sum.class, "s-1");
            run.signal(w -> w.add(1));
            run.signal(Sum::end);

            assertThat(run.resultAs(Integer.class)).isEqualTo(LIMIT);
        }
    }

    private static void goesOnAsNew(HistoryStore store) {
        stall(store);
        try (DurableEngine mended = engine(store).register(ContinuingSum.class).start()) {
            WorkflowHandle<Sum, ?> run = mended.client().handle(Sum.class, "s-1");
            run.signal(Sum::end);

            assertThat(run.resultAs(Integer.class)).isEqualTo(SENT);

            assertThat(run.describe().summary().chain().previousRunId()).isNotNull();
        }
    }

    private static void goesOnUnderAHigherLimit(HistoryStore store) {
        stall(store);
        try (DurableEngine mended =
                engine(store).maxHistoryEvents(2 * SENT).register(Sum.class).start()) {
            WorkflowHandle<Sum, ?> run = mended.client().handle(Sum.class, "s-1");
            run.signal(Sum::end);

            assertThat(run.resultAs(Integer.class)).isEqualTo(SENT);

            assertThat(run.describe().stalledBy()).isNull();
            assertThat(run.describe().historyLength()).isGreaterThan(SENT);
        }
    }

    private static void stall(HistoryStore store) {
        try (DurableEngine engine = engine(store).register(Sum.class).start()) {
            WorkflowHandle<Sum, Integer> run = engine.client().start(Sum.class, "s-1", w -> w.run(0));
            for (int i = 0; i < SENT; i++) {
                run.signal(w -> w.add(1));
            }
            assertThat(Bench.awaitThat(run, now -> now.stalledBy() != null).stalledBy())
                    .contains("the limit is 10 (builder.maxHistoryEvents(…)");
            assertThat(run.describe().historyLength()).isLessThanOrEqualTo(LIMIT);
        }
    }

    private static DurableEngine.Builder engine(HistoryStore store) {
        return DurableEngine.builder(store)
                .pollInterval(Duration.ofMillis(50))
                .drainTimeout(Duration.ofSeconds(1))
                .maxHistoryEvents(LIMIT);
    }
}
