package dev.durable.internal.declare;

import org.jspecify.annotations.Nullable;

/** Runs the method of an activity on what implements it here, which may be a proxy or a mock. */
public final class ActivityInvoker {
    private ActivityInvoker() {}

    /** Gives what the method gave, throws what it threw. */
    public static @Nullable Object invoke(ActivityBinding binding, @Nullable Object[] arguments) throws Throwable {
        return binding.activity().spec().invoke(binding.implementation(), arguments);
    }
}
