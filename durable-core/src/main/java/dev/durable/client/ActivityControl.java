package dev.durable.client;

import dev.durable.ActivityOptionsBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One activity that has not ended, with the operations that an operator can apply to it. Every verb throws {@link
 * StaleAttemptException} when it has ended: nothing was written then. Thread-safe.
 *
 * <p>Verbs that give a boolean say whether anything changed; false is that it stands so already, or that it can't be done
 * in its state. See {@link ActivityQuery} for what each does.
 */
public interface ActivityControl {

    /** Names the operator, for events and audit; the identity of this process by default. */
    ActivityControl by(String actor);

    /** Where it stands. */
    ActivitySummary describe();

    boolean retry();

    boolean runNow();

    boolean reschedule(Instant at);

    boolean pause();

    boolean resume();

    void updateTimeout(Duration timeout);

    void updateOptions(Consumer<ActivityOptionsBuilder> change);

    void complete(@Nullable Object value);

    void fail(Throwable failure);

    boolean cancel(String reason);
}
