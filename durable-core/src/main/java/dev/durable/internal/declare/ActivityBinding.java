package dev.durable.internal.declare;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A registered activity together with the instance that implements it in this process.
 *
 * @param activity the activity
 * @param implementation the object whose method runs
 */
public record ActivityBinding(ActivityMethod activity, Object implementation) {

    /** The exceptions that come back as themselves; of an activity that is not registered here, none are known. */
    public static Collection<Class<? extends Throwable>> named(Optional<ActivityBinding> binding) {
        return binding.map(there -> there.activity().spec().named()).orElse(List.of());
    }
}
