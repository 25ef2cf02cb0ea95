package dev.durable.spring.test.slice;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.time.Duration;

/** Books a trip, and cancels it unless it is confirmed within three days. */
@Workflow
class TripWorkflow {
    private final Desk desk;
    private boolean confirmed;

    TripWorkflow(Desk desk) {
        this.desk = desk;
    }

    @Run
    String run(String trip) {
        String booking = desk.book(trip);
        if (Durable.await(Duration.ofDays(3), () -> confirmed)) {
            return booking;
        }
        desk.cancel(trip);
        return "cancelled";
    }

    @Signal
    void confirm() {
        confirmed = true;
    }
}
