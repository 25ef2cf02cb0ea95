package dev.durable.internal.declare;

import org.jspecify.annotations.Nullable;

/** The callback of a stub: invoked when one of its activities is called. */
@FunctionalInterface
public interface StubCall {
    /** Gives the result or throws what the activity threw. */
    @Nullable
    Object call(ActivityMethod activity, @Nullable Object[] arguments) throws Throwable;
}
