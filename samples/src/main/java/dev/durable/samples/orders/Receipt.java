package dev.durable.samples.orders;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The document that the customer gets in the end.
 *
 * @param orderId the order
 * @param paid what was charged
 * @param authorization the payment provider's code of the charge
 * @param approvedBy who approved it; null where no approval was needed
 * @param tracking the carrier's number of the parcel
 * @param shippedAt when the carrier took it
 */
public record Receipt(
        String orderId,
        Money paid,
        String authorization,
        @Nullable String approvedBy,
        String tracking,
        Instant shippedAt) {}
