package dev.durable.declare;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;

/** Wording: signatures that no payload can carry. */
final class SignatureProblems {
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
                method, "has a " + culprit + within + " as " + place + ", which can't be stored", reason.wayOut());
    }
}
