package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.Run;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.testing.Bookings.Agency;
import dev.durable.testing.Bookings.ApprovalTimedOut;
import dev.durable.testing.Bookings.CardDeclined;
import dev.durable.testing.Bookings.Confirmation;
import dev.durable.testing.Bookings.Trip;
import dev.durable.testing.Bookings.TripWorkflow;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main paths, from the client's call to the history; run on each kind of store. */
abstract class EndToEndTest {
    static final Trip CHEAP = new Trip("ann", new BigDecimal("99.90"), List.of("Ritz", "Sacher"));
    private static final Trip DEAR = new Trip("bob", new BigDecimal("4200.00"), List.of("Ritz"));

    final FakeAgency agency = new FakeAgency();

    void set(TestEngine engine) {
        engine.register(TripWorkflow.class).activity(Agency.class, agency);
    }

    @Test
    void aRunCompletesWithWhatItsActivitiesGave(TestEngine engine) {
        set(engine);
        WorkflowHandle<TripWorkflow, Confirmation> h =
                engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP));
        assertThat(h.result().flight()).isEqualTo("flight of ann");
        assertThat(h.result().rooms()).containsExactly("room at Ritz", "room at Sacher");
        assertThat(h.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(h.history())
                .isCompleted()
                .completedActivitiesInAnyOrder("Agency.charge", "Agency.flight", "Agency.room", "Agency.room");
    }

    @Activity(headers = {"tenant=acme", "trace=of the activity"})
    interface Tags {
        Map<String, String> seen();
    }

    @Workflow
    static class Tagged {
        private final Tags tags;

        Tagged(Tags tags) {
            this.tags = tags;
        }

        @Run
        Map<String, String> run() {
            return tags.seen();
        }
    }

    @Test
    void aBodyReadsTheHeadersOfItsRunAndOfItsActivity(TestEngine engine) {
        engine.register(Tagged.class)
                .activity(Tags.class, () -> ActivityContext.current().headers());

        var run = engine.client().start(Tagged.class, StartOptions.id("h-1").header("user", "ann"), w -> w.run());

        assertThat(run.result()).containsEntry("tenant", "acme").containsEntry("user", "ann");
        assertThat(run.result()).containsEntry("trace", "of the activity");
    }

    @Test
    void aSignalEndsTheWaitForApproval(TestEngine engine) {
        set(engine);
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        engine.settle();
        assertThat(h.query(TripWorkflow::status)).isEqualTo("WAITING");
        h.signal(w -> w.note("urgent"));
        h.signal(w -> w.approve("eve"));
        assertThat(h.result().flight()).isEqualTo("flight of bob");
        assertThat(h.query(TripWorkflow::notes)).containsExactly("urgent");
        assertThat(h.history()).receivedSignals("note", "approve");
    }

    @Test
    void anApprovalThatNeverComesTimesOutAndIsUndone(TestEngine engine) {
        set(engine);
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        engine.advance(Duration.ofDays(3));
        assertThatThrownBy(h::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("t-1 failed: dev.durable.testing.Bookings$ApprovalTimedOut: bob")
                .hasRootCauseInstanceOf(ApprovalTimedOut.class);
        assertThat(h.history()).completedActivities("Agency.charge", "Agency.refund");
    }

    @Test
    void waitingForTheResultSkipsTime(TestEngine engine) {
        set(engine);
        Instant before = engine.now();
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        assertThatThrownBy(h::result).hasRootCauseInstanceOf(ApprovalTimedOut.class);
        assertThat(Duration.between(before, engine.now()))
                .isBetween(Duration.ofDays(3), Duration.ofDays(3).plusHours(1));
    }

    @Test
    void aFailedAttemptIsRetriedByThePolicy(TestEngine engine) {
        set(engine);
        agency.failFlights = 2;
        Instant before = engine.now();
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP));
        assertThat(h.result().flight()).isEqualTo("flight of ann");
        assertThat(agency.flights).hasValue(3);
        assertThat(Duration.between(before, engine.now())).isGreaterThanOrEqualTo(Duration.ofMinutes(3));
        assertThat(h.history().stream().map(e -> e.type()))
                .filteredOn("ActivityAttemptFailed"::equals)
                .hasSize(2);
    }

    @Test
    void anActivityThatAlwaysFailsFailsTheRunAndIsUndone(TestEngine engine) {
        set(engine);
        agency.failFlights = 99;
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP));
        assertThatThrownBy(h::result)
                .isInstanceOf(WorkflowFailedException.class)
                .rootCause()
                .hasMessageContaining("no seat");
        assertThat(agency.flights).hasValue(3);
        assertThat(agency.refunded).hasValue(1);
    }

    @Test
    void aNamedExceptionComesBackAsItselfWithItsFields(TestEngine engine) {
        set(engine);
        agency.decline = true;
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP));
        assertThatThrownBy(h::result).cause().isInstanceOfSatisfying(CardDeclined.class, e -> {
            assertThat(e).hasMessage("declined");
            assertThat(e.code).isEqualTo(51);
        });
        assertThat(agency.charges).hasValue(1);
    }

    @Test
    void aTerminatedRunTakesNothingMore(TestEngine engine) {
        set(engine);
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        engine.settle();
        h.terminate("fraud");
        assertThatThrownBy(h::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("fraud");
        assertThatThrownBy(() -> h.signal(w -> w.approve("eve"))).isInstanceOf(WorkflowNotFoundException.class);
        assertThatThrownBy(() -> h.terminate("again")).isInstanceOf(WorkflowNotFoundException.class);
        assertThat(agency.refunded).hasValue(0);
    }

    @Test
    void aCancelledRunUndoesWhatItDid(TestEngine engine) {
        set(engine);
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        engine.settle();
        h.cancel("customer changed her mind");
        assertThatThrownBy(h::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).as("%s", e).isEqualTo(WorkflowStatus.CANCELLED));
        assertThat(agency.refunded).hasValue(1);
    }

    @Test
    void policiesDecideAboutASecondStart(TestEngine engine) {
        set(engine);
        var first = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        assertThatThrownBy(() -> engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP)))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("USE_EXISTING");
        var same = engine.client()
                .start(
                        TripWorkflow.class,
                        StartOptions.id("t-1").conflictPolicy(ConflictPolicy.USE_EXISTING),
                        w -> w.run(CHEAP));
        assertThat(same.runId()).isEqualTo(first.runId());
        var other = engine.client()
                .start(
                        TripWorkflow.class,
                        StartOptions.id("t-1").conflictPolicy(ConflictPolicy.TERMINATE_EXISTING),
                        w -> w.run(CHEAP));
        assertThat(other.result().flight()).isEqualTo("flight of ann");
        assertThatThrownBy(() -> engine.client()
                        .start(
                                TripWorkflow.class,
                                StartOptions.id("t-1").reusePolicy(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY),
                                w -> w.run(CHEAP)))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("COMPLETED");
    }

    @Test
    void aRunTimesOut(TestEngine engine) {
        set(engine);
        var h = engine.client()
                .start(TripWorkflow.class, StartOptions.id("t-1").runTimeout(Duration.ofHours(1)), w -> w.run(DEAR));
        engine.advance(Duration.ofHours(2));
        assertThatThrownBy(h::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.TIMED_OUT));
    }

    @Test
    void aDelayedStartWaits(TestEngine engine) {
        set(engine);
        var h = engine.client()
                .start(TripWorkflow.class, StartOptions.id("t-1").startDelay(Duration.ofHours(1)), w -> w.run(CHEAP));
        engine.advance(Duration.ofMinutes(59));
        assertThat(agency.charges).hasValue(0);
        engine.advance(Duration.ofMinutes(2));
        assertThat(agency.charges).hasValue(1);
        assertThat(h.result().flight()).isEqualTo("flight of ann");
    }

    @Test
    void aResultThatDoesNotComeInTimeIsSaid(TestEngine engine) {
        set(engine);
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(DEAR));
        assertThatThrownBy(() -> h.result(Duration.ofHours(1))).isInstanceOf(WaitTimedOutException.class);
    }

    @Test
    void whatWillNeverComeIsSaid(TestEngine engine) {
        set(engine);
        assertThatThrownBy(() ->
                        engine.client().handle(TripWorkflow.class, "nobody").result())
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("nobody");
    }

    @Test
    void runsAreListedByWhatTheyAre(TestEngine engine) {
        set(engine);
        engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP)).result();
        engine.client().start(TripWorkflow.class, "t-2", w -> w.run(DEAR));
        engine.settle();
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.type(TripWorkflow.class).status(WorkflowStatus.RUNNING))
                        .page(10))
                .extracting(row -> row.workflowId())
                .containsExactly("t-2");
        assertThat(engine.client().workflows().count()).isEqualTo(2);
    }

    @Test
    void anExportedHistoryReplays(TestEngine engine, @TempDir Path dir) {
        set(engine);
        engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP)).result();
        engine.client().export("t-1", dir.resolve("t-1.json"));
        assertThat(Replayer.of(TripWorkflow.class).replay(dir)).isEqualTo(1);
    }

    /** Answers as the test sets it up, and counts. */
    static final class FakeAgency implements Agency {
        final AtomicInteger charges = new AtomicInteger();
        final AtomicInteger refunded = new AtomicInteger();
        final AtomicInteger flights = new AtomicInteger();
        final Semaphore hanging = new Semaphore(0);
        volatile int failFlights;
        volatile boolean decline;
        volatile boolean hang;

        @Override
        public String charge(UUID payment, BigDecimal amount) throws CardDeclined {
            charges.incrementAndGet();
            if (decline) {
                throw new CardDeclined("declined", 51);
            }
            return "ok " + amount;
        }

        @Override
        public void refund(UUID payment) {
            refunded.incrementAndGet();
        }

        @Override
        public String flight(String traveller) {
            if (hang) {
                hanging.release();
                try {
                    new java.util.concurrent.CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted", e);
                }
            }
            if (flights.incrementAndGet() <= failFlights) {
                throw new IllegalStateException("no seat");
            }
            return "flight of " + traveller;
        }

        @Override
        public String room(String hotel) {
            return "room at " + hotel;
        }
    }
}
