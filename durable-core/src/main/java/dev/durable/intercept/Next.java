package dev.durable.intercept;

import java.util.Optional;

/** The rest of the chain behind an interceptor: the next interceptor, and in the end the call or the work itself. */
@FunctionalInterface
public interface Next {
    /**
     * Makes the call; returns when it is done: for a client's call, when it is durable or part of the caller's transaction.
     * Throws what comes out of it, also checked exceptions that the body of an activity throws: {@code catch (Exception e)}
     * gets them all.
     *
     * @throws IllegalStateException when it is called a second time, or after the interceptor has ended
     */
    void proceed();

    /**
     * How the work ended, once {@link #proceed()} has returned or thrown, where that is more than that it did so: of the turn
     * that closes a run, and of an attempt that had ended before its body.
     */
    default Optional<WorkEnd> end() {
        return Optional.empty();
    }
}
