package dev.durable.client;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.StartOptions;
import dev.durable.declare.OptionsAtCallSite;
import java.time.Duration;
import java.time.Instant;

/**
 * What the options of a background job say to its activity: the priority, and that it expires, which for a job means that
 * it runs out of schedule-to-start. And how it is cancelled.
 *
 * @param now the store's time
 * @param start the options
 */
record JobOptions(Instant now, StartOptions start) {

    ActivityOptions over(ActivityOptions declared) {
        OptionsAtCallSite changes = new OptionsAtCallSite();
        // Whatever it declares: a job that is cancelled stays open until its attempt has ended.
        changes.cancellation(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED);
        Integer priority = start.priority();
        if (priority != null) {
            changes.priority(priority);
        }
        Instant expiresAt = start.expiresAt();
        if (expiresAt != null) {
            changes.scheduleToStart(shorter(untilExpiry(expiresAt), declared));
        }
        return changes.apply(declared);
    }

    private Duration untilExpiry(Instant expiresAt) {
        Duration left = Duration.between(now.plus(start.startDelay()), expiresAt);
        if (left.isNegative() || left.isZero()) {
            throw new IllegalArgumentException("job " + start.id() + " expires at " + expiresAt
                    + ", before it may begin (now " + now + ", delay " + start.startDelay()
                    + "): it would never run. Let it expire later, or leave it out.");
        }
        return left;
    }

    private static Duration shorter(Duration expiry, ActivityOptions declared) {
        Duration toStart = declared.scheduleToStart();
        return toStart != null && toStart.compareTo(expiry) < 0 ? toStart : expiry;
    }
}
