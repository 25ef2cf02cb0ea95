package dev.durable.internal.declare;

import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.object.ObjectMethods;
import dev.durable.internal.declare.object.SentinelValues;
import dev.durable.internal.declare.type.MethodTable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The invocation handler that records the call which one lambda makes on an empty object. Used by one thread, and ended
 * when the lambda returns.
 */
final class Recording implements InvocationHandler {
    private static final @Nullable Object[] NONE = {};

    private final CallTable table;
    private final SentinelValues sentinels;
    private @Nullable Method first;
    private @Nullable Object[] arguments = NONE;
    private @Nullable Method second;
    private boolean over;

    Recording(CallTable table, SentinelValues sentinels) {
        this.table = table;
        this.sentinels = sentinels;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given) {
        if (table.find(method) == null && MethodTable.isOfObject(method)) {
            String description = "the " + table.type().getSimpleName() + " that calls are recorded on";
            return ObjectMethods.call(self, method, given == null ? NONE : given, description);
        }
        if (over) {
            throw new IllegalStateException(RecorderProblems.tooLate(table.type(), method));
        }
        if (first == null) {
            first = method;
            arguments = given == null ? NONE : given;
        } else if (second == null) {
            second = method;
        }
        return sentinels.of(method.getReturnType());
    }

    /** Ends the recording, as the lambda has returned. */
    void end() {
        over = true;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Returns the result type of the call in the view of its caller. */
    Class<?> result() {
        return seen().getReturnType();
    }

    /** Returns the call, once it is checked. */
    Recorded recorded() {
        CallTable.Callee callee = Objects.requireNonNull(table.find(seen()));
        return new Recorded(callee.name(), callee.method(), arguments);
    }

    /** Checks that the lambda made exactly one call, of that kind. */
    Recording check(CallKind kind) {
        if (first == null) {
            throw new IllegalArgumentException(RecorderProblems.noCall(table, kind));
        }
        if (second != null) {
            throw new IllegalArgumentException(RecorderProblems.severalCalls(table, first, second, kind));
        }
        CallTable.Callee callee = table.find(first);
        if (callee == null) {
            throw new IllegalArgumentException(RecorderProblems.noHandler(table, first, kind));
        }
        if (callee.kind() != kind) {
            throw new IllegalArgumentException(RecorderProblems.wrongKind(table, first, callee.kind(), kind));
        }
        if (callee.any()) {
            throw new IllegalArgumentException(RecorderProblems.ofAnyName(table, first, kind));
        }
        return this;
    }

    /** Checks that the lambda returned the value that its call seemed to return. */
    Recording checkUntouched(@Nullable Object returned) {
        if (!sentinels.isUntouched(result(), returned)) {
            throw new IllegalArgumentException(RecorderProblems.touched(table, seen(), returned));
        }
        return this;
    }

    /** Returns the error for a lambda that threw after its call. */
    IllegalArgumentException failed(Exception thrown) {
        return new IllegalArgumentException(RecorderProblems.failed(table, seen(), thrown), thrown);
    }

    private Method seen() {
        return Objects.requireNonNull(first);
    }
}
