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

    /** Calls its method on the implementation, which may be a proxy or a mock: gives what it gave, throws what it threw. */
    public @Nullable Object invoke(@Nullable Object[] arguments) throws Throwable {
        return activity.spec().invoke(implementation, arguments);
    }

    /** Whether it is one of the engine's own, which no user has registered. */
    public boolean isOfEngine() {
        return implementation.getClass().getPackageName().startsWith("dev.durable.internal.");
    }

    /** The exceptions that come back as themselves; of an activity that is not registered here, none are known. */
    public static Collection<Class<? extends Throwable>> named(Optional<ActivityBinding> binding) {
        return binding.map(there -> there.activity().spec().named()).orElse(List.of());
    }
}
