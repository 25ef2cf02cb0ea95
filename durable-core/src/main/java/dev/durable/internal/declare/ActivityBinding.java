package dev.durable.internal.declare;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A registered activity together with the instance that implements it in this process.
 *
 * @param activity the activity
 * @param implementation the object whose method runs
 */
public record ActivityBinding(ActivityMethod activity, Object implementation) {

    /**
     * Calls the activity's method on the implementation, which may be a proxy or a mock; returns its result or throws
     * its exception, without a wrapper.
     */
    public @Nullable Object invoke(@Nullable Object[] arguments) throws Throwable {
        return activity.spec().invoke(implementation, arguments);
    }

    /** Returns whether the activity is the engine's own, which no application has registered. */
    public boolean isOfEngine() {
        return implementation.getClass().getPackageName().startsWith("dev.durable.internal.");
    }

    /**
     * Returns the exceptions that come back as instances of their own class; none are known of an activity that is not
     * registered here.
     */
    public static Collection<Class<? extends Throwable>> named(Optional<ActivityBinding> binding) {
        return binding.map(there -> there.activity().spec().named()).orElse(List.of());
    }
}
