package dev.durable.internal.replay.call;

import dev.durable.RetryPolicy;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The type of a child, and how its outcome is read.
 *
 * @param call the call that starts it, for errors
 * @param type the name of its workflow type
 * @param names the names under which a history may have the type
 * @param taskQueue its queue, where the options name none
 * @param resultType the type as which its result is read
 * @param named exception types that come back as instances of their class
 * @param retry the retry policy of the type, over which the options go; null where it has none
 */
record ChildTarget(
        String call,
        String type,
        List<String> names,
        String taskQueue,
        Type resultType,
        List<Class<? extends Throwable>> named,
        @Nullable RetryPolicy retry) {}
