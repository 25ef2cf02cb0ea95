package dev.durable.internal.drive;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read the store for callers: a pool without a free connection, a lock or a dead connection may keep one
 * of these threads for long, while the caller goes on when the time of its call is over.
 *
 * <p>At most {@link #MOST} ask at once, and {@link #MOST_OF_VIEWS} the views; the questions of others wait in order. One whose caller gave up leaves the line, so
 * that no more wait than there are callers.
 */
final class AskedAside implements AutoCloseable {
    /** The most reads at once: more than pools usually have connections. */
    static final int MOST = 64;

    /** The most reads of views at once: listings are for operators, and a replica that hangs keeps so many threads. */
    static final int MOST_OF_VIEWS = 32;

    private static final Duration IDLE_THREADS_STAY = Duration.ofSeconds(30);

    /** How long a close waits for its threads; a thread that a dead connection keeps ends when the connection does. */
    private static final Duration LEAVING = Duration.ofSeconds(1);

    private final Set<Thread> made = ConcurrentHashMap.newKeySet();
    private final BodyExecutor threads;
    private final BoundedExecutor line;
    private final BoundedExecutor lineOfViews;
    private volatile boolean closed;

    /**
     * @param loggable removes what must not be logged from exceptions of its threads
     */
    AskedAside(UnaryOperator<Throwable> loggable) {
        Thread.Builder builder =
                Thread.ofPlatform().daemon().name("durable-call-", 0).inheritInheritableThreadLocals(false);
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ThreadFactory factory = task -> {
            Thread thread = builder.unstarted(() -> {
                try {
                    task.run();
                } finally {
                    made.remove(Thread.currentThread());
                }
            });
            thread.setContextClassLoader(loader);
            made.add(thread);
            return thread;
        };
        this.threads = new BodyExecutor(factory, IDLE_THREADS_STAY, loggable);
        this.line = new BoundedExecutor(threads, MOST, loggable);
        this.lineOfViews = new BoundedExecutor(threads, MOST_OF_VIEWS, loggable);
    }

    /** Returns the future answer; when the engine is closed, the question runs on the caller's own thread. */
    <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
        return ask(line, question);
    }

    /** Returns the future answer of a question to the views, which wait in a line of their own. */
    <T extends @Nullable Object> CompletableFuture<T> askViews(Supplier<T> question) {
        return ask(lineOfViews, question);
    }

    private <T extends @Nullable Object> CompletableFuture<T> ask(BoundedExecutor line, Supplier<T> question) {
        Question<T> asked = new Question<>(line, question);
        if (closed) {
            asked.run();
            return asked;
        }
        try {
            line.execute(asked);
        } catch (RejectedExecutionException e) {
            asked.run();
        }
        return asked;
    }

    /** Interrupts questions that have no answer yet. */
    @Override
    public void close() {
        closed = true;
        threads.close();
        long end = System.nanoTime() + LEAVING.toNanos();
        for (Thread thread : made) {
            try {
                if (thread.isAlive()) {
                    thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static final class Question<T extends @Nullable Object> extends CompletableFuture<T> implements Runnable {
        private final BoundedExecutor line;
        private final Supplier<T> question;

        Question(BoundedExecutor line, Supplier<T> question) {
            this.line = line;
            this.question = question;
        }

        @Override
        public void run() {
            if (isDone()) {
                return;
            }
            try {
                complete(question.get());
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            line.withdraw(this);
            return super.cancel(mayInterruptIfRunning);
        }
    }
}
