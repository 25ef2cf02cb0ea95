package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.OperationProgress;
import dev.durable.client.Queues;
import dev.durable.client.StallGroup;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowVerbs;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.samples.snippets.Documents.Block;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An incident as an operator goes through it: a provider fails and 500 bookings retry, a release stalls 40 others. Each
 * command of "An incident, step by step" in docs/operating.md stands here, and is run in the order of the page.
 */
@Tag("slow")
@Timeout(300)
class IncidentTest {
    private static final int STALLED = 40;
    private static final int RETRIED = 500;
    /** The time within which a halt reaches each process. */
    private static final Duration HALTED_WITHIN = Duration.ofSeconds(1);

    private final TestDatabase database = TestDatabase.create();
    private final DataSource dataSource = database.pooledDataSource(30);
    private final Map<String, Block> statements =
            Documents.blocks("psql").stream().collect(Collectors.toMap(Block::name, block -> block));
    private volatile boolean away;

    @AfterEach
    void close() {
        database.close();
    }

    @Activity(retry = @Retry(initialInterval = "1s", maxInterval = "2s"))
    interface Rooms {
        String book(String room);

        void hold(String room);
    }

    /** The provider: it answers, or it does not. */
    private final class Provider implements Rooms {
        @Override
        public String book(String room) {
            if (away) {
                throw new IllegalStateException("503 from the provider");
            }
            return room;
        }

        @Override
        public void hold(String room) {}
    }

    /** The code of build 2026-11-28.1. */
    @Workflow(name = "Booking")
    static class Booking {
        private final Rooms rooms;
        private String guest;

        Booking(Rooms rooms) {
            this.rooms = rooms;
        }

        @Run
        String run(String room) {
            String booked = rooms.book(room);
            Durable.await(() -> guest != null);
            return booked + " for " + guest;
        }

        @Signal
        void confirm(String by) {
            guest = by;
        }
    }

    /** The code of build 2026-11-28.2, which holds a room first and forgets the bookings that are under way. */
    @Workflow(name = "Booking")
    static class HastyBooking {
        private final Rooms rooms;
        private String guest;

        HastyBooking(Rooms rooms) {
            this.rooms = rooms;
        }

        @Run
        String run(String room) {
            rooms.hold(room);
            String booked = rooms.book(room);
            Durable.await(() -> guest != null);
            return booked + " for " + guest;
        }

        @Signal
        void confirm(String by) {
            guest = by;
        }
    }

    /** The code of build 2026-11-28.3, which holds rooms of new bookings only. */
    @Workflow(name = "Booking")
    static class MendedBooking {
        private final Rooms rooms;
        private String guest;

        MendedBooking(Rooms rooms) {
            this.rooms = rooms;
        }

        @Run
        String run(String room) {
            if (Durable.patched("hold")) {
                rooms.hold(room);
            }
            String booked = rooms.book(room);
            Durable.await(() -> guest != null);
            return booked + " for " + guest;
        }

        @Signal
        void confirm(String by) {
            guest = by;
        }
    }

    private DurableEngine deployed(String build, Class<?> code) {
        return DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                .build(build)
                .register(code)
                .activity(Rooms.class, new Provider())
                .start();
    }

    /** Runs a statement of the page. */
    private Result<Record> psql(String name) {
        return DSL.using(dataSource, SQLDialect.POSTGRES)
                .fetch(statements.get(name).text());
    }

    @Test
    void anIncidentIsSeenHaltedMendedAndToldByItsAudit() {
        DurableEngine first = deployed("2026-11-28.1", Booking.class);
        book(first.client(), 0, STALLED);
        awaitThat(() -> first.client().workflows().count() == STALLED
                && first.client().activities().count() == 0);
        away = true;
        book(first.client(), STALLED, RETRIED);
        try (DurableEngine second = deployed("2026-11-28.2", HastyBooking.class)) {
            first.close();
            DurableClient client = second.client();
            seeWhatFails(client);
            holdWhatFails(client);
            IntStream.range(0, STALLED)
                    .forEach(i -> client.handle("booking-" + i).signal("confirm", "guest " + i));
            StallGroup stall = seeWhatStalls(client);
            Queues queues = halt(client);
            try (DurableEngine again = deployed("2026-11-28.1", Booking.class)) {
                moveToTheOldBuild(again.client(), stall);
                bookAgain(again.client());
                second.close();
                away = false;
                try (DurableEngine third = deployed("2026-11-28.3", MendedBooking.class)) {
                    goOn(queues, third.client());
                    allIsWell(third.client());
                }
            }
            readTheAudit();
        }
    }

    private static void book(DurableClient client, int from, int bookings) {
        IntStream.range(from, from + bookings)
                .forEach(i -> client.start(Booking.class, "booking-" + i, w -> w.run("room " + i)));
    }

    private void seeWhatFails(DurableClient client) {
        awaitThat(() -> !psql("incident-failing").isEmpty()
                && psql("incident-failing").getFirst().get("jobs", Integer.class) == RETRIED);
        Record failing = psql("incident-failing").getFirst();
        assertThat(failing.get("activity")).isEqualTo("Rooms.book");
        assertThat(failing.get("failure", String.class)).contains("503 from the provider");
        // docs: incident-why
        String why = client.handle("booking-117").whyWaiting().text();
        // docs: end
        assertThat(why).contains("activity Rooms.book (1) waits for attempt").contains("503 from the provider");
    }

    private void holdWhatFails(DurableClient client) {
        // docs: incident-hold
        client.queues().by("ann").because("the provider is down").pauseActivity("Rooms.book");
        // docs: end
        assertThat(client.queues().pausedActivities()).hasSize(1);
    }

    private static StallGroup seeWhatStalls(DurableClient client) {
        awaitThat(() -> client.workflows().where(w -> w.stalled()).count() == STALLED);
        // docs: incident-stalls
        StallGroup stall = client.workflows().stallGroups().getFirst();
        long bookings = stall.count();
        String line = stall.line();
        String histories = stall.exampleText(); // the history and the commands of the code, side by side
        // docs: end
        assertThat(bookings).isEqualTo(STALLED);
        assertThat(line).contains("HastyBooking.run(IncidentTest.java:");
        assertThat(histories).contains("Rooms.book").contains("Rooms.hold");
        return stall;
    }

    private static Queues halt(DurableClient client) {
        // docs: incident-halt
        Queues queues = client.queues().by("ann").because("2026-11-28.2 does not know the bookings under way");
        queues.halt();
        // docs: end
        assertThat(queues.isHalted()).isTrue();
        long returned = System.nanoTime();
        awaitThat(() -> System.nanoTime() - returned > HALTED_WITHIN.toNanos());
        return queues;
    }

    private static void moveToTheOldBuild(DurableClient client, StallGroup stall) {
        // docs: incident-move
        WorkflowVerbs stalled = client.workflows()
                .where(w -> w.stalledLike(stall))
                .by("ann")
                .because("they were confirmed under 2026-11-28.1");
        long expected = stalled.dryRun().total();
        OperationProgress moved = stalled.moveTo("2026-11-28.1").await(Duration.ofMinutes(5));
        // docs: end
        assertThat(expected).isEqualTo(STALLED);
        assertThat(moved.done()).as("%s", moved).isEqualTo(STALLED);
        assertThat(moved.passed()).isZero();
    }

    private static void bookAgain(DurableClient client) {
        // docs: incident-fork
        var booking = client.handle("booking-7").by("ann");
        History history = booking.history(); // the confirmation is not in it: it waits until the run goes on
        booking.fork(history.get(history.size() - 1).id(), "booking-7-again");
        booking.terminate("confirmed for the wrong guest");
        client.handle("booking-7-again").signal("confirm", "guest 7");
        // docs: end
        assertThat(booking.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    private static void goOn(Queues queues, DurableClient client) {
        // docs: incident-go-on
        client.builds().by("ann").because("for pinned bookings only").ramp("2026-11-28.1", 0);
        queues.because("2026-11-28.3 knows the bookings under way").endHalt();
        queues.because("the provider is back").resumeActivity("Rooms.book");
        // docs: end
        assertThat(client.queues().isHalted()).isFalse();
        IntStream.range(STALLED, STALLED + RETRIED)
                .forEach(i -> client.handle("booking-" + i).signal("confirm", "guest " + i));
    }

    private void allIsWell(DurableClient client) {
        int bookings = STALLED + RETRIED;
        awaitThat(() -> client.workflows()
                        .where(w -> w.type("Booking").status(WorkflowStatus.COMPLETED))
                        .count()
                == bookings);
        assertThat(client.handle("booking-7-again").resultAs(String.class)).isEqualTo("room 7 for guest 7");
        assertThat(client.history("booking-7-again").events(ActivityScheduled.class))
                .as("the room is not booked a second time")
                .hasSize(1);
        assertThat(client.handle("booking-8").resultAs(String.class)).isEqualTo("room 8 for guest 8");
        assertThat(client.handle("booking-117").resultAs(String.class)).isEqualTo("room 117 for guest 117");
        assertThat(client.workflows().where(w -> w.stalled()).count()).isZero();
    }

    private void readTheAudit() {
        assertThat(psql("incident-audit").map(row -> row.get("actor") + ": " + row.get("action")))
                .containsExactly(
                        "ann: pause activity",
                        "ann: halt",
                        "ann: move runs",
                        "ann: end operation",
                        "ann: fork run",
                        "ann: terminate run",
                        "ann: ramp build",
                        "ann: end halt",
                        "ann: resume activity");
    }

    private static void awaitThat(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }
}
