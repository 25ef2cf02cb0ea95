package dev.durable.intercept;

/**
 * Wraps calls of an engine's client: starts, signals, updates, queries, cancels. Each method is called on the caller's thread, in
 * the caller's transaction where there is one, and does nothing but proceed unless it is overridden.
 *
 * <p>An exception refuses the call: the caller gets it as it is, and nothing was written if it was thrown before {@link
 * Next#proceed()}. Calls on many runs at once ({@code client.workflows()}, {@code client.jobs()}), {@code enqueueAgain} and
 * the calls of operators are not intercepted. So a refusal is a rule for an application's own code, and no security: a
 * program that can reach the database needs no client.
 */
public non-sealed interface ClientInterceptor extends Interceptor {

    /** Around the start of a run, of a background job, or of a batch of them. May change the headers that they get. */
    default void start(StartCall call, Next next) {
        next.proceed();
    }

    /** Around a signal. Signals have no headers: their handlers run in the context of the run. */
    default void signal(SignalCall call, Next next) {
        next.proceed();
    }

    /**
     * Around the sending of an update, until it is durable in the inbox of its run; its answer comes later. An update that
     * goes with a start passes {@link #start}. Updates have no headers, as signals have none.
     */
    default void update(SentUpdate call, Next next) {
        next.proceed();
    }

    /** Around a query. */
    default void query(QueryCall call, Next next) {
        next.proceed();
    }

    /** Around the request to cancel one run or job. */
    default void cancel(EndCall call, Next next) {
        next.proceed();
    }

    /** Around the termination of one run. */
    default void terminate(EndCall call, Next next) {
        next.proceed();
    }
}
