package dev.durable;

/**
 * A call written as a lambda whose result is not asked for: recorded, never run.
 *
 * @param <T> the workflow or activity type it is a call of
 */
@FunctionalInterface
public interface VoidCall<T> {
    /** Makes exactly one call on the target. */
    void on(T target) throws Exception;
}
