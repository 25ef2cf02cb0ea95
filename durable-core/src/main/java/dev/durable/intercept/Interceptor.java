package dev.durable.intercept;

/**
 * An object that {@link dev.durable.client.DurableEngine.Builder#intercept} takes: a {@link ClientInterceptor}, a
 * {@link WorkerInterceptor}, or one object that is both.
 */
public sealed interface Interceptor permits ClientInterceptor, WorkerInterceptor {

    /**
     * The interceptor that one engine calls: asked when that engine starts. This one, unless it needs to know the engine;
     * then one that does, of the same kinds, as several engines may be given the same interceptor.
     */
    default Interceptor in(InterceptedEngine engine) {
        return this;
    }
}
