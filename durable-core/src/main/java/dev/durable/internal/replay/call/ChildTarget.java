package dev.durable.internal.replay.call;

import java.lang.reflect.Type;
import java.util.List;

/**
 * The type of a child, and how its outcome is read.
 *
 * @param call the call that starts it, for errors
 * @param type the name of its workflow type
 * @param names the names under which a history may have the type
 * @param taskQueue its queue, where the options name none
 * @param resultType the type as which its result is read
 * @param named exception types that come back as instances of their class
 */
record ChildTarget(
        String call,
        String type,
        List<String> names,
        String taskQueue,
        Type resultType,
        List<Class<? extends Throwable>> named) {}
