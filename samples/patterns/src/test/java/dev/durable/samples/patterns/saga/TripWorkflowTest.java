package dev.durable.samples.patterns.saga;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.saga.TripWorkflow.Trip;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DurableTest
class TripWorkflowTest {
    private final Agency agency = new Agency();

    @Test
    void aTripHasAllThreeBookings(TestEngine engine) {
        assertThat(start(engine).result()).isEqualTo(new Trip("flight", "hotel", "car"));
        assertThat(agency.booked.values()).containsExactly("flight", "hotel", "car");
    }

    @Test
    void whereNoCarIsLeftHotelAndFlightAreCancelledInThisOrder(TestEngine engine) {
        agency.soldOut = "car";
        var trip = start(engine);

        assertThatThrownBy(trip::result).hasRootCauseInstanceOf(SoldOut.class).hasRootCauseMessage("no car is left");

        assertThat(agency.cancelled).containsExactly("hotel", "flight");
        assertThat(agency.booked).isEmpty();
    }

    @Test
    void aHotelThatWasBookedWithoutAnAnswerIsCancelled(TestEngine engine) {
        agency.silent = "hotel";
        var trip = start(engine);

        assertThatThrownBy(trip::result).hasRootCauseMessage("java.lang.IllegalStateException: no answer");

        assertThat(agency.cancelled).containsExactly("hotel", "flight");
        assertThat(agency.booked).isEmpty();
    }

    private WorkflowHandle<TripWorkflow, Trip> start(TestEngine engine) {
        engine.register(TripWorkflow.class).activity(Bookings.class, agency);
        return engine.client().start(TripWorkflow.class, "trip", w -> w.run("ann"));
    }

    /** Knows its bookings by their ids, sells out, and may keep silent about a booking that it has made. */
    private static class Agency implements Bookings {
        final Map<UUID, String> booked = new LinkedHashMap<>();
        final List<String> cancelled = new ArrayList<>();
        String soldOut = "";
        String silent = "";

        @Override
        public String book(UUID booking, String what, String traveller) throws SoldOut {
            if (what.equals(soldOut)) {
                throw new SoldOut(what);
            }
            booked.put(booking, what);
            if (what.equals(silent)) {
                throw new IllegalStateException("no answer");
            }
            return what;
        }

        @Override
        public void cancel(UUID booking) {
            if (booked.containsKey(booking)) {
                cancelled.add(booked.remove(booking));
            }
        }
    }
}
