package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.history.History;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The events of each construct and their order, as {@code docs/semantics.md} states them. */
@DurableTest
class SemanticsTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1s"))
    interface Work {
        String does(String what);

        @Activity(local = true)
        String here(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DISCARD))
        String perhaps(String what);

        @Activity(startToClose = "1d")
        String untilTold(String what);
    }

    private static final class Worker implements Work {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public String does(String what) {
            if (what.equals("twice") && calls.incrementAndGet() == 1) {
                throw new IllegalStateException("not at the first attempt");
            }
            return what;
        }

        @Override
        public String here(String what) {
            return what;
        }

        @Override
        public String perhaps(String what) {
            throw new IllegalStateException("never");
        }

        @Override
        public String untilTold(String what) {
            ActivityContext.current().completeLater();
            return what;
        }
    }

    @Workflow
    static class Activities {
        private final Work work;

        Activities(Work work) {
            this.work = work;
        }

        @Run
        String run() {
            return work.does("twice") + work.here("local") + work.perhaps("nothing");
        }
    }

    @Test
    void anActivityIsScheduledAndEndsAndItsFailedAttemptsStandInFrontOfTheEnd(TestEngine engine) {
        History history = history(engine, Activities.class, "a-1");
        assertThat(history)
                .hasEventTypes(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "ActivityAttemptFailed",
                        "ActivityCompleted",
                        "ActivityCompleted", // local
                        "ActivityScheduled",
                        "ActivityAttemptFailed",
                        "ActivityCompleted", // discarded
                        "WorkflowCompleted");
    }

    @Workflow
    static class CancelledAtOnce {
        private final Work work;

        CancelledAtOnce(Work work) {
            this.work = work;
        }

        @Run
        void run() {
            Promise<String> unborn = Durable.async(work::does, "never");
            Promise<Void> timer = Durable.timer(Duration.ofHours(1));
            unborn.cancel();
            timer.cancel();
            Durable.sleep(Duration.ofSeconds(1));
        }
    }

    @Test
    void whatIsCancelledInTheTurnThatBeganItStandsInTheHistoryWithItsEnd(TestEngine engine) {
        engine.register(CancelledAtOnce.class).activity(Work.class, new Worker());
        var run = engine.client().startVoid(CancelledAtOnce.class, "c-1", w -> w.run());
        run.result();
        assertThat(run.history())
                .hasEventTypes(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "TimerStarted",
                        "ActivityCancelRequested",
                        "TimerCancelled",
                        "TimerStarted",
                        "ActivityCancelled",
                        "TimerFired",
                        "WorkflowCompleted");
    }

    @Workflow
    static class TimedWait {
        private boolean came;

        @Run
        boolean run() {
            boolean first = Durable.await(Duration.ofHours(1), () -> came);
            boolean again = Durable.await(Duration.ofDays(1), () -> came);
            return first && again;
        }

        @Signal
        void come() {
            came = true;
        }
    }

    @Test
    void aTimedWaitStartsATimerAndCancelsItAndASatisfiedOneDoesNeither(TestEngine engine) {
        engine.register(TimedWait.class);
        var run = engine.client().start(TimedWait.class, "t-1", w -> w.run());
        run.signal(TimedWait::come);
        assertThat(run.result()).isTrue();
        assertThat(run.history())
                .hasEventTypes(
                        "WorkflowStarted", "TimerStarted", "SignalReceived", "TimerCancelled", "WorkflowCompleted");
    }

    @Workflow
    static class Recording {
        @Run
        void run() {
            Durable.sideEffect(String.class, () -> "value");
            Durable.version("change", 0, 1);
            Durable.version("change", 0, 1);
            Durable.uuid();
            Durable.now();
            Durable.detached(() -> {});
        }
    }

    @Test
    void sideEffectsAndVersionsAreRecordedAndTheRestIsNot(TestEngine engine) {
        engine.register(Recording.class);
        var run = engine.client().startVoid(Recording.class, "r-1", w -> w.run());
        run.result();
        assertThat(run.history())
                .hasEventTypes("WorkflowStarted", "SideEffectRecorded", "VersionRecorded", "WorkflowCompleted");
    }

    @Workflow
    static class Cancellable {
        private final Work work;

        Cancellable(Work work) {
            this.work = work;
        }

        @Run
        String run() {
            return work.untilTold("work");
        }
    }

    @Test
    void aCancelledRunAsksItsActivitiesToStopAndClosesWithoutThem(TestEngine engine) {
        engine.register(Cancellable.class).activity(Work.class, new Worker());
        var run = engine.client().start(Cancellable.class, "x-1", w -> w.run());
        engine.settle();
        run.cancel("enough");
        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(run.history())
                .hasEventTypes(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "WorkflowCancelRequested",
                        "ActivityCancelRequested",
                        "WorkflowCancelled");
    }

    @Test
    void aBackgroundJobIsARunOfOneCall(TestEngine engine) {
        engine.activity(Work.class, new Worker());
        var job = engine.client().enqueue(Work.class, w -> w.does("once"));
        job.await();
        assertThat(job.history())
                .hasEventTypes("WorkflowStarted", "ActivityScheduled", "ActivityCompleted", "WorkflowCompleted");
    }

    private static History history(TestEngine engine, Class<Activities> type, String id) {
        engine.register(type).activity(Work.class, new Worker());
        var run = engine.client().start(type, id, w -> w.run());
        run.result();
        return run.history();
    }
}
