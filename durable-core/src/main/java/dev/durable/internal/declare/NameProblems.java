package dev.durable.internal.declare;

import dev.durable.internal.declare.type.Kotlin;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.text.Bounds;
import java.lang.reflect.Method;

/** The error texts about names: invalid ones, and names that two declarations share. */
final class NameProblems {
    private NameProblems() {}

    static Problem badName(String where, String name) {
        return new Problem(
                where,
                "is named " + Bounds.quoted(name),
                "A name has 1 to " + Bounds.NAME + " characters, no control characters, and no blanks around it");
    }

    /**
     * Describes a name that would stand in histories and does not stand in the source.
     *
     * @param annotation the annotation that can set a name: {@code @Signal}
     */
    static Problem mangled(Method method, String annotation) {
        return Problem.of(
                method,
                "has the name " + Bounds.quoted(method.getName())
                        + ", which Kotlin's compiler made: from its types where one of them is a value"
                        + " class, from the module's name where it is internal. Histories know it by its name, and the next"
                        + " change of a type or of the build would give it another",
                "Name it: " + annotation + "(name = \"" + Kotlin.nameInSource(method)
                        + "\"), or that very name where runs have recorded it; or use @JvmName");
    }

    static Problem workflowTwice(String name, WorkflowType one, WorkflowType other) {
        return Problem.of(
                one.implementation(),
                "is the workflow type \"" + name + "\" by name or alias, and so is "
                        + other.implementation().getTypeName(),
                "Give one of them another name, @Workflow(name = \"…\"), or remove the alias");
    }

    static Problem activityTypeTwice(Class<?> type, Class<?> other, String name) {
        return Problem.of(
                type,
                "is the activity type \"" + name + "\", and so is " + other.getTypeName(),
                "Give one of them another name: @Activity(name = \"…\")");
    }

    static Problem activityTwice(String name, MethodSpec one, MethodSpec other) {
        return Problem.of(
                one.method(),
                "is the activity \"" + name + "\" by name or alias, and so is " + Problem.name(other.method()),
                "Give one of them another name or remove the alias");
    }
}
