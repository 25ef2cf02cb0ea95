package dev.durable;

import dev.durable.client.DurableEngine;
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

    /**
     * Whether the class runs all workflow types that its engine registers no other class for: {@code @Run Object
     * run(EncodedValues arguments)}, started by name, {@code client.start("Approval", options, …)}. {@code
     * Durable.info().type()} is the type of the run. An engine has one such class at the most; it has neither name nor
     * aliases, and its task queue is that of all these types. A worker with one takes the runs of all types in the task
     * queues that it serves, so such a queue is served by workers that register the same types.
     */
    boolean any() default false;

    /**
     * Which builds of the code may go on with a run; {@link Versioning#AUTO_UPGRADE}, any build, when nothing is said. A
     * worker with a {@link Versioning#PINNED} workflow names its build ({@link DurableEngine.Builder#build}).
     */
    Versioning versioning() default Versioning.AUTO_UPGRADE;

    /** The task queue its runs are dispatched on; {@code "default"} when empty. */
    String taskQueue() default "";

    /**
     * Has a workflow run again when it fails, as another attempt with the same arguments; one attempt where nothing is
     * set. What is set goes under the options of a start ({@code StartOptions.retry}); what neither sets is that of {@link
     * RetryPolicy#DEFAULT}. {@code retryIf}, {@code onExhausted} and {@code maxWorkerCrashes} are for activities.
     */
    Retry retry() default @Retry;

    /**
     * Exceptions that stall a run instead of failing it, as they would be mistakes of the code: the run stays open, says
     * why, and goes on when code is deployed that does not throw. {@code stallOn = RuntimeException.class} for "what I did
     * not declare".
     *
     * <p>What {@link Run} or a {@link Signal} declares in its {@code throws} clause is an outcome and fails the run, unless
     * a narrower type is listed here. Exceptions of Durable ({@link ActivityFailedException}, {@link
     * WaitTimedOutException}, a cancellation) tell how something else ended and stall only where one of them, or {@link
     * DurableException}, is listed; {@link PayloadException}, a value that can't be written, counts as the code's own. A run
     * that is cancelled ends as cancelled in any case. {@link UsageException} and every {@link Error} always stall.
     *
     * <p>Empty: the types that the engine's builder was given ({@link DurableEngine.Builder#stallOn}). {@code stallOn =
     * UsageException.class} is "nothing else", where the builder was given more.
     */
    Class<? extends Throwable>[] stallOn() default {};
}
