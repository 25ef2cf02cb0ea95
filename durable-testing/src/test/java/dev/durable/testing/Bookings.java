package dev.durable.testing;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A small travel agency: enough workflow to try everything on. */
final class Bookings {
    private Bookings() {}

    record Trip(String traveller, BigDecimal price, List<String> hotels) {}

    record Confirmation(String flight, List<String> rooms, Instant at) {}

    static final class CardDeclined extends Exception {
        private static final long serialVersionUID = 1L;
        final int code;

        CardDeclined(String message, int code) {
            super(message);
            this.code = code;
        }
    }

    static final class ApprovalTimedOut extends Exception {
        private static final long serialVersionUID = 1L;

        ApprovalTimedOut(String message) {
            super(message);
        }
    }

    @Activity(
            startToClose = "10s",
            retry =
                    @Retry(
                            maxAttempts = 3,
                            initialInterval = "1m",
                            backoff = 2.0,
                            maxInterval = "10m",
                            jitter = 0,
                            doNotRetry = CardDeclined.class))
    interface Agency {
        String charge(UUID payment, BigDecimal amount) throws CardDeclined;

        void refund(UUID payment);

        String flight(String traveller);

        String room(String hotel);
    }

    @Workflow
    static class TripWorkflow {
        private final Agency agency;
        private String status = "NEW";
        private String approvedBy;
        private final List<String> notes = new ArrayList<>();

        TripWorkflow(Agency agency) {
            this.agency = agency;
        }

        @Run
        Confirmation run(Trip trip) throws CardDeclined, ApprovalTimedOut {
            UUID payment = Durable.uuid();
            Durable.compensate(() -> agency.refund(payment));
            agency.charge(payment, trip.price());
            status = "CHARGED";
            if (trip.price().compareTo(new BigDecimal("1000")) > 0) {
                status = "WAITING";
                if (!Durable.await(Duration.ofDays(3), () -> approvedBy != null)) {
                    throw new ApprovalTimedOut(trip.traveller());
                }
            }
            status = "BOOKING";
            Promise<String> flight = Durable.async(() -> agency.flight(trip.traveller()));
            List<Promise<String>> rooms = new ArrayList<>();
            for (String hotel : trip.hotels()) {
                rooms.add(Durable.async(agency::room, hotel));
            }
            Confirmation confirmation = new Confirmation(flight.get(), Promise.all(rooms), Durable.now());
            status = "DONE";
            return confirmation;
        }

        @Signal
        void approve(String by) {
            approvedBy = by;
        }

        @Signal
        void note(String text) {
            notes.add(text);
        }

        @Query
        String status() {
            return status;
        }

        @Query
        List<String> notes() {
            return notes;
        }
    }
}
