package dev.durable.replay;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/**
 * The run can't go on with the code as it is now: an {@code Error} came out of it, it blocks its thread or never comes
 * to a wait, recorded data does not fit its types, or it threw what says that it is wrong. The run stays open; a new deployment can mend it.
 */
public final class StalledException extends DurableException {
    private static final long serialVersionUID = 1L;

    StalledException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
