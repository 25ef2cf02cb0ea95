package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.PreparedEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the worker begin when all beans are there, and drain before they go: after the web server has stopped taking
 * requests, before the DataSource closes.
 */
final class DurableLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(DurableLifecycle.class);

    private final DurableEngine engine;
    private final DurableScan scan;
    private volatile boolean running;

    DurableLifecycle(DurableEngine engine, DurableScan scan) {
        this.engine = engine;
        this.scan = scan;
    }

    @Override
    public void start() {
        scan.leftOut().forEach(reason -> log.info("left out: {}", reason));
        if (engine instanceof PreparedEngine prepared) {
            prepared.work();
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        engine.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A drained engine does not begin again: a context that is only paused (as the test cache does) keeps it. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Before the web server starts, after it stops. */
    @Override
    public int getPhase() {
        return SmartLifecycle.DEFAULT_PHASE - 4096;
    }
}
