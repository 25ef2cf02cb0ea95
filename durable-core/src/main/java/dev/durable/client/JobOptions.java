package dev.durable.client;

import dev.durable.ActivityOptions;
import dev.durable.StartOptions;
import dev.durable.declare.ActivityMethod;
import dev.durable.declare.BackgroundOptions;
import dev.durable.declare.OptionsAtCallSite;
import dev.durable.history.EnqueuedOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * What the options of a background job say to its activity: what was chosen for it, its priority, and that it expires, which
 * for a job means that it runs out of schedule-to-start.
 *
 * @param resolved all options, as this process knows them
 * @param chosen what of them was chosen for this job: the rest is that of the worker which begins it
 */
record JobOptions(ActivityOptions resolved, EnqueuedOptions chosen) {

    /**
     * @param now the store's time
     * @throws IllegalArgumentException when they do not fit together, or the activity
     */
    static JobOptions of(ActivityMethod activity, StartOptions start, Instant now) {
        OptionsAtCallSite changes = new OptionsAtCallSite();
        Integer priority = start.priority();
        if (priority != null) {
            changes.priority(priority);
        }
        start.activity().accept(changes);
        ActivityOptions options = changes.apply(BackgroundOptions.of(activity));
        if (options.local()) {
            throw new IllegalArgumentException("job " + start.id()
                    + ": local(true) is for calls from workflows: a local activity has no job. Leave it out.");
        }
        ActivityMethod.checkHeartbeat(activity.name(), activity.checked(options), null);
        Instant expiresAt = start.expiresAt();
        ActivityOptions bounded = expiresAt == null ? options : expiring(options, start, now);
        return new JobOptions(bounded, changes.chosen().expiringAt(expiresAt));
    }

    private static ActivityOptions expiring(ActivityOptions options, StartOptions start, Instant now) {
        OptionsAtCallSite bound = new OptionsAtCallSite();
        bound.scheduleToStart(shorter(untilExpiry(start, now), options));
        return bound.apply(options);
    }

    private static Duration untilExpiry(StartOptions start, Instant now) {
        Instant expiresAt = Objects.requireNonNull(start.expiresAt());
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
