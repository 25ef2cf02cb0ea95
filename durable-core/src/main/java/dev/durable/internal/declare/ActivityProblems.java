package dev.durable.internal.declare;

import dev.durable.internal.declare.object.GeneratedClasses;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problem;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The error texts about activity types and their implementations. */
final class ActivityProblems {
    private ActivityProblems() {}

    static Problem empty(Class<?> type) {
        return Problem.of(
                type,
                "is an @Activity type without activities",
                type.isInterface()
                        ? "Declare an abstract method: default and static methods run in the workflow"
                        : "Make the methods that do the work public");
    }

    static Problem noActivity(Method method) {
        String kind = method.isDefault()
                ? "a default method, which runs in the workflow"
                : Modifier.isStatic(method.getModifiers()) ? "static" : "not public";
        return Problem.of(
                method,
                "is annotated @Activity and is " + kind + ", so it is no activity",
                method.isDefault()
                        ? "Make it abstract, or remove the annotation"
                        : "Make it a public instance method, or remove the annotation");
    }

    static Problem finalMethod(Method method) {
        return Problem.of(
                method,
                "is final, so a stub would run it in the workflow instead of scheduling an activity",
                "Make it non-final (Kotlin: open), or put @Activity on an interface that the class implements");
    }

    static Problem overloaded(Method method, Method other, String name) {
        return Problem.of(
                method,
                "is overloaded: " + Problem.shortName(other) + " is activity \"" + name + "\" too, and histories know"
                        + " activities by name",
                "Rename one, or give it a name of its own: @Activity(name = \"" + name + "2\")");
    }

    static Problem annotatedTwice(Class<?> implementation, Class<?> type) {
        return Problem.of(
                implementation,
                "is annotated @Activity, and so is " + type.getTypeName() + ", which it implements",
                "Keep the annotation with its options on " + type.getSimpleName()
                        + ", the type that workflows inject, and remove it from the implementation");
    }

    static Problem optionsOnImplementation(Method method, Class<?> type) {
        return Problem.of(
                method,
                "has @Activity options on the implementation, where no workflow sees them",
                "Move them to " + type.getSimpleName() + "." + method.getName()
                        + ", the method of the type that workflows inject, or remove them");
    }

    static Problem noActivityType(Object instance) {
        Class<?> type = instance.getClass();
        String hint =
                Stream.of(type.getDeclaredMethods()).anyMatch(m -> m.isAnnotationPresent(dev.durable.Activity.class))
                        ? "Its methods are annotated, the type is not: annotate the interface or class itself with @Activity"
                        : "Annotate its class, or an interface that it implements, with @Activity";
        String proxy = GeneratedClasses.isGenerated(type)
                ? ". A proxy shows only what it was made for: " + names(MethodTable.lineage(type).stream())
                : "";
        return Problem.of(type, "is registered as an instance and is of no @Activity type", hint + proxy);
    }

    static Problem notAnActivityType(Class<?> type) {
        return Problem.of(
                type,
                "is used as an activity type and is not annotated",
                "Annotate it with @Activity: the interface or class that workflows inject");
    }

    static Problem classInsteadOfInstance(Class<?> type) {
        return Problem.of(
                type,
                "is an activity registered as a class: the object that does the work has to be made by the application",
                type.isInterface()
                        ? "Register an instance of an implementation: register(new My" + type.getSimpleName() + "(…))"
                        : "Register an instance: register(new " + type.getSimpleName() + "(…))");
    }

    static Problem notAnInstance(Class<?> type, Object implementation) {
        return Problem.of(
                implementation.getClass(),
                "is registered as the implementation of " + type.getTypeName() + " and is no instance of it",
                "Let it implement " + type.getSimpleName());
    }

    static Problem implementedTwice(Class<?> type, Object first, Object second) {
        return Problem.of(
                type,
                "has two implementations: " + first.getClass().getTypeName() + " and "
                        + second.getClass().getTypeName(),
                "Register one; use another @Activity type where both are meant to be called");
    }

    private static String names(Stream<Class<?>> types) {
        return types.map(Class::getTypeName).collect(Collectors.joining(", "));
    }
}
