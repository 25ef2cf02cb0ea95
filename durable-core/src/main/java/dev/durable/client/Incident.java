package dev.durable.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An activity that used up its attempts, or killed too many workers, and waits for an operator: an incident or a dead
 * letter, as {@link ActivitySummary#state()} tells.
 *
 * @param activity where it stands; its attempt is the one that an operator may allow
 * @param since when it became one
 * @param fingerprint the same for what failed alike: activity, type of failure, first frames of its own code
 * @param arguments what the next attempt would run with, a JSON array; null in a listing, which does not read them
 */
public record Incident(
        ActivitySummary activity,
        Instant since,
        String fingerprint,
        @Nullable String arguments) {
    @Override
    public String toString() {
        return "Incident[" + activity + ", since=" + since + ", fingerprint=" + fingerprint + "]";
    }
}
