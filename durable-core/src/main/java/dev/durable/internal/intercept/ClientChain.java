package dev.durable.internal.intercept;

import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.EndCall;
import dev.durable.intercept.Interceptor;
import dev.durable.intercept.QueryCall;
import dev.durable.intercept.SentUpdate;
import dev.durable.intercept.SignalCall;
import dev.durable.internal.payload.Unchecked;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Passes calls of a client through the interceptors that are registered with its engine. */
public final class ClientChain {
    private final Chain<ClientInterceptor> chain;

    ClientChain(List<ClientInterceptor> interceptors) {
        this.chain = new Chain<>(interceptors);
    }

    ClientChain with(List<ClientInterceptor> more) {
        return new ClientChain(chain.with(more));
    }

    ClientChain in(UnaryOperator<Interceptor> engine) {
        return new ClientChain(chain.interceptors().stream()
                .map(one -> Interception.sameKind(ClientInterceptor.class, one, engine.apply(one)))
                .toList());
    }

    boolean isEmpty() {
        return chain.isEmpty();
    }

    <T extends @Nullable Object> T start(StartUnderWay call, Callable<T> start) {
        return pass("start", (interceptor, next) -> interceptor.start(call, next), start);
    }

    public void signal(Supplier<SignalCall> call, Runnable signal) {
        if (chain.isEmpty()) {
            signal.run();
            return;
        }
        SignalCall seen = call.get();
        pass("signal", (interceptor, next) -> interceptor.signal(seen, next), done(signal));
    }

    public <T> T update(Supplier<SentUpdate> call, Supplier<T> update) {
        if (chain.isEmpty()) {
            return update.get();
        }
        SentUpdate seen = call.get();
        return pass("update", (interceptor, next) -> interceptor.update(seen, next), update::get);
    }

    public <T extends @Nullable Object> T query(Supplier<QueryCall> call, Supplier<T> query) {
        if (chain.isEmpty()) {
            return query.get();
        }
        QueryCall seen = call.get();
        return pass("query", (interceptor, next) -> interceptor.query(seen, next), query::get);
    }

    public void cancel(Supplier<EndCall> call, Runnable cancel) {
        if (chain.isEmpty()) {
            cancel.run();
            return;
        }
        EndCall seen = call.get();
        pass("cancel", (interceptor, next) -> interceptor.cancel(seen, next), done(cancel));
    }

    public void terminate(Supplier<EndCall> call, Runnable terminate) {
        if (chain.isEmpty()) {
            terminate.run();
            return;
        }
        EndCall seen = call.get();
        pass("terminate", (interceptor, next) -> interceptor.terminate(seen, next), done(terminate));
    }

    private static Callable<@Nullable Void> done(Runnable call) {
        return () -> {
            call.run();
            return null;
        };
    }

    /**
     * Makes a call. The caller gets the exception that comes out of the interceptors, and the exception of the call
     * also where an interceptor swallows it.
     */
    @SuppressWarnings("NullAway") // the result of a T that may be null
    private <T extends @Nullable Object> T pass(String method, Chain.Layer<ClientInterceptor> layer, Callable<T> call) {
        Chain.Passed<T> passed = chain.pass(method, layer, call);
        Throwable thrown = passed.outer() == null ? passed.inner() : passed.outer();
        if (thrown != null) {
            throw Unchecked.<RuntimeException>raise(thrown);
        }
        return passed.result();
    }
}
