package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.HistoryStore;
import dev.durable.store.contract.AnotherOwner;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;

/**
 * An error that a deployment can mend must not end a run: the run stalls, says why, and the next deployment finishes
 * it.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class StalledRunTest {

    @Activity(startToClose = "10s")
    interface Desk {
        String book(String traveller);

        String insure(String traveller);
    }

    static final class OpenDesk implements Desk {
        @Override
        public String book(String traveller) {
            return "seat of " + traveller;
        }

        @Override
        public String insure(String traveller) {
            return "policy of " + traveller;
        }
    }

    @Workflow(name = "Trip")
    static class Trip {
        private final Desk desk;
        private boolean confirmed;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            String seat = desk.book(traveller);
            Durable.await(() -> confirmed);
            return seat;
        }

        @Signal
        void confirm() {
            confirmed = true;
        }
    }

    /** The next release: it insures before it books, although runs are under way. */
    @Workflow(name = "Trip")
    static class CarelessTrip {
        private final Desk desk;
        private boolean confirmed;

        CarelessTrip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            String policy = desk.insure(traveller);
            String seat = desk.book(traveller);
            Durable.await(() -> confirmed);
            return seat + ", " + policy;
        }

        @Signal
        void confirm() {
            confirmed = true;
        }
    }

    /** The next release, which keeps the old order for runs that are under way. */
    @Workflow(name = "Trip")
    static class CarefulTrip {
        private final Desk desk;
        private boolean confirmed;

        CarefulTrip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            String policy = Durable.patched("insurance") ? desk.insure(traveller) : "no policy";
            String seat = desk.book(traveller);
            Durable.await(() -> confirmed);
            return seat + ", " + policy;
        }

        @Signal
        void confirm() {
            confirmed = true;
        }
    }

    @Workflow(name = "Ledger")
    static class BrokenLedger {
        @Run
        String run(String account) {
            throw new AssertionError("no rule for " + account);
        }
    }

    @Workflow(name = "Ledger")
    static class MendedLedger {
        @Run
        String run(String account) {
            return "closed " + account;
        }
    }

    /** A release that forgets that not every customer has an address, and calls an activity in a side effect. */
    @Workflow(name = "Invoice", stallOn = RuntimeException.class)
    static class HastyInvoice {
        private final Desk desk;

        HastyInvoice(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String customer) {
            Durable.compensate(() -> desk.book("nobody"));
            String seat = desk.book(customer);
            throw new IllegalStateException("no address for " + seat);
        }
    }

    @Workflow(name = "Invoice")
    static class ConfusedInvoice {
        private final Desk desk;

        ConfusedInvoice(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String customer) {
            Durable.compensate(() -> desk.book("nobody"));
            String seat = desk.book(customer);
            Durable.await(() -> desk.insure(customer) != null);
            return seat;
        }
    }

    @Workflow(name = "Invoice")
    static class CarefulInvoice {
        private final Desk desk;

        CarefulInvoice(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String customer) {
            Durable.compensate(() -> desk.book("nobody"));
            return "invoice for " + desk.book(customer);
        }
    }

    @Test
    void a_run_whose_code_changed_stalls_with_event_command_and_line_and_mended_code_finishes_it() {
        try (Bench bench = new Bench()) {
            try (DurableEngine first =
                    bench.engine().register(Trip.class, new OpenDesk()).start()) {
                var run = first.client().start(Trip.class, "t-1", w -> w.run(MarkedLines.MARKER));
                Bench.awaitThat(run, it -> it.activities().isEmpty() && it.historyLength() >= 3);
            }
            try (DurableEngine careless =
                    bench.engine().register(CarelessTrip.class, new OpenDesk()).start()) {
                var run = careless.client().handle(CarelessTrip.class, "t-1");
                run.signal(CarelessTrip::confirm);

                String why = Bench.awaitThat(run, it -> it.stalledBy() != null).stalledBy();
                assertThat(why)
                        .startsWith("Trip t-1: the code gives other commands than the history of this run has.")
                        .containsPattern("2  ActivityScheduled 1 Desk.book +ActivityScheduled 1 Desk.insure"
                                + " +StalledRunTest\\.CarelessTrip\\.run\\(StalledRunTest\\.java:\\d+\\)")
                        .contains("Way out: ")
                        .contains("Durable.version(\"desk-insure\", 0, 1)");
                assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
                assertThat(stalled(careless.client())).isOne();
            }
            try (DurableEngine careful =
                    bench.engine().register(CarefulTrip.class, new OpenDesk()).start()) {
                var run = careful.client().handle(CarefulTrip.class, "t-1");
                assertThat(run.resultAs(String.class)).isEqualTo("seat of " + MarkedLines.MARKER + ", no policy");
                assertThat(run.describe().stalledBy()).isNull();
                assertThat(stalled(careful.client())).isZero();
            }
        }
    }

    @Test
    void a_run_that_throws_an_error_stalls_with_its_line_and_mended_code_finishes_it() {
        try (Bench bench = new Bench()) {
            try (DurableEngine broken =
                    bench.engine().register(BrokenLedger.class).start()) {
                var run = broken.client().start(BrokenLedger.class, "l-1", w -> w.run("4711"));
                assertThat(Bench.awaitThat(run, it -> it.stalledBy() != null).stalledBy())
                        .contains("java.lang.AssertionError: no rule for 4711")
                        .containsPattern("StalledRunTest\\.java:\\d+")
                        .contains("An Error does not fail a run");
                assertThat(run.describe().failure()).isNull();
            }
            try (DurableEngine mended =
                    bench.engine().register(MendedLedger.class).start()) {
                assertThat(mended.client().handle(MendedLedger.class, "l-1").resultAs(String.class))
                        .isEqualTo("closed 4711");
            }
        }
    }

    @Test
    void a_run_that_throws_what_its_workflow_stalls_on_waits_undone_nothing_and_mended_code_finishes_it() {
        stallsAndIsMended(
                bench -> bench.engine().register(HastyInvoice.class, new OpenDesk()),
                "run threw java.lang.IllegalStateException: no address for seat of ann at StalledRunTest.HastyInvoice.run(");
    }

    @Test
    void a_usage_error_of_the_code_stalls_the_run_and_mended_code_finishes_it() {
        stallsAndIsMended(
                bench -> bench.engine().register(ConfusedInvoice.class, new OpenDesk()),
                "Desk.insure was called in a condition of Durable.await.");
    }

    @Workflow(name = "Count")
    static class Count {
        private int counted;

        @Run
        int run(int wanted) {
            Durable.await(() -> counted >= wanted);
            return counted;
        }

        @Signal
        void count() {
            counted++;
        }
    }

    @Test
    void a_claim_that_was_lost_while_its_history_was_read_is_no_stall() {
        Logger stalls = (Logger) LoggerFactory.getLogger("dev.durable.failed.Stall");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        int wanted = ClaimedRuns.SHORT_HISTORY + 2;
        try (Bench bench = new Bench()) {
            try (DurableEngine before = bench.engine().register(Count.class).start()) {
                var run = before.client().start(Count.class, "lost-claim", w -> w.run(wanted));
                for (int i = 1; i < wanted; i++) {
                    run.signal(w -> w.count());
                }
                Bench.awaitThat(run, it -> it.waitingMessages() == 0 && it.historyLength() >= wanted);
            }
            HistoryStore store = PostgresHistoryStore.of(bench.dataSource());
            FaultyStore faulty = FaultyStore.over(store);
            faulty.before("histories", () -> AnotherOwner.takesOver(store, "default", "Count"));
            stalls.addAppender(lines);
            try (DurableEngine engine = DurableEngine.builder(faulty.store())
                    .pollInterval(Duration.ofMillis(50))
                    .sessionLease(Duration.ofMillis(600))
                    .register(Count.class)
                    .start()) {
                var run = engine.client().handle(Count.class, "lost-claim");
                run.signal(w -> w.count());

                assertThat((Object) run.result(Bench.SOON)).isEqualTo(wanted);
                assertThat(run.history().stream().map(HistoryEvent::type)).contains("WorkflowPaused");
                assertThat(engine.worker().stalledRuns()).isZero();
            }
        } finally {
            stalls.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains("lost-claim"));
    }

    private static void stallsAndIsMended(Function<Bench, DurableEngine.Builder> broken, String text) {
        try (Bench bench = new Bench()) {
            try (DurableEngine first = broken.apply(bench).start()) {
                var run = first.client().start("Invoice", StartOptions.id("i-1"), "ann");
                assertThat(Bench.awaitThat(run, it -> it.stalledBy() != null).stalledBy())
                        .startsWith("Invoice i-1 is stalled: ")
                        .contains(text);
                assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
                assertThat(stalled(first.client())).isOne();
                assertThat(first.worker().stalledRuns()).isOne();
            }
            try (DurableEngine mended = bench.engine()
                    .register(CarefulInvoice.class, new OpenDesk())
                    .start()) {
                var run = mended.client().handle(CarefulInvoice.class, "i-1");
                assertThat(run.resultAs(String.class)).isEqualTo("invoice for seat of ann");
                assertThat(run.history()).noneMatch(event -> event.toString().contains("nobody"));
                assertThat(stalled(mended.client())).isZero();
            }
        }
    }

    private static long stalled(DurableClient client) {
        return client.workflows().where(w -> w.stalled()).count();
    }
}
