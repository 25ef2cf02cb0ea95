package dev.durable.internal.declare.type;

import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import org.jspecify.annotations.Nullable;

/** The error texts about signatures with types that can't be written as JSON. */
final class SignatureProblems {
    /** The place of the result of a method, in errors. */
    static final String RESULT = "result";

    private SignatureProblems() {}

    static Problem openVariable(Method method, Class<?> type, TypeVariable<?> variable, String place) {
        Object owner = variable.getGenericDeclaration();
        String declaring = owner instanceof Class<?> c ? c.getSimpleName() : "the method";
        String wayOut = owner instanceof Method
                ? "Replace " + variable + " by the type that is meant, or by Object for plain JSON"
                : owner == type
                        ? "Annotate a subtype that says what " + variable + " is, like \"interface Orders extends "
                                + type.getSimpleName() + "<Order>\""
                        : "Say it where " + type.getSimpleName() + " extends " + declaring + ": " + declaring
                                + "<Order>";
        return Problem.of(
                method,
                "has the open type variable " + variable + " of " + declaring + " in " + place
                        + ": what is stored can't be read back without its type",
                wayOut);
    }

    static Problem unserialisable(Method method, Type type, Unserialisable.Reason reason, String place) {
        String culprit = reason.type().getSimpleName();
        String within = type == reason.type() ? "" : " (within " + type.getTypeName() + ")";
        return Problem.of(
                method,
                "has a " + culprit + within + " as " + place + ", which can't be stored",
                place.equals(RESULT) && reason.wayOut().equals(Unserialisable.LATER)
                        ? returnIt(method)
                        : reason.wayOut());
    }

    private static String returnIt(Method method) {
        MethodTable.@Nullable Entry entry =
                MethodTable.of(method.getDeclaringClass()).find(method).orElse(null);
        if (entry != null && entry.annotation(Run.class) != null) {
            return "Return the value itself: a run may wait for as long as it takes (promise.get(), Durable.await), and callers"
                    + " that do not want to wait use handle.resultAsync()";
        }
        if (entry != null && entry.annotation(Signal.class) != null) {
            return "Return nothing: a signal has no answer";
        }
        if (entry != null && entry.annotation(Update.class) != null) {
            return "Return the value itself: a handler may wait for as long as it takes (promise.get(), Durable.await), and"
                    + " callers who do not want to wait use handle.startUpdate(…)";
        }
        if (entry != null && entry.annotation(Query.class) != null) {
            return "Answer from the state as it is: a caller that wants to wait for a change waits for the run's result";
        }
        return "Return the value: the workflow calls it with Durable.async(…)";
    }
}
