package dev.durable.client;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.RetryableException;
import dev.durable.StaleAttemptException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt that the holder of its token completes, from any process: {@link ActivityContext#completeLater}.
 *
 * <p>A token is good for one attempt. When that is no longer the current one (it ended, timed out, was taken over; the run
 * closed), every call throws {@link StaleAttemptException}, and nothing was written. The same completion or
 * failure (by class and message) may be sent again, whatever has become of the activity since: a caller that got no
 * answer sends it
 * again. Thread-safe.
 */
public interface ExternalActivity {

    /** The activity completes with this value. */
    void complete(@Nullable Object value);

    /**
     * The attempt failed; what follows is decided as if the body had thrown this: by the retry policy, {@link RetryIf},
     * {@link RetryableException}, {@link OnExhausted}. With {@link DeferException} it is given back and no attempt is used.
     */
    void fail(Throwable failure);

    /**
     * The attempt lives, and this is how far it is; durable when this returns.
     *
     * @throws CancelledException when the workflow wants it to stop; the details are stored
     */
    void heartbeat(@Nullable Object details);

    /** The deadline becomes now + timeout, longer or shorter; recorded as {@code ActivityTimeoutUpdated}. */
    void updateTimeout(Duration timeout);
}
