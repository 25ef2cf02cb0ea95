package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What code can mend must not end a run: it stalls, says why, and the next deployment finishes it. */
@Timeout(90)
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

    /** The next release: insures before it books, although runs are under way. */
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

    /** The same, careful. */
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

    @Test
    void a_run_whose_code_changed_stalls_with_event_command_and_line_and_mended_code_finishes_it() {
        try (Bench bench = new Bench()) {
            try (DurableEngine first =
                    bench.engine().register(Trip.class, new OpenDesk()).start()) {
                var run = first.client().start(Trip.class, "t-1", w -> w.run("ann"));
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
                assertThat(run.resultAs(String.class)).isEqualTo("seat of ann, no policy");
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

    private static long stalled(DurableClient client) {
        return client.workflows().where(w -> w.stalled()).count();
    }
}
