package dev.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a workflow: a class with exactly one {@link Run} method, or an interface that a class implements.
 *
 * <p>Its constructor takes {@link Activity} types only; they are injected as stubs. Its code must be deterministic:
 * time, randomness and waiting come from {@link Durable}, everything else from activities.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Workflow {
    /** The workflow type as it stands in histories; the simple class name when empty. */
    String name() default "";

    /** Former names under which open runs may still stand in the database. */
    String[] aliases() default {};

    /** The task queue its runs are dispatched on; {@code "default"} when empty. */
    String taskQueue() default "";
}
