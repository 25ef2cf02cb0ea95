package dev.durable.internal.declare;

import org.jspecify.annotations.Nullable;

/** The callback of a stub: invoked when one of its activities is called. */
@FunctionalInterface
public interface StubCall {
    /** Makes the call; returns the result of the activity or throws its exception. */
    @Nullable
    Object call(ActivityMethod activity, @Nullable Object[] arguments) throws Throwable;
}
