package dev.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that handles a signal, a message that changes the state of a run. It may wait and call activities; its
 * return value is ignored.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Signal {
    /** The name in messages and histories; the method's name when empty. */
    String name() default "";

    /**
     * Whether the method handles all signals whose name no other handler of the workflow has: {@code @Signal(any = true)
     * void other(String name, EncodedValues arguments)}. A workflow has one such method at the most.
     */
    boolean any() default false;

    /** The fate of this handler when {@code run} ends before the handler has returned. */
    HandlerUnfinishedPolicy unfinishedPolicy() default HandlerUnfinishedPolicy.WARN_AND_ABANDON;
}
