package dev.durable.internal.replay.call;

import dev.durable.ActivityOptions;
import dev.durable.history.Payload;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.type.MethodSpec;
import java.lang.reflect.Type;
import java.util.List;

/**
 * One call of an activity by workflow code: name, arguments, options, and how its outcome is decoded.
 *
 * @param name the activity
 * @param aliases former names, which the history may have
 * @param input its arguments as a JSON array
 * @param resultType the type as which its result is read
 * @param named exception types that come back as instances of their class
 * @param options the options merged from all levels
 */
record ActivityCall(
        String name,
        List<String> aliases,
        Payload input,
        Type resultType,
        List<Class<? extends Throwable>> named,
        ActivityOptions options) {

    static ActivityCall of(ActivityMethod activity, ActivityOptions options, Payload input) {
        MethodSpec spec = activity.spec();
        return new ActivityCall(activity.name(), activity.aliases(), input, spec.returnType(), spec.named(), options);
    }

    /** Creates the call of an activity that this code knows by name only. */
    static ActivityCall untyped(String name, Type resultType, ActivityOptions options, Payload input) {
        return new ActivityCall(name, List.of(), input, resultType, List.of(), options);
    }
}
