package dev.durable.internal.intercept;

import dev.durable.intercept.Next;
import dev.durable.intercept.WorkEnd;
import dev.durable.internal.payload.Unchecked;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Passes one call through a list of interceptors, the first of them the outermost, and checks that each of them, before
 * it returns, proceeds once or throws.
 *
 * @param interceptors the interceptors, the outermost first
 * @param <I> the type of the interceptors
 */
record Chain<I>(List<I> interceptors) {

    Chain {
        interceptors = List.copyOf(interceptors);
    }

    /** Calls the method of an interceptor for this kind of call. */
    @FunctionalInterface
    interface Layer<I> {
        void call(I interceptor, Next next) throws Exception;
    }

    /**
     * The outcome of a call through the chain.
     *
     * @param reached whether the call itself was made
     * @param result the result of the call
     * @param inner the exception of the call
     * @param outer the exception of the outermost interceptor
     */
    record Passed<T extends @Nullable Object>(
            boolean reached,
            @Nullable T result,
            @Nullable Throwable inner,
            @Nullable Throwable outer) {}

    /** Returns the chain with these interceptors inside of its own. */
    List<I> with(List<I> more) {
        return Stream.concat(interceptors.stream(), more.stream()).toList();
    }

    boolean isEmpty() {
        return interceptors.isEmpty();
    }

    /**
     * Makes the call inside all interceptors.
     *
     * @param method the name of the interceptors' method, for errors
     */
    <T extends @Nullable Object> Passed<T> pass(String method, Layer<I> layer, Callable<T> call) {
        return pass(method, layer, call, () -> null);
    }

    /**
     * @param end returns how the call ended, asked when it has returned or thrown; null where result and exception say
     *     that already
     */
    <T extends @Nullable Object> Passed<T> pass(
            String method, Layer<I> layer, Callable<T> call, Supplier<@Nullable WorkEnd> end) {
        Innermost<T> innermost = new Innermost<>(call, end);
        Throwable outer = null;
        try {
            next(0, method, layer, innermost).proceed();
        } catch (Throwable e) {
            outer = e;
        }
        return new Passed<>(innermost.reached, innermost.result, innermost.thrown, outer);
    }

    private Next next(int index, String method, Layer<I> layer, Next innermost) {
        if (index == interceptors.size()) {
            return innermost;
        }
        I interceptor = interceptors.get(index);
        return () -> {
            Once once = new Once(interceptor, method, next(index + 1, method, layer, innermost), innermost);
            boolean proceeded;
            try {
                layer.call(interceptor, once);
            } catch (Exception e) {
                throw Unchecked.<RuntimeException>raise(e);
            } finally {
                proceeded = once.close();
            }
            if (!proceeded) {
                throw once.hasNotProceeded();
            }
        };
    }

    /** Makes the call itself and keeps its outcome, so that no interceptor can lose it. */
    private static final class Innermost<T extends @Nullable Object> implements Next {
        private final Callable<T> call;
        private final Supplier<@Nullable WorkEnd> end;
        private boolean reached;
        private @Nullable T result;
        private @Nullable Throwable thrown;

        Innermost(Callable<T> call, Supplier<@Nullable WorkEnd> end) {
            this.call = call;
            this.end = end;
        }

        @Override
        public Optional<WorkEnd> end() {
            return Optional.ofNullable(end.get());
        }

        @Override
        public void proceed() {
            reached = true;
            try {
                result = call.call();
            } catch (Throwable e) {
                thrown = e;
                throw Unchecked.<RuntimeException>raise(e);
            }
        }
    }

    /** Lets one interceptor proceed, once. */
    private static final class Once implements Next {
        private final Object interceptor;
        private final String method;
        private final Next next;
        private final Next work;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITS);

        private enum State {
            WAITS,
            PROCEEDED,
            ENDED
        }

        Once(Object interceptor, String method, Next next, Next work) {
            this.work = work;
            this.interceptor = interceptor;
            this.method = method;
            this.next = next;
        }

        @Override
        public void proceed() {
            switch (state.compareAndExchange(State.WAITS, State.PROCEEDED)) {
                case WAITS -> next.proceed();
                case PROCEEDED ->
                    throw new IllegalStateException(
                            "interceptor " + name() + " called next.proceed() a second time in " + method
                                    + "(…): a call is made once. What is to be tried again is tried again by the caller, or by"
                                    + " the retry policy of the activity.");
                case ENDED ->
                    throw new IllegalStateException("interceptor " + name() + " called next.proceed() after " + method
                            + "(…) had ended, so the call was not made: its caller has gone on. Usual cause: next was"
                            + " handed to another thread. Call it before the method returns or throws.");
            }
        }

        @Override
        public Optional<WorkEnd> end() {
            return work.end();
        }

        /** Refuses the call from now on; returns whether it was made. */
        boolean close() {
            return state.compareAndExchange(State.WAITS, State.ENDED) == State.PROCEEDED;
        }

        IllegalStateException hasNotProceeded() {
            return new IllegalStateException("interceptor " + name() + " returned from " + method
                    + "(…) without next.proceed(), so the call was not made. To refuse a call, throw an exception that"
                    + " says why; to let it pass, call next.proceed().");
        }

        private String name() {
            return interceptor.getClass().getName();
        }
    }
}
