package dev.durable.samples.snippets;

import dev.durable.Activity;
import dev.durable.Retry;
import java.math.BigDecimal;

/** The activities of the workflows of {@link WorkflowsTest}. */
@Activity(startToClose = "10s", retry = @Retry(maxAttempts = 3, initialInterval = "1s"))
interface Parcels {
    /** The price that a carrier asks for an order. */
    BigDecimal quote(String carrier, String order);

    /** A label; there is one for each order. */
    String label(String order);

    /** Makes a label worthless. */
    void scrap(String label);

    /** Returns whether the parcel has arrived. */
    boolean delivered(String label);

    /** Tells the customer something. */
    void tell(String text);
}
