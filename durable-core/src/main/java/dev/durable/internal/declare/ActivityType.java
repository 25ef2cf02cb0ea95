package dev.durable.internal.declare;

import dev.durable.internal.declare.type.MethodTable;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An interface or class annotated as activities, with its activities by method, from which stubs are made. */
public final class ActivityType {
    private final Class<?> type;
    private final String name;
    private final List<ActivityMethod> methods;
    private final Map<Method, ActivityMethod> byMethod;

    ActivityType(Class<?> type, String name, List<ActivityMethod> methods) {
        this.type = type;
        this.name = name;
        this.methods = List.copyOf(methods);
        this.byMethod = byMethod(type, methods);
    }

    /**
     * Maps methods to activities, the methods that they override included: callers may know the stub by a supertype.
     */
    private static Map<Method, ActivityMethod> byMethod(Class<?> type, List<ActivityMethod> methods) {
        Map<Method, ActivityMethod> found = new HashMap<>();
        for (ActivityMethod activity : methods) {
            Method method = activity.spec().method();
            found.put(method, activity);
            MethodTable.of(type)
                    .find(method)
                    .ifPresent(entry -> entry.declarations().forEach(declared -> found.put(declared, activity)));
        }
        return found;
    }

    /** Returns the declared type, which workflows inject. */
    public Class<?> type() {
        return type;
    }

    /** Returns the name of the type, which is the first part of the names of its activities. */
    public String name() {
        return name;
    }

    public List<ActivityMethod> methods() {
        return methods;
    }

    /** Returns the activity of a declared method. */
    public ActivityMethod method(Method method) {
        ActivityMethod found = find(method);
        if (found == null) {
            throw new IllegalArgumentException(method + " is no activity of " + name);
        }
        return found;
    }

    /** Returns the activity of a declared method; null where the method is none. */
    @Nullable
    ActivityMethod find(Method method) {
        return byMethod.get(method);
    }
}
