package dev.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that returns the state of a run to callers. It may not change state, wait, command or draw randomness.
 * It runs on a thread of the engine: its caller must hold no lock that it takes. One that does not return in time is
 * given up.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Query {
    /** The name in messages and histories; the method's name when empty. */
    String name() default "";

    /**
     * Whether the method answers all queries whose name no other query of the workflow has: {@code @Query(any = true)
     * Object other(String name, EncodedValues arguments)}. A workflow has one such method at the most. An answer that is
     * declared as {@code Object} is written by its own class, and read as the type that the caller says.
     */
    boolean any() default false;
}
