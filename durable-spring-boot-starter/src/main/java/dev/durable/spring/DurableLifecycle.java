package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.PreparedEngine;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the workers of a context begin when all its beans are there, before the web server takes requests, and drain after it
 * has stopped, before the DataSource closes. Started and stopped as any lifecycle bean: a context that is paused (as those
 * that Spring keeps for other tests), or is checkpointed, drains its worker, and gets a new one when it goes on.
 *
 * <p>With {@code durable.worker.auto-startup=false} the worker begins when {@link #start} is called.
 */
public final class DurableLifecycle implements SmartLifecycle {
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final Supplier<Collection<DurableEngine>> engines;
    private final boolean autoStartup;
    private volatile List<DurableEngine> started = List.of();
    private volatile boolean running;

    DurableLifecycle(Supplier<Collection<DurableEngine>> engines, boolean autoStartup) {
        this.engines = engines;
        this.autoStartup = autoStartup;
    }

    @Override
    public void start() {
        started = List.copyOf(engines.get());
        for (DurableEngine engine : started) {
            if (engine instanceof PreparedEngine prepared) {
                prepared.work();
            }
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        RuntimeException failure = null;
        for (DurableEngine engine : started) {
            try {
                stop(engine);
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void stop(DurableEngine engine) {
        if (engine instanceof LateEngine late) {
            late.suspend();
        } else {
            engine.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    /** An engine of the application's own that is closed does not begin again. */
    @Override
    public boolean isPauseable() {
        return started.stream().allMatch(LateEngine.class::isInstance);
    }

    /** Before the web server starts, after it stops. */
    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Ends the claims before the web server begins to drain, so that other processes get the work at once. */
    SmartLifecycle beforeDrain() {
        return new BeforeDrain();
    }

    private final class BeforeDrain implements SmartLifecycle {
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            for (DurableEngine engine : started) {
                if (engine instanceof PreparedEngine prepared) {
                    prepared.claimNoMore();
                }
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public boolean isPauseable() {
            return DurableLifecycle.this.isPauseable();
        }

        /** The last to start, the first to stop: Boot drains its web server at 1024 below. */
        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE;
        }
    }
}
