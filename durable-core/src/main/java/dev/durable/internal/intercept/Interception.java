package dev.durable.internal.intercept;

import dev.durable.RefusedInputException;
import dev.durable.client.StartOptions;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.InterceptedEngine;
import dev.durable.intercept.Interceptor;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.internal.text.Bounds;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The interceptors and context propagators of an engine.
 *
 * @param client the interceptors around calls of its client
 * @param worker the interceptors around turns and attempts of its worker
 * @param context the propagators that carry context from callers to workflows and activities
 */
public record Interception(ClientChain client, WorkerChain worker, Propagation context) {
    public static final Interception NONE =
            new Interception(new ClientChain(List.of()), WorkerChain.NONE, Propagation.NONE);

    /**
     * Adds interceptors inside of the present ones. They are sorted by their interfaces; one interceptor may have both.
     */
    public Interception with(Interceptor... more) {
        return new Interception(
                client.with(only(ClientInterceptor.class, more)),
                worker.with(only(WorkerInterceptor.class, more)),
                context);
    }

    /**
     * Adds context propagators.
     *
     * @throws IllegalArgumentException where the name of a propagator is not allowed or is taken
     */
    public Interception with(ContextPropagator... more) {
        return new Interception(client, worker, context.with(List.of(more)));
    }

    /**
     * Returns the interception for one engine: each interceptor is asked once for the instance that this engine calls.
     */
    public Interception in(InterceptedEngine engine) {
        IdentityHashMap<Interceptor, Interceptor> known = new IdentityHashMap<>();
        UnaryOperator<Interceptor> ofEngine = one -> known.computeIfAbsent(one, asked -> asked.in(engine));
        return new Interception(client.in(ofEngine), worker.in(ofEngine), context);
    }

    /**
     * @throws IllegalStateException where an interceptor returns one of another kind
     */
    static <I extends Interceptor> I sameKind(Class<I> kind, I asked, Interceptor given) {
        if (!kind.isInstance(given)) {
            throw new IllegalStateException("interceptor " + asked.getClass().getName()
                    + " gave for this engine, in in(…), " + given + ", which is no " + kind.getSimpleName()
                    + " as itself is. Let in(…) give one of the same kinds, or this.");
        }
        return kind.cast(given);
    }

    private static <I> List<I> only(Class<I> kind, Interceptor... interceptors) {
        return Stream.of(interceptors).filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Returns whether there are interceptors or propagators around turns and attempts. */
    public boolean isOfWorkers() {
        return !worker.isEmpty() || !context.isEmpty();
    }

    /**
     * Starts a run, a job or a batch with the caller's context in its headers, through the interceptors.
     *
     * @param start starts it with the options that it gets, and returns the run, if that is known
     * @throws IllegalArgumentException where headers that were added do not fit
     */
    public @Nullable UUID start(StartedThing what, StartOptions options, Function<StartOptions, @Nullable UUID> start) {
        return start(what, options, start, run -> run);
    }

    /**
     * Starts a run, a job or a batch where the start returns more than the run.
     *
     * @param run returns the run that was started, if that is known
     */
    public <T extends @Nullable Object> T start(
            StartedThing what, StartOptions options, Function<StartOptions, T> start, Function<T, @Nullable UUID> run) {
        if (client.isEmpty() && context.isEmpty()) {
            return start.apply(options);
        }
        Map<String, String> captured = context.capture();
        StartUnderWay call = new StartUnderWay(what, options, captured);
        bounded(call.changed(), options, Bounds::notes);
        return client.start(call, () -> {
            T started = start.apply(bounded(call.changed(), options, Bounds::notesWithAdded));
            call.started(run.apply(started));
            return started;
        });
    }

    @FunctionalInterface
    private interface Check {
        void of(String what, Map<String, String> headers, Map<String, String> memo);
    }

    private static StartOptions bounded(StartOptions changed, StartOptions asked, Check check) {
        if (changed.headers().equals(asked.headers())) {
            return asked;
        }
        try {
            check.of("start of " + changed.id(), changed.headers(), changed.memo());
        } catch (RefusedInputException e) {
            throw new RefusedInputException(
                    e.getMessage() + " The start itself gave the headers " + sorted(asked.headers())
                            + "; interceptors and context propagators of this engine made of them "
                            + sorted(changed.headers()) + ".");
        }
        return changed;
    }

    private static List<String> sorted(Map<String, String> headers) {
        return headers.keySet().stream().map(Bounds::quoted).sorted().toList();
    }
}
