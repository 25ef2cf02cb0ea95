package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static dev.durable.testing.DurableAssertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.Durable;
import dev.durable.PayloadException;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.history.SignalReceived;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The stacks, messages, histories and log lines that a caller gets of a failure; run on each kind of store. */
abstract class TracesTest {
    private static final Duration DAY = Duration.ofDays(1);

    @SuppressWarnings("serial")
    static class Declined extends Exception {
        Declined(String message) {
            super(message);
        }
    }

    @Workflow
    static class Desk {
        private String approvedBy = "";

        @Run
        String run(String order) throws Declined {
            if (order.equals("declined")) {
                throw new Declined("no cover");
            }
            if (order.equals("broken")) {
                throw new IllegalStateException();
            }
            Durable.await(() -> !approvedBy.isEmpty());
            return approvedBy;
        }

        @Signal
        void approve(String by) {
            if (by.isBlank()) {
                throw new IllegalArgumentException("nobody approves");
            }
            approvedBy = by;
        }

        @Query
        List<String> approvals() {
            return approvedBy.isEmpty() ? List.of() : List.of(approvedBy);
        }

        @Query
        String waits() {
            Durable.sleep(DAY);
            return "";
        }
    }

    // ── stacks ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void aResultThatIsNoneIsThrownWithTheFramesOfWhoeverWaited(TestEngine engine) {
        engine.register(Desk.class);
        var started = engine.client().start(Desk.class, "d-1", w -> w.run("declined"));
        var found = engine.client().handle("d-1");

        for (Throwable thrown : List.of(
                failureOf(started::result),
                failureOf(() -> started.result(DAY)),
                failureOf(found::result),
                failureOf(() -> found.resultAs(String.class)))) {
            List<String> frames = Stream.of(thrown.getStackTrace())
                    .map(StackTraceElement::toString)
                    .toList();
            assertThat(frames)
                    .anyMatch(frame -> frame.contains("aResultThatIsNoneIsThrownWithTheFramesOfWhoeverWaited"));
            assertThat(frames)
                    .as("the loop of the engine that heard of the end")
                    .noneMatch(frame -> frame.contains(".internal.engine.") || frame.contains(".internal.drive."));
        }
        assertThat(failureOf(started::result).getCause())
                .isInstanceOf(Declined.class)
                .hasStackTraceContaining("Desk.run(");
    }

    private static WorkflowFailedException failureOf(Call call) {
        return catchThrowableOfType(WorkflowFailedException.class, call::make);
    }

    private interface Call {
        Object make();
    }

    // ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void aFailedRunSaysWhatWasThrown(TestEngine engine) {
        engine.register(Desk.class);
        assertThatThrownBy(engine.client().start(Desk.class, "d-1", w -> w.run("declined"))::result)
                .hasMessage("workflow d-1 failed: dev.durable.testing.TracesTest$Declined: no cover");
        assertThatThrownBy(engine.client().start(Desk.class, "d-2", w -> w.run("broken"))::result)
                .hasMessage("workflow d-2 failed: java.lang.IllegalStateException");
    }

    @Test
    void aRunThatAHandlerBreaksNamesTheHandler(TestEngine engine) {
        engine.register(Desk.class);
        var h = engine.client().start(Desk.class, "d-1", w -> w.run("fine"));
        h.signal(w -> w.approve(" "));
        assertThatThrownBy(h::result)
                .hasMessage(
                        "workflow d-1 failed in signal approve: java.lang.IllegalArgumentException: nobody approves");
        assertThat(failureOf(h::result).failure().handler()).isEqualTo("signal approve");
    }

    @Test
    void aRunThatWasEndedSaysWhy(TestEngine engine) {
        engine.register(Desk.class);
        var late = engine.client()
                .start(Desk.class, StartOptions.id("d-1").runTimeout(Duration.ofMinutes(1)), w -> w.run("fine"));
        assertThatThrownBy(late::result)
                .hasMessage(
                        "workflow d-1 timed out: it was still open when the run timeout (or execution timeout) of its"
                                + " start was over");
        var ended = engine.client().start(Desk.class, "d-2", w -> w.run("fine"));
        ended.terminate("the shop has closed");
        assertThatThrownBy(ended::result).hasMessage("workflow d-2 terminated: the shop has closed");
    }

    // ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void aSignalSaysWhenItWasAcknowledgedAsWellAsWhenItWasFed(TestEngine engine) {
        engine.register(Desk.class);
        var h = engine.client().start(Desk.class, "d-1", w -> w.run("fine"));
        engine.settle();
        h.pause();
        h.signal(w -> w.approve("ann"));
        var acknowledged = engine.now();
        engine.advance(DAY);
        h.resume();
        assertThat(h.result()).isEqualTo("ann");

        SignalReceived signal =
                h.history().events(SignalReceived.class).findFirst().orElseThrow();
        assertThat(signal.acceptedAt())
                .isNotNull()
                .isBetween(acknowledged.minusSeconds(60), acknowledged.plusSeconds(60));
        assertThat(signal.at()).isAfterOrEqualTo(signal.acceptedAt().plus(DAY.minusSeconds(60)));
    }

    // ── the wrong class ──────────────────────────────────────────────────────────────────────────────────────────────

    record Receipt(String code) {}

    @Workflow
    static class Till {
        @Run
        Receipt run() {
            return new Receipt("r");
        }

        @Query
        Receipt approvals() {
            return new Receipt("r");
        }
    }

    @Test
    void aResultReadAsTheWrongClassIsToldSo(TestEngine engine) {
        engine.register(Till.class);
        engine.client().start(Till.class, "t-1", Till::run).result();
        var untyped = engine.client().handle("t-1");
        assertThatThrownBy(() -> untyped.resultAs(Integer.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("the result of t-1 can't be read as java.lang.Integer")
                .hasMessageContaining(
                        "What is stored: 12 characters of JSON. Usually another type was asked for than the"
                                + " workflow's method returns: ask for that one, or for its result through a handle of the"
                                + " workflow's own class, client.handle(Type.class, \"t-1\").")
                .hasMessageNotContaining("Durable.version");
        assertThatThrownBy(() -> engine.client().handle(Till.class, "t-1").query("approvals", Integer.class))
                .hasMessageContaining("the answer of query approvals of t-1 can't be read as java.lang.Integer")
                .hasMessageContaining("Usually another type was asked for")
                .hasMessageNotContaining("Durable.version");
    }

    @Test
    void aHandleOfTheWrongClassIsToldWhoseRunItIs(TestEngine engine) {
        engine.register(Till.class, Desk.class);
        engine.client().start(Till.class, "t-1", Till::run).result();
        String whose =
                "t-1 is a run of workflow type Till, and this handle is of dev.durable.testing.TracesTest$Desk, which"
                        + " is workflow type Desk. Make the handle with the class of Till, client.handle(Type.class, \"t-1\"), or ask"
                        + " without a class: client.handle(\"t-1\").";
        var wrong = engine.client().handle(Desk.class, "t-1");
        assertThatThrownBy(wrong::result)
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(whose)
                .hasMessageNotContaining("Durable.version");
        assertThatThrownBy(() -> wrong.query(Desk::approvals))
                .hasMessageContaining(whose)
                .hasMessageNotContaining("Durable.version");
    }

    @Test
    void aQueryThatIsNotOfTheRunsTypeIsToldWhoseRunItIs(TestEngine engine) {
        engine.register(Till.class, Desk.class);
        engine.client().start(Till.class, "t-1", Till::run).result();
        assertThatThrownBy(() -> engine.client().handle(Desk.class, "t-1").query(w -> w.waits()))
                .hasMessageContaining("Till has no query 'waits'; it has [approvals]")
                .hasMessageContaining("t-1 is a run of workflow type Till, and this handle is of"
                        + " dev.durable.testing.TracesTest$Desk, which is workflow type Desk.");
    }

    // ── advice that can be followed ──────────────────────────────────────────────────────────────────────────────────

    @Test
    void aQueryThatWaitsIsToldToBeASignal(TestEngine engine) {
        engine.register(Desk.class);
        var h = engine.client().start(Desk.class, "d-1", w -> w.run("fine"));
        assertThatThrownBy(() -> h.query(Desk::waits))
                .hasMessageContaining("Durable.sleep was called in a query. A query answers from the state as it is and"
                        + " leaves no event. To change state or to wait, send a @Signal, whose handler may do both, and query"
                        + " the outcome; or an @Update, which does both and answers.");
        h.terminate("done");
    }

    @Test
    void whatIsSentToAClosedRunSaysWhatDidNotHappen(TestEngine engine) {
        engine.register(Till.class);
        var h = engine.client().start(Till.class, "t-1", Till::run);
        h.result();
        assertThatThrownBy(h::cancel)
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessage(
                        "there is no open run of workflow id t-1 with run id " + h.runId() + ", so there is nothing to"
                                + " cancel. Usually it has closed already, or was started in a transaction that is still open, or the"
                                + " id is another one: client.handle(id).describe() tells.");
        assertThatThrownBy(() -> engine.client().handle("t-2").signal("approve", "ann"))
                .hasMessageStartingWith("there is no open run of workflow id t-2, so signal approve was not sent. ");
    }

    @Test
    void anArgumentOfAnotherTypeIsNamed(TestEngine engine) {
        engine.register(Desk.class);
        var h = engine.client().start(Desk.class, "d-1", w -> w.run("fine"));
        assertThatThrownBy(() -> h.signal("approve", 5))
                .isInstanceOf(PayloadException.class)
                .hasMessageMatching(
                        "argument 1 .*of Desk.approve is a java.lang.Integer, and java.lang.String is declared:"
                                + " pass a value of that type\\.");
        h.terminate("done");
    }

    // ── what a catch catches ─────────────────────────────────────────────────────────────────────────────────────────

    @Activity(retry = @Retry(maxAttempts = 1), startToClose = "10s")
    interface Bank {
        void declared() throws Declined;

        void undeclared();

        @Activity(scheduleToStart = "1h", taskQueue = "nobody")
        void neverBegun();
    }

    static class PoorBank implements Bank {
        @Override
        public void declared() throws Declined {
            throw new Declined("no cover");
        }

        @Override
        public void undeclared() {
            throw new IllegalStateException("down");
        }

        @Override
        public void neverBegun() {}
    }

    @Workflow
    static class Catching {
        private final Bank bank;

        Catching(Bank bank) {
            this.bank = bank;
        }

        @Run
        List<String> run() {
            return List.of(caught(bank::declared), caught(bank::undeclared), caught(bank::neverBegun));
        }

        interface Work {
            void run() throws Declined;
        }

        private static String caught(Work call) {
            try {
                call.run();
                return "nothing";
            } catch (ActivityTimedOutException e) {
                return e.timeout() + " is an " + ActivityFailedException.class.getSimpleName();
            } catch (ActivityFailedException e) {
                return e.activity() + " " + e.failure().type();
            } catch (Declined e) {
                ActivityFailedException details = (ActivityFailedException) e.getSuppressed()[0];
                return e.getMessage() + " in attempt " + details.attempt() + " of " + details.activity();
            }
        }
    }

    @Test
    void aNamedExceptionIsCaughtAsItselfAndAllElseAsActivityFailed(TestEngine engine) {
        engine.register(Catching.class).activity(Bank.class, new PoorBank());
        assertThat(engine.client().start(Catching.class, "c-1", Catching::run).result())
                .containsExactly(
                        "no cover in attempt 1 of Bank.declared",
                        "Bank.undeclared java.lang.IllegalStateException",
                        "SCHEDULE_TO_START is an ActivityFailedException");
    }

    // ── long histories ───────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Endless {
        private int rounds;

        @Run
        int run(int each) {
            for (int round = 0; round < 3; round++) {
                int next = round + 1;
                for (int i = 0; i < each; i++) {
                    Durable.sideEffect(Integer.class, () -> 1);
                }
                Durable.await(() -> rounds >= next);
            }
            return rounds;
        }

        @Signal
        void more() {
            rounds++;
        }
    }

    @Test
    void aHistoryOfTenThousandEventsIsToldOnce(TestEngine engine) {
        // The same test of the other store may log beside this one.
        String id = "e-" + UUID.randomUUID();
        Logger worker = (Logger) LoggerFactory.getLogger("dev.durable.internal");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        worker.addAppender(lines);
        try {
            engine.withoutReplayCheck().register(Endless.class);
            var h = engine.client().start(Endless.class, id, w -> w.run(4_000));
            for (int i = 0; i < 3; i++) {
                engine.settle();
                h.signal(Endless::more);
            }
            assertThat(h.result()).isEqualTo(3);
        } finally {
            worker.detachAppender(lines);
        }
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains(id))
                .containsExactly(
                        "the history of " + id + " has more than 10000 events, and each replay of the run (after an"
                                + " eviction, on another worker, for a query) repeats all of them. Usual cause: a loop that goes on"
                                + " for months. Way out: throw Durable.continueAsNew(…) where"
                                + " Durable.info().shouldContinueAsNew() says so; or do the loop in an activity that notes its place with"
                                + " ActivityContext.checkpoint");
    }
}
