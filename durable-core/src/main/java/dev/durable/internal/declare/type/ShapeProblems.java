package dev.durable.internal.declare.type;

import dev.durable.internal.text.Thrown;

/**
 * The error texts about user types that Durable can't subclass or reach by reflection, as it has to for stubs of
 * activities and for recording calls such as {@code w -> w.run(order)}.
 */
public final class ShapeProblems {
    private ShapeProblems() {}

    public static Problem finalClass(Class<?> type) {
        return Problem.of(
                type,
                "is final, so there can be no subclass to record calls on or to inject as a stub",
                "Make it non-final (Kotlin: open; a record: a class), or annotate an interface that it implements"
                        + " instead of the class");
    }

    public static Problem sealed(Class<?> type) {
        return Problem.of(
                type,
                "is sealed, so there can be no generated subclass to record calls on or to inject as a stub",
                "Remove sealed and permits, or annotate an interface that is not sealed");
    }

    /** Describes a package that is not opened. Only classes need that: proxies of interfaces need nothing opened. */
    public static Problem notOpen(Class<?> type) {
        return Problem.of(
                type,
                "is a class of module " + type.getModule().getName() + ", which does not open its package to Durable",
                opens(type) + ", or annotate a public interface that the class implements");
    }

    public static Problem notGenerated(Class<?> type, Throwable cause) {
        return Problem.of(
                type,
                "can't be subclassed at run time: " + Thrown.of(cause).text(),
                "Annotate an interface that it implements instead of the class");
    }

    /** Describes a method or constructor that reflection may not access. */
    public static Problem notAccessible(Class<?> type, String member) {
        return new Problem(
                member,
                "is out of reach: it or its class is not public, or its package is not exported, and module "
                        + type.getModule().getName() + " does not open the package to Durable",
                opens(type) + ", or make class and member public in an exported package");
    }

    private static String opens(Class<?> type) {
        Module durable = ShapeProblems.class.getModule();
        return "Add \"opens " + type.getPackageName() + (durable.isNamed() ? " to " + durable.getName() : "")
                + ";\" to the module-info of " + type.getModule().getName();
    }
}
