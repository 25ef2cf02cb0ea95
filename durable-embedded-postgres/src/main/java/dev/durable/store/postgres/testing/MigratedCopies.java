package dev.durable.store.postgres.testing;

import dev.durable.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes copies of a migrated database. From the second one that is asked for, the next is made in the background while the
 * tests run, so that its test need not wait for {@code CREATE DATABASE}. Thread-safe.
 */
final class MigratedCopies {
    private final Supplier<TestDatabase> copy;
    private final Executor background;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable CompletableFuture<TestDatabase> next;
    private boolean asked;
    private boolean closed;

    /**
     * @param copy makes one
     * @param background where the next is made
     */
    MigratedCopies(Supplier<TestDatabase> copy, Executor background) {
        this.copy = copy;
        this.background = background;
    }

    /** A thread for each copy, which does not keep the process alive. */
    static Executor daemons() {
        return task ->
                Thread.ofPlatform().daemon().name("durable-test-database").start(task);
    }

    /** A copy that no other test has. */
    TestDatabase take() {
        CompletableFuture<TestDatabase> ready = turn();
        if (ready == null) {
            return copy.get();
        }
        try {
            return ready.join();
        } catch (CompletionException e) {
            // A copy that the server refused in the background may succeed now, else the caller gets the exception.
            return copy.get();
        }
    }

    private @Nullable CompletableFuture<TestDatabase> turn() {
        lock.lock();
        try {
            CompletableFuture<TestDatabase> ready = next;
            next = asked && !closed ? CompletableFuture.supplyAsync(copy, background) : null;
            asked = true;
            return ready;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the copy that was made in advance and not taken. */
    void close() {
        CompletableFuture<TestDatabase> left;
        lock.lock();
        try {
            closed = true;
            left = next;
            next = null;
        } finally {
            lock.unlock();
        }
        if (left != null) {
            try {
                left.join().close();
            } catch (CompletionException | StoreUnavailableException e) {
                // It was not made, or the server has gone: there is nothing to drop.
            }
        }
    }
}
