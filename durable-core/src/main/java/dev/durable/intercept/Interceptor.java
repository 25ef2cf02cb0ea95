package dev.durable.intercept;

/**
 * What {@link dev.durable.client.DurableEngine.Builder#intercept} takes: a {@link ClientInterceptor}, a {@link
 * WorkerInterceptor}, or one object that is both.
 */
public sealed interface Interceptor permits ClientInterceptor, WorkerInterceptor {}
