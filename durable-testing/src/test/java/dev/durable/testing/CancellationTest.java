package dev.durable.testing;

import static dev.durable.ActivityCancellationType.ABANDON;
import static dev.durable.ActivityCancellationType.TRY_CANCEL;
import static dev.durable.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.ExternalActivity;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The effects of cancelling a running activity, in the history and for the caller of the run; on each kind of store.
 */
abstract class CancellationTest {

    @Activity(retry = @Retry(maxAttempts = 3, initialInterval = "1m", jitter = 0))
    interface Printing {
        String print(String how);

        @Activity(local = true)
        String printHere(String how);
    }

    @Workflow
    static class Print {
        @Run
        String run(String how, ActivityCancellationType cancellation, boolean local) {
            Printing stub = Durable.activities(Printing.class, o -> o.cancellation(cancellation));
            return local ? stub.printHere(how) : stub.print(how);
        }
    }

    /** Cancels the activity, not the run. */
    @Workflow
    static class Impatient {
        private boolean hurry;
        private boolean goOn;

        @Run
        String run(String how, ActivityCancellationType cancellation, boolean local) {
            Printing stub = Durable.activities(Printing.class, o -> o.cancellation(cancellation));
            Promise<String> page = local ? Durable.async(stub::printHere, how) : Durable.async(stub::print, how);
            Durable.await(() -> hurry);
            page.cancel();
            String seen;
            try {
                seen = page.get();
            } catch (CancelledException e) {
                seen = e.getMessage();
            }
            Durable.await(() -> goOn);
            return seen;
        }

        @Signal
        void hurry() {
            hurry = true;
        }

        @Signal
        void goOn() {
            goOn = true;
        }
    }

    private final Semaphore begun = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);
    private final BlockingQueue<String> tokens = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> toldAtTheEnd = new LinkedBlockingQueue<>();

    private final Printing printer = new Printing() {
        @Override
        public String print(String how) {
            ActivityContext context = ActivityContext.current();
            begun.release();
            switch (how) {
                case "stops" -> {
                    awaitCancel(context);
                    context.heartbeat(null);
                }
                case "completes" -> awaitCancel(context);
                case "fails" -> {
                    awaitCancel(context);
                    throw new IllegalStateException("out of paper");
                }
                case "fails at once" -> throw new IllegalStateException("out of paper");
                case "later" -> tokens.add(context.completeLater());
                default -> mayEnd.acquireUninterruptibly();
            }
            toldAtTheEnd.add(context.cancelRequested());
            return "printed";
        }

        @Override
        public String printHere(String how) {
            return print(how);
        }
    };

    private static void awaitCancel(ActivityContext context) {
        Semaphore told = new Semaphore(0);
        context.onCancel(told::release);
        told.acquireUninterruptibly();
    }

    private TestEngine set(TestEngine engine) {
        return engine.register(Print.class, Impatient.class).activity(Printing.class, printer);
    }

    private void awaitBegun(TestEngine engine) throws InterruptedException {
        while (!begun.tryAcquire(10, TimeUnit.MILLISECONDS)) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    /** Cancels the run while its body runs, so that the body is asked to stop. */
    private WorkflowHandle<Print, String> cancelledWhileRunning(
            TestEngine engine, String how, ActivityCancellationType type, boolean local) throws InterruptedException {
        set(engine);
        var run = engine.client().start(Print.class, "p-1", w -> w.run(how, type, local));
        awaitBegun(engine);
        run.cancel("too late");
        return run;
    }

    private static void isCancelled(WorkflowHandle<?, ?> run) {
        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED))
                .hasMessageMatching("workflow p-1 was cancelled by .+: too late");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_run_waits_for_an_activity_that_stops_and_is_cancelled_after_it(boolean local, TestEngine engine)
            throws InterruptedException {
        var run = cancelledWhileRunning(engine, "stops", WAIT_CANCELLATION_COMPLETED, local);
        isCancelled(run);
        assertThat(types(run)).endsWith("ActivityCancelled", "WorkflowCancelled");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_run_has_the_result_of_an_activity_that_completed_all_the_same(boolean local, TestEngine engine)
            throws InterruptedException {
        var run = cancelledWhileRunning(engine, "completes", WAIT_CANCELLATION_COMPLETED, local);
        assertThat(run.result()).isEqualTo("printed");
        assertThat(types(run)).endsWith("ActivityCompleted", "WorkflowCompleted");
        assertThat(toldAtTheEnd).containsExactly(true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_run_fails_with_an_activity_that_failed_after_its_cancel(boolean local, TestEngine engine)
            throws InterruptedException {
        var run = cancelledWhileRunning(engine, "fails", WAIT_CANCELLATION_COMPLETED, local);
        assertThatThrownBy(run::result).hasStackTraceContaining("out of paper");
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
        assertThat(types(run)).endsWith("ActivityFailed", "WorkflowFailed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void one_that_waits_for_its_next_attempt_ends_at_once(boolean local, TestEngine engine) {
        set(engine);
        var run = engine.client()
                .start(Print.class, "p-1", w -> w.run("fails at once", WAIT_CANCELLATION_COMPLETED, local));
        engine.settle();
        Instant before = engine.now();
        run.cancel("too late");
        engine.settle();
        assertThat(Duration.between(before, engine.now())).isLessThan(Duration.ofSeconds(30));
        isCancelled(run);
        assertThat(types(run)).endsWith("ActivityCancelled", "WorkflowCancelled");
        assertThat(begun.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRY_CANCEL", "ABANDON"})
    void a_run_that_does_not_wait_closes_at_once(ActivityCancellationType type, TestEngine engine)
            throws InterruptedException {
        var run = cancelledWhileRunning(engine, "on", type, false);
        while (run.describe().summary().status() == WorkflowStatus.RUNNING) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
        mayEnd.release();
        isCancelled(run);
        List<String> told = type == TRY_CANCEL ? List.of("ActivityCancelRequested") : List.of();
        assertThat(types(run))
                .filteredOn(event -> event.startsWith("Activity"))
                .hasSize(1 + told.size())
                .containsAll(told);
        assertThat(types(run)).endsWith("WorkflowCancelled");
    }

    // ── the activity is cancelled, not the run ──────────────────────────────────────────────────────────────────────

    private WorkflowHandle<Impatient, String> impatient(
            TestEngine engine, String how, ActivityCancellationType type, boolean local) throws InterruptedException {
        set(engine);
        var run = engine.client().start(Impatient.class, "p-1", w -> w.run(how, type, local));
        awaitBegun(engine);
        run.signal(Impatient::hurry);
        while (!types(run).contains("SignalReceived")) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
        return run;
    }

    @ParameterizedTest
    @CsvSource({
        "TRY_CANCEL,false",
        "TRY_CANCEL,true",
        "WAIT_CANCELLATION_COMPLETED,false",
        "WAIT_CANCELLATION_COMPLETED,true"
    })
    void what_comes_of_a_cancelled_activity_is_in_the_history_of_a_run_that_goes_on(
            ActivityCancellationType type, boolean local, TestEngine engine) throws InterruptedException {
        var run = impatient(engine, "stops", type, local);
        engine.settle();
        run.signal(Impatient::goOn);
        assertThat(run.result()).matches("activity 1 Printing.print(Here)? was cancelled: Promise.cancel was called");
        assertThat(types(run)).contains("ActivityCancelled");
        assertThat(types(run).contains("ActivityCancelRequested")).isEqualTo(!local);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_abandoned_activity_is_not_told_and_goes_on_to_its_end(boolean local, TestEngine engine)
            throws InterruptedException {
        var run = impatient(engine, "on", ABANDON, local);
        mayEnd.release();
        engine.settle();
        run.signal(Impatient::goOn);
        assertThat(run.result()).endsWith("was cancelled: Promise.cancel was called");
        assertThat(toldAtTheEnd).containsExactly(false);
        assertThat(types(run)).contains("ActivityCompleted").doesNotContain("ActivityCancelRequested");
    }

    // ── in the hands of others ──────────────────────────────────────────────────────────────────────────────────────

    private WorkflowHandle<Print, String> leftToOthers(TestEngine engine) {
        set(engine);
        var run = engine.client().start(Print.class, "p-1", w -> w.run("later", WAIT_CANCELLATION_COMPLETED, false));
        engine.settle();
        run.cancel("too late");
        engine.settle();
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        return run;
    }

    @Test
    void a_run_waits_for_what_the_holder_of_a_token_makes_of_the_cancel(TestEngine engine) {
        var run = leftToOthers(engine);
        ExternalActivity holder = engine.client().activity(tokens.remove());
        assertThatThrownBy(() -> holder.heartbeat("half")).isInstanceOf(CancelledException.class);
        holder.complete("printed elsewhere");
        assertThat(run.result()).isEqualTo("printed elsewhere");
    }

    @Test
    void a_holder_that_says_it_stopped_ends_the_run_as_cancelled(TestEngine engine) {
        var run = leftToOthers(engine);
        engine.client().activity(tokens.remove()).fail(new CancelledException("stopped"));
        isCancelled(run);
    }

    @Test
    void a_holder_that_is_never_heard_of_again_keeps_the_run_for_its_timeout_only(TestEngine engine) {
        var run = leftToOthers(engine);
        engine.advance(Duration.ofMinutes(2));
        isCancelled(run);
        assertThat(types(run)).endsWith("ActivityAttemptFailed", "ActivityCancelled", "WorkflowCancelled");
    }
}
