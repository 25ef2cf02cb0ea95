package dev.durable.internal.attempt;

import dev.durable.ActivityContext;
import dev.durable.UsageException;
import org.jspecify.annotations.Nullable;

/** Holds the {@link ActivityContext} of the attempt that runs on the current thread. */
public final class CurrentActivity {
    private static final ThreadLocal<@Nullable ActivityContext> CURRENT = new ThreadLocal<>();

    private CurrentActivity() {}

    /** Returns the context of this thread. */
    public static ActivityContext get() {
        ActivityContext context = CURRENT.get();
        if (context == null) {
            throw new UsageException(
                    "ActivityContext.current() was called outside an activity."
                            + " Call it on the thread that runs the activity's method; a context may be handed to other threads.");
        }
        return context;
    }

    /** Sets or, with null, clears the context of this thread. */
    static void set(@Nullable ActivityContext context) {
        if (context == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(context);
        }
    }
}
