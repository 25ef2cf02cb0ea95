package dev.durable;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by an activity that knows more than its policy: this attempt failed, so many attempts remain, and the next one
 * starts then. Found in the cause chain too.
 *
 * <pre>{@code
 * throw new RetryableException("the bank is closed", e).remainingAttempts(2).nextDelay(Duration.ofHours(8));
 * }</pre>
 */
public class RetryableException extends DurableException {
    private static final long serialVersionUID = 1L;

    private @Nullable Integer remaining;
    private @Nullable Duration delay;

    public RetryableException(String message) {
        super(message);
    }

    public RetryableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * How many attempts may follow this one, instead of what the policy would allow, more or fewer; recorded, so that it
     * holds for the attempts that follow. 0 or less: none, the activity is exhausted.
     */
    public RetryableException remainingAttempts(int attempts) {
        remaining = attempts;
        return this;
    }

    /**
     * When the next attempt may start, instead of what the policy says; zero is at once.
     *
     * @throws IllegalArgumentException when it is negative, or longer than a hundred years
     */
    public RetryableException nextDelay(Duration after) {
        delay = WaitBounds.notNegative("RetryableException.nextDelay", after);
        return this;
    }

    /** As set; empty leaves it to the policy. */
    public OptionalInt remainingAttempts() {
        return remaining == null ? OptionalInt.empty() : OptionalInt.of(remaining);
    }

    /** As set; empty leaves it to the policy. */
    public Optional<Duration> nextDelay() {
        return Optional.ofNullable(delay);
    }
}
