package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Runs whose histories come to the limit. Run on each kind of store. */
abstract class LongHistoryTest {
    private static final int EVENTS = Integer.getInteger("history.events", 5_000);
    private static final int A_TURN = 1_000;

    /** Counts what it is sent, without end. */
    @Workflow(name = "Counter")
    static class Counter {
        protected int count;
        protected boolean over;

        @Run
        public int run(int before) {
            count = before;
            Durable.await(() -> over);
            return count;
        }

        @Signal
        public void add(String payload) {
            count++;
        }

        @Signal
        public void end() {
            over = true;
        }

        @Query
        public int count() {
            return count;
        }
    }

    /** The counter as it is deployed when a run has come to the limit. */
    @Workflow(name = "Counter")
    static class ContinuingCounter extends Counter {
        @Run
        @Override
        public int run(int before) {
            count = before;
            Durable.await(() -> over || tooLong());
            if (over) {
                return count;
            }
            throw Durable.continueAsNew(ContinuingCounter.class, w -> w.run(count));
        }

        private static boolean tooLong() {
            return Durable.info().historyLength() > 10;
        }
    }

    private static WorkflowHandle<Counter, Integer> counter(TestEngine engine, Consumer<DurableEngine.Builder> limits) {
        engine.configure(limits);
        engine.withoutReplayCheck().register(Counter.class);
        return engine.client().start(Counter.class, "c-1", w -> w.run(0));
    }

    static void add(TestEngine engine, WorkflowHandle<Counter, Integer> run, int times, String payload) {
        for (int i = 0; i < times; i++) {
            run.signal(w -> w.add(payload));
            settle(engine);
        }
    }

    /** Works off what can be done; a stall, which would end any other test, is looked at afterwards. */
    private static void settle(TestEngine engine) {
        try {
            engine.settle();
        } catch (WorkflowStalledException e) {
            assertThat(e).hasMessageContaining("the history of ");
        }
    }

    private static void later(TestEngine engine) {
        try {
            engine.advance(Duration.ofMinutes(2));
        } catch (WorkflowStalledException e) {
            assertThat(e).hasMessageContaining("the history of ");
        }
    }

    @Test
    void a_run_stalls_at_the_limit_of_events_and_says_so_and_what_it_was_sent_waits(TestEngine engine) {
        WorkflowHandle<Counter, Integer> run = counter(engine, b -> b.maxHistoryEvents(10));

        add(engine, run, 12, "");

        assertThat(run.describe().historyLength()).isEqualTo(10);
        assertThat(run.describe().waitingMessages()).isEqualTo(3);
        assertThat(run.describe().stalledBy())
                .isEqualTo("the history of c-1 with this step would have 11 events, and the limit is 10"
                        + " (builder.maxHistoryEvents(…), in Spring durable.max-history-events). Nothing of the step was"
                        + " written; messages and outcomes wait, and the run is tried again within a minute. Usual cause: a"
                        + " loop that goes on without Durable.continueAsNew. Way out: raise the limit, or deploy code that"
                        + " ends the run by Durable.continueAsNew where Durable.info().historyLength() > 10, if no open run"
                        + " of the type has more events.");
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(engine.client().workflows().where(w -> w.stalled()).count()).isOne();
        assertThat(run.query(Counter::count))
                .as("a query is answered from the history")
                .isEqualTo(9);
    }

    @Test
    void a_step_that_ends_the_run_is_written_beyond_the_limit(TestEngine engine) {
        WorkflowHandle<Counter, Integer> run = counter(engine, b -> b.maxHistoryEvents(10));
        add(engine, run, 9, "");

        run.signal(Counter::end);

        assertThat(run.result()).isEqualTo(9);
        assertThat(run.describe().historyLength()).isEqualTo(12);
    }

    @Test
    void a_run_at_the_limit_can_be_cancelled_and_terminated(TestEngine engine) {
        WorkflowHandle<Counter, Integer> run = counter(engine, b -> b.maxHistoryEvents(10));
        WorkflowHandle<Counter, Integer> other = engine.client().start(Counter.class, "c-2", w -> w.run(0));
        add(engine, run, 9, "");
        add(engine, other, 12, "");

        run.cancel("enough");
        other.terminate("enough");
        settle(engine);

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(other.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_run_stalls_at_the_limit_of_bytes(TestEngine engine) {
        WorkflowHandle<Counter, Integer> run = counter(engine, b -> b.maxHistoryBytes(1_000));

        add(engine, run, 3, "x".repeat(400));

        assertThat(run.describe().historyLength()).isEqualTo(3);
        assertThat(run.describe().stalledBy())
                .startsWith("the history of c-1 with this step would have 1,215 bytes of payloads, and the limit is"
                        + " 1,000 (builder.maxHistoryBytes(…), in Spring durable.max-history-size).");
    }

    /** Calls a local activity again and again. */
    @Workflow
    static class Loop {
        private final Body body;

        Loop(Body body) {
            this.body = body;
        }

        @Run
        public void run(String argument) {
            try {
                while (true) {
                    body.call(argument);
                }
            } catch (CancelledException e) {
                Durable.detached(() -> {
                    for (int i = 0; i < 3; i++) {
                        body.call("");
                    }
                    return null;
                });
                throw e;
            }
        }
    }

    @Activity(local = true)
    interface Body {
        void call(String argument);
    }

    @Test
    void a_local_activity_without_room_for_its_outcome_is_not_called_and_one_that_has_run_is_recorded(
            TestEngine engine) {
        AtomicInteger calls = new AtomicInteger();
        engine.configure(b -> b.maxHistoryEvents(10));
        engine.withoutReplayCheck().register(Loop.class).activity(Body.class, argument -> calls.incrementAndGet());
        WorkflowHandle<Loop, ?> run = engine.client().startVoid(Loop.class, "l-1", w -> w.run(""));
        settle(engine);

        for (int tries = 0; tries < 5; tries++) {
            later(engine);
        }

        assertThat(run.describe().historyLength()).isEqualTo(11);
        assertThat(calls).hasValue(10);
        assertThat(run.describe().stalledBy())
                .startsWith(
                        "the history of l-1 with the outcomes of the local activities that it calls would have 12 events,"
                                + " and the limit is 10 (builder.maxHistoryEvents(…), in Spring durable.max-history-events), and"
                                + " these activities have a tenth more. They were not called, and the run is tried again within"
                                + " a minute.")
                .endsWith(
                        " Code behind these activities is not reached; where it is to continue as new, raise the limit.");
    }

    @Test
    void a_cancelled_run_at_the_limit_does_what_it_has_to_do_before_its_end(TestEngine engine) {
        AtomicInteger calls = new AtomicInteger();
        engine.configure(b -> b.maxHistoryEvents(10));
        engine.withoutReplayCheck().register(Loop.class).activity(Body.class, argument -> calls.incrementAndGet());
        WorkflowHandle<Loop, ?> run = engine.client().startVoid(Loop.class, "l-1", w -> w.run(""));
        settle(engine);

        run.cancel("enough");
        later(engine);

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(calls.get()).as("three in the clean-up").isBetween(10 + 3, 10 + 1 + 3);
    }

    @Test
    void the_arguments_of_local_activities_count_for_the_bytes(TestEngine engine) {
        AtomicInteger calls = new AtomicInteger();
        engine.configure(b -> b.maxHistoryBytes(1_400));
        engine.withoutReplayCheck().register(Loop.class).activity(Body.class, argument -> calls.incrementAndGet());
        WorkflowHandle<Loop, ?> run = engine.client().startVoid(Loop.class, "l-1", w -> w.run("x".repeat(400)));
        settle(engine);

        assertThat(calls).hasValue(3);
        assertThat(run.describe().stalledBy()).contains(" bytes of payloads, and the limit is 1,400 ");
    }

    /** Continues as new at the limit, when its activity has heard of the cancellation. */
    @Workflow
    static class Careful {
        private final Slow slow;
        private int count;

        Careful(Slow slow) {
            this.slow = slow;
        }

        @Run
        public int run(int before) {
            if (before > 0) {
                return before;
            }
            var unused = Durable.async(slow::work);
            Durable.await(() -> Durable.info().historyLength() > 10);
            throw Durable.continueAsNew(Careful.class, w -> w.run(count));
        }

        @Signal
        public void add() {
            count++;
        }
    }

    @Activity(startToClose = "1h", cancellation = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED)
    interface Slow {
        void work();
    }

    @Test
    void a_run_beyond_the_limit_that_continues_as_new_waits_for_an_activity_first(TestEngine engine) {
        engine.configure(b -> b.maxHistoryEvents(10));
        engine.withoutReplayCheck().register(Careful.class).activity(Slow.class, () -> {
            throw new IllegalStateException("not yet");
        });
        WorkflowHandle<Careful, Integer> run = engine.client().start(Careful.class, "c-1", w -> w.run(0));
        for (int i = 0; i < 9; i++) {
            run.signal(Careful::add);
            engine.settle();
        }

        assertThat(run.result()).isEqualTo(9);
    }

    @Test
    void a_first_turn_beyond_the_limit_stalls_the_run_that_was_started(TestEngine engine) {
        engine.configure(b -> b.maxHistoryEvents(10));
        engine.withoutReplayCheck().register(Wide.class);

        WorkflowHandle<Wide, ?> run = engine.client().startVoid(Wide.class, "w-1", Wide::run);
        settle(engine);

        assertThat(run.describe().historyLength()).isOne();
        assertThat(run.describe().stalledBy()).startsWith("the history of w-1 with this step would have 21 events");
    }

    @Workflow
    static class Wide {
        @Run
        public void run() {
            for (int i = 0; i < 20; i++) {
                Durable.timer(Duration.ofDays(i + 1));
            }
            Durable.await(() -> false);
        }
    }

    /** Records many values, a thousand in a turn. */
    @Workflow
    static class Recorder {
        private int recorded;

        @Run
        public int run(int turns) {
            for (int turn = 0; turn < turns; turn++) {
                for (int i = 0; i < A_TURN; i++) {
                    recorded += Durable.sideEffect(Integer.class, () -> 1);
                }
                Durable.sleep(Duration.ofMinutes(1));
            }
            return recorded;
        }

        @Query
        public int recorded() {
            return recorded;
        }
    }

    /** Closing the engine replays the history, command by command. */
    @Test
    void a_history_of_very_many_events_is_made_queried_and_replayed(TestEngine engine) {
        int turns = EVENTS / A_TURN;
        engine.configure(b -> b.maxHistoryEvents(2L * EVENTS));
        engine.register(Recorder.class);
        WorkflowHandle<Recorder, Integer> run = engine.client().start(Recorder.class, "r-1", w -> w.run(turns));

        assertThat(run.result()).isEqualTo(turns * A_TURN);

        assertThat(run.query(Recorder::recorded)).isEqualTo(turns * A_TURN);
        assertThat(run.history()).hasSize(turns * (A_TURN + 2) + 2);
    }

    @Test
    void code_that_continues_as_new_stays_below_the_limit_and_no_line_of_the_log_warns_of_it(TestEngine engine) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.internal");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        String id = "c-" + UUID.randomUUID();
        try {
            engine.configure(b -> b.maxHistoryEvents(20));
            engine.withoutReplayCheck().register(ContinuingCounter.class);
            WorkflowHandle<ContinuingCounter, Integer> run =
                    engine.client().start(ContinuingCounter.class, id, w -> w.run(0));
            for (int i = 0; i < 25; i++) {
                run.signal(w -> w.add(""));
                engine.settle();
            }
            run.signal(Counter::end);

            assertThat(run.result()).isEqualTo(25);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains(id) && line.contains("history"));
    }

    @Test
    void a_limit_below_one_is_refused(TestEngine engine) {
        List.<Consumer<DurableEngine.Builder>>of(b -> b.maxHistoryEvents(0), b -> b.maxHistoryBytes(-1))
                .forEach(limit -> assertThatThrownBy(() -> engine.configure(limit))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(
                                "the largest history must be at least 1 (maxHistoryEvents," + " maxHistoryBytes), not ")
                        .hasMessageEndingWith("Usual cause: 0 was meant as unlimited; say Long.MAX_VALUE for that."));
    }
}
