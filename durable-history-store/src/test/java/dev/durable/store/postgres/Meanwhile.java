package dev.durable.store.postgres;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Runs the work of another process, on a thread of its own. */
public final class Meanwhile<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private Meanwhile(Supplier<T> work) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
    }

    public static <T> Meanwhile<T> of(Supplier<T> work) {
        return new Meanwhile<>(work);
    }

    boolean isDone() {
        return result.isDone();
    }

    public T get() {
        try {
            return result.get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
