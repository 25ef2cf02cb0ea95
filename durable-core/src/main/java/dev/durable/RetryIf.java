package dev.durable;

/**
 * Decides whether a failed attempt is worth another: {@code @Retry(retryIf = OnlyTimeouts.class)}. It can only end retries:
 * the policy's other limits hold as well. The worker that ran the attempt makes one with the constructor without arguments
 * for each question; one that can't be made, or that throws, is logged and says yes.
 */
@FunctionalInterface
public interface RetryIf {
    /**
     * Returns whether to try again.
     *
     * @param failure what the attempt threw
     * @param attempt the attempt that failed, from 1
     */
    boolean retry(Throwable failure, int attempt);
}
