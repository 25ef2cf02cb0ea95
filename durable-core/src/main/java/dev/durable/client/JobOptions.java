package dev.durable.client;

import dev.durable.ActivityOptions;
import dev.durable.StartOptions;
import dev.durable.declare.OptionsAtCallSite;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the options of a background job say to its activity: the priority, and when it expires.
 *
 * @param now the store's time
 * @param start the options
 */
record JobOptions(Instant now, StartOptions start) {

    ActivityOptions over(ActivityOptions declared) {
        OptionsAtCallSite changes = new OptionsAtCallSite();
        Integer priority = start.priority();
        if (priority != null) {
            changes.priority(priority);
        }
        return changes.apply(declared).withExpiry(expiry());
    }

    /** As said, to the precision that databases keep. */
    private @Nullable Instant expiry() {
        Instant expiresAt = start.expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(now.plus(start.startDelay()))) {
            throw new IllegalArgumentException("job " + start.id() + " expires at " + expiresAt
                    + ", before it may begin (now " + now + ", delay " + start.startDelay()
                    + "): it would never run. Let it expire later, or leave it out.");
        }
        return expiresAt == null ? null : expiresAt.truncatedTo(ChronoUnit.MICROS);
    }
}
