package dev.durable.internal.declare;

import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The error texts about lambdas that are not exactly one call. */
final class RecorderProblems {
    private RecorderProblems() {}

    static String noCall(CallTable table, CallKind kind) {
        return "The lambda on " + name(table)
                + " made no call that can be recorded (final and private methods and fields"
                + " can't be seen). Write exactly one call of " + kind.noun() + ": " + kind.example() + "."
                + choices(table, kind);
    }

    static String severalCalls(CallTable table, Method first, Method second, CallKind kind) {
        return "The lambda on " + name(table) + " called " + Problem.shortName(first) + " and then "
                + Problem.shortName(second) + ". A lambda stands for exactly one call, which is recorded and not run."
                + " Write one lambda per call, and compute arguments before it: " + kind.example() + ".";
    }

    static String wrongKind(CallTable table, Method method, CallKind seen, CallKind expected) {
        return "The lambda on " + name(table) + " called " + Problem.shortName(method) + ", which is " + seen.noun()
                + ", where " + expected.noun() + " is asked for. Write " + seen.example() + " to call it."
                + choices(table, expected);
    }

    static String noHandler(CallTable table, Method method, CallKind expected) {
        return "The lambda on " + name(table) + " called " + Problem.shortName(method)
                + ", which no client can call. Annotate it, or write exactly one call of " + expected.noun()
                + ": " + expected.example() + "." + choices(table, expected);
    }

    static String ofAnyName(CallTable table, Method method, CallKind kind) {
        String called = "The lambda on " + name(table) + " called " + Problem.shortName(method);
        return switch (kind) {
            case RUN ->
                called + ", which runs workflows of any type, and a lambda says no type. Start it by name:"
                        + " client.start(\"Type\", options, …).";
            case SIGNAL ->
                called + ", which handles messages of any name, and a lambda says no name. Send it by name:"
                        + " handle.signal(\"name\", …).";
            case QUERY ->
                called + ", which handles messages of any name, and a lambda says no name. Send it by name:"
                        + " handle.query(\"name\", Type.class, …).";
            case UPDATE ->
                called + ", which handles messages of any name, and a lambda says no name. Send it by name:"
                        + " handle.update(\"name\", Type.class, …).";
            case ACTIVITY -> throw new IllegalArgumentException("there is no " + kind + " of any name");
        };
    }

    static String touched(CallTable table, Method method, @Nullable Object returned) {
        if (method.getReturnType() == void.class) {
            return "The lambda on " + name(table) + " calls " + Problem.shortName(method)
                    + ", which returns nothing (Kotlin: Unit), where a result is asked for. Start it by startVoid(…) or"
                    + " signalWithStartVoid(…), update it by updateVoid(…).";
        }
        return "The lambda on " + name(table) + " does something with the result of " + Problem.shortName(method)
                + ": it returned " + returned + ". " + untouched(method);
    }

    static String failed(CallTable table, Method method, Exception thrown) {
        return "The lambda on " + name(table) + " does something after its call of " + Problem.shortName(method)
                + ": it threw " + Thrown.of(thrown).text() + ". " + untouched(method);
    }

    private static String untouched(Method method) {
        return "The call is recorded and not run, so there is no result yet. Write w -> w." + method.getName()
                + "(…) alone, and use what comes back from it.";
    }

    static String tooLate(Class<?> type, Method method) {
        return "The object that a lambda on " + type.getTypeName() + " gets was called after the lambda had returned: "
                + Problem.shortName(method) + ". It stands for one call and is good for nothing else:"
                + " do not keep it.";
    }

    private static String name(CallTable table) {
        return table.type().getTypeName();
    }

    private static String choices(CallTable table, CallKind kind) {
        String all = String.join(", ", table.ofKind(kind));
        return all.isEmpty()
                ? " " + table.type().getSimpleName() + " has none."
                : " " + table.type().getSimpleName() + " has " + all + ".";
    }
}
