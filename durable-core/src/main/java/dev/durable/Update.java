package dev.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that handles an update, a message that changes the state of a run and has an answer. It may wait and
 * call activities; its caller gets what it returns, or the exception that it throws, and the run goes on in both cases.
 *
 * <pre>{@code
 * @Update
 * public Address changeAddress(Address next) { … }
 *
 * @Update.Validator("changeAddress")
 * void check(Address next) { … }      // throws to reject; a rejected update leaves no event
 * }</pre>
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Update {
    /** The name in messages and histories; the method's name when empty. */
    String name() default "";

    /**
     * Whether the method handles all updates whose name no other handler of the workflow has: {@code @Update(any = true)
     * Object other(String name, EncodedValues arguments)}. A workflow has one such method at the most, and no validator
     * judges for it.
     */
    boolean any() default false;

    /** The fate of this handler when {@code run} ends before the handler has returned. */
    HandlerUnfinishedPolicy unfinishedPolicy() default HandlerUnfinishedPolicy.WARN_AND_ABANDON;

    /**
     * Marks the method that judges an update before it is accepted. It has the update's parameters and throws any
     * exception to reject it. It runs as a query does: it may look at the state of the run, but neither change it nor
     * wait nor call {@code Durable}. It runs once, never on replay.
     */
    @Documented
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Validator {
        /** The name of the update that it judges. */
        String value();
    }
}
