package dev.durable.client;

import org.jspecify.annotations.Nullable;

/**
 * The run and the update that {@link DurableClient#updateWithStart} gives.
 *
 * @param workflow the run that has the update: the open one, or the one that was started with it
 * @param update the update; {@code update().result()} waits for its answer
 * @param <W> the workflow type
 * @param <R> what its run returns
 * @param <U> what the update returns
 */
public record UpdateWithStart<W, R extends @Nullable Object, U extends @Nullable Object>(
        WorkflowHandle<W, R> workflow, UpdateHandle<U> update) {}
