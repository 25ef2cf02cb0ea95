package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.NonDeterminismException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.testing.DurableTest;
import dev.durable.testing.Replayer;
import dev.durable.testing.Store;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of the test kit, piece by piece as {@code docs/testing.md} shows them. */
@DurableTest
class TestKitTest {
    private final Order order = new Order("42", new BigDecimal("64.50"));

    // docs: test-mock
    @Test
    void aBankThatIsAwayIsAskedAgain(TestEngine engine) throws CardDeclined {
        Payments payments = mock(Payments.class);
        when(payments.charge(any(), any()))
                .thenThrow(new IllegalStateException("the bank is away"))
                .thenReturn("AUTH-1");
        engine.register(OrderWorkflow.class).activity(Payments.class, payments);

        var run = engine.client().start(OrderWorkflow.class, "order-1", w -> w.run(order));
        run.signal(w -> w.approve("ann"));

        assertThat(run.result()).isEqualTo("AUTH-1"); // the retry's delay has passed, in no time
        verify(payments, times(2)).charge(any(), any());
    }
    // docs: end

    // docs: test-time
    @Test
    void approvalHasThreeDays(TestEngine engine) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-2", w -> w.run(order));

        engine.advance(Duration.ofDays(3).minusSeconds(1)); // works off all that is due on the way
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(Duration.ofSeconds(1));
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
    }
    // docs: end

    @Test
    void theHistoryCanBeAsked(TestEngine engine) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-3", w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        run.result();
        // docs: test-assertions
        assertThat(run.history()).isCompleted().receivedSignals("approve").completedActivities("Payments.charge");
        assertThat(run.history().events(ActivityCompleted.class).toList())
                .singleElement()
                .satisfies(charged -> assertThat(charged.attempt()).isOne());
        // docs: end
    }

    // docs: test-postgres
    @Test
    @DurableTest(store = Store.POSTGRES) // on the class: for all of its tests
    void theSameOnPostgres(TestEngine engine) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-4", w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        assertThat(run.result()).isEqualTo("AUTH-4711");
    }
    // docs: end

    @Activity(startToClose = "10s", retry = @Retry(maxAttempts = 2, initialInterval = "1s"))
    interface Scanner {
        int scan(List<String> pages);
    }

    // docs: test-activity
    @Test
    void aScanGoesOnWhereItStopped(TestEngine engine) {
        List<String> pages = List.of("a", "b", "c");
        engine.activity(Scanner.class, all -> {
            int from = ActivityContext.current().heartbeatDetails(Integer.class).orElse(0);
            ActivityContext.current().heartbeat(from + 2);
            if (from == 0) {
                throw new IllegalStateException("paper jam");
            }
            return all.size() - from;
        });

        ActivityHandle scan = engine.client().enqueue(Scanner.class, s -> s.scan(pages)); // no workflow needed

        assertThat(scan.resultAs(Integer.class)).isOne();
        assertThat(scan.history().events(ActivityAttemptFailed.class)).hasSize(1);
    }
    // docs: end

    // docs: test-hanging
    @Test
    void aScanThatHangsIsTriedAgain(TestEngine engine) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        engine.activity(Scanner.class, pages -> {
            ActivityContext scan = ActivityContext.current();
            while (scan.info().attempt() == 1 && !scan.cancelRequested()) { // hangs until its time is over
                begun.countDown();
                LockSupport.park();
            }
            return pages.size();
        });
        ActivityHandle scan = engine.client().enqueue(Scanner.class, s -> s.scan(List.of("a")));
        begun.await();

        engine.advanceWhileRunning(Duration.ofSeconds(11)); // start-to-close is 10 s

        assertThat(scan.resultAs(Integer.class)).isOne();
    }
    // docs: end

    @Test
    void oldHistoriesAreRecordedAndReplayed(TestEngine engine, @TempDir Path folder) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        run.result();
        var client = engine.client();
        // docs: test-record
        client.export("order-42", folder.resolve("order-42.json")); // in a test, or on the production database
        // docs: end
        assertThat(Replayer.of(OrderWorkflow.class).replay(folder)).isOne();
    }

    // docs: test-replay
    @Test
    void ordersThatWereStartedByFormerReleasesReplay() {
        int replayed = Replayer.of(OrderWorkflow.class).replay(Path.of("src/test/recorded"));
        assertThat(replayed).isPositive();
    }
    // docs: end

    // docs: test-careless
    @Workflow
    static class Careless {
        private final Payments payments;

        Careless(Payments payments) {
            this.payments = payments;
        }

        @Run
        void run() {
            payments.refund(UUID.randomUUID()); // another one on each replay
        }
    }
    // docs: end

    @Test
    void carelessCodeIsFoundWithoutBeingAsked() {
        TestEngine engine = TestEngine.create();
        engine.register(Careless.class).activity(Payments.class, new StripePayments());
        engine.client().startVoid(Careless.class, "careless-1", w -> w.run()).result();
        assertThatThrownBy(engine::close)
                .isExactlyInstanceOf(NonDeterminismException.class)
                .hasMessageContaining("Careless.run(TestKitTest.java")
                .hasMessageContaining("UUID.randomUUID");
    }

    @Test
    void aCallOutsideAWorkflowSaysSo() {
        assertThatThrownBy(Durable::now).hasMessageContaining("in a test, use TestEngine");
    }
}
