package dev.durable.internal.replay.coroutine;

import dev.durable.CancelledException;
import dev.durable.CompletablePromise;
import dev.durable.UsageException;
import dev.durable.internal.declare.type.GenericTypes;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A promise that the code of its run completes. Its source is in the scope of no coroutine, so that only its own {@code
 * cancel} cancels it.
 *
 * @param <T> the type of its result
 */
public final class ManualPromise<T extends @Nullable Object> extends DurablePromise<T>
        implements CompletablePromise<T> {
    private final PromiseHost run;
    private final Type type;

    public ManualPromise(PromiseHost run, Type type) {
        super(run);
        this.run = run;
        this.type = type;
        cancelledBy(new Source());
    }

    @Override
    public boolean complete(T value) {
        run.change("CompletablePromise.complete");
        Class<?> valueType =
                MethodType.methodType(GenericTypes.erase(type)).wrap().returnType();
        if (value != null && !valueType.isInstance(value)) {
            throw new UsageException("CompletablePromise.complete was given a "
                    + value.getClass().getName() + ", and "
                    + this + " takes a " + valueType.getName() + ". Usual cause: an unchecked cast, or a raw type."
                    + " Complete it with a value of that type, or make the promise for another one.");
        }
        return end(PromiseOutcome.success(value));
    }

    @Override
    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    public boolean fail(Throwable failure) {
        run.change("CompletablePromise.fail");
        if (failure == null) {
            throw new UsageException("CompletablePromise.fail was given null, and " + this
                    + " needs the exception that its get() throws. Use complete(null) for a result that is null.");
        }
        if (failure instanceof CancelledException cancelled) {
            boolean first = !isSettled();
            cancelled(cancelled);
            return first;
        }
        return end(PromiseOutcome.failure(failure));
    }

    private boolean end(PromiseOutcome<T> outcome) {
        boolean first = !isSettled();
        settle(outcome);
        return first;
    }

    private final class Source extends OpenOperation {
        @Override
        public void cancel(String why) {
            cancelled(new CancelledException(this + " was cancelled: " + why));
        }

        @Override
        public boolean shielded() {
            return true;
        }

        @Override
        public String toString() {
            return "Durable.newPromise(" + type.getTypeName().replaceAll("\\w+\\.", "") + ")";
        }
    }
}
