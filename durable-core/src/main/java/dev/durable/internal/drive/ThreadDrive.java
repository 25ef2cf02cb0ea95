package dev.durable.internal.drive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The {@link Drive} of production: each step has a thread, and activity bodies run on thread pools. */
public final class ThreadDrive implements Drive {
    private static final long BREATH_NANOS = 5_000_000;
    /** For a loop that is closed after others have used up the time. */
    private static final Duration MOMENT = Duration.ofMillis(500);

    private static final Duration IDLE_THREADS_STAY = Duration.ofMinutes(1);

    /** The loops. Another loop reads them (the session's, which asks for progress) while more are added. */
    private final List<Loop> loops = new CopyOnWriteArrayList<>();

    private final List<Runnable> executors = new CopyOnWriteArrayList<>();
    private final UnaryOperator<Throwable> loggable;
    private final BlockedCallers waits = new BlockedCallers();
    private final AskedAside aside;
    private boolean started;

    /**
     * @param loggable removes what must not be logged from exceptions of its threads
     */
    public ThreadDrive(UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.aside = new AskedAside(loggable);
    }

    @Override
    public Runnable add(String name, Kind kind, Step step) {
        Loop loop = new Loop(name, step, kind == Kind.TURNS, loggable);
        loops.add(loop);
        if (started) {
            loop.start();
        }
        return loop::wake;
    }

    @Override
    public Executor activities(String taskQueue, boolean virtualThreads) {
        String name = "durable-activity-" + taskQueue + "-";
        Thread.Builder builder = (virtualThreads
                        ? Thread.ofVirtual()
                        : Thread.ofPlatform().daemon())
                .name(name, 0)
                .inheritInheritableThreadLocals(false);
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ThreadFactory threads = body -> {
            // An executor may start a thread from any thread, so the new one must not inherit that thread's inheritable
            // thread-locals.
            Thread thread = builder.unstarted(body);
            thread.setContextClassLoader(loader);
            return thread;
        };
        if (virtualThreads) {
            ExecutorService each = Executors.newThreadPerTaskExecutor(threads);
            executors.add(each::shutdownNow);
            return each;
        }
        BodyExecutor crew = new BodyExecutor(threads, IDLE_THREADS_STAY, loggable);
        executors.add(crew::close);
        return crew;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
        return aside.ask(question);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> askViews(Supplier<T> question) {
        return aside.askViews(question);
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        return waits.await(future, timeout);
    }

    @Override
    public void breathe() {
        LockSupport.parkNanos(BREATH_NANOS);
    }

    @Override
    public void start() {
        started = true;
        loops.forEach(Loop::start);
    }

    @Override
    public long nanosSinceProgress() {
        return loops.stream().mapToLong(Loop::nanosSinceProgress).max().orElse(0);
    }

    /**
     * Closes the loops in the reverse order of their addition, so that loops that feed others stop before them. All of
     * them together get the time of one, as a database that is away holds up each.
     */
    @Override
    public void close() {
        long end = System.nanoTime() + Loop.PATIENCE.toNanos();
        for (int i = loops.size() - 1; i >= 0; i--) {
            Duration left = Duration.ofNanos(end - System.nanoTime());
            loops.get(i).close(left.compareTo(MOMENT) > 0 ? left : MOMENT);
        }
        executors.forEach(Runnable::run);
        waits.close();
        aside.close();
    }
}
