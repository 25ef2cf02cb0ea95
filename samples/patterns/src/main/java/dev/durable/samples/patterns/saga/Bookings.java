package dev.durable.samples.patterns.saga;

import dev.durable.Activity;
import dev.durable.Retry;
import java.util.UUID;

/** The systems that book flights, hotels and cars. */
@Activity(startToClose = "10s", retry = @Retry(maxAttempts = 5, doNotRetry = SoldOut.class))
public interface Bookings {
    /** Books once, however often it is called with the same booking. */
    String book(UUID booking, String what, String traveller) throws SoldOut;

    /** Cancels the booking; there may be none. */
    @Activity(retry = @Retry(maxAttempts = 100))
    void cancel(UUID booking);
}
