package dev.durable.samples.patterns.saga;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import java.util.UUID;

// docs: pattern-saga
/** Books a flight, a hotel and a car, or cancels what it has booked. */
@Workflow
public class TripWorkflow {
    private final Bookings bookings;

    TripWorkflow(Bookings bookings) {
        this.bookings = bookings;
    }

    public record Trip(String flight, String hotel, String car) {}

    @Run
    public Trip run(String traveller) throws SoldOut {
        return new Trip(book("flight", traveller), book("hotel", traveller), book("car", traveller));
    }

    private String book(String what, String traveller) throws SoldOut {
        UUID booking = Durable.uuid(); // chosen here, so it can be cancelled although no answer came
        Durable.compensate(() -> bookings.cancel(booking)); // before the call, which may book and fail all the same
        return bookings.book(booking, what, traveller);
    }
}
// docs: end
