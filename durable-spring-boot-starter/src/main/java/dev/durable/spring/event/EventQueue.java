package dev.durable.spring.event;

import dev.durable.store.Thrown;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Takes events off the engine's threads: they wait here, in order, for one thread that publishes them. Full, it drops what
 * comes. Closed, it drops what waits.
 */
final class EventQueue implements DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(EventQueue.class);
    private static final int MOST = 1_000;

    private final BlockingQueue<Object> waiting = new ArrayBlockingQueue<>(MOST);
    private final AtomicLong dropped = new AtomicLong();
    private final Consumer<Object> publish;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("durable-events").unstarted(this::run);
    private volatile boolean closed;

    /** @param publish hands an event to its listeners */
    EventQueue(Consumer<Object> publish) {
        this.publish = publish;
    }

    EventQueue started() {
        thread.start();
        return this;
    }

    void add(Object event) {
        if (!waiting.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    private void run() {
        while (!closed) {
            try {
                Object event = waiting.take();
                long lost = dropped.getAndSet(0);
                if (lost > 0) {
                    log.warn(
                            "{} application events were dropped, as their listeners take longer than they come; what must"
                                    + " not be missed belongs into an activity",
                            lost);
                }
                publish(event);
            } catch (InterruptedException e) {
                // By destroy, or by a listener, which does not end what others hear.
                log.debug("interrupted while waiting for events");
            }
        }
    }

    private void publish(Object event) {
        try {
            publish.accept(event);
        } catch (Throwable e) {
            Thrown.quietly(() -> log.warn(
                    "a listener of {} failed, and the event is not told again",
                    event.getClass().getSimpleName(),
                    e));
        }
    }

    @Override
    public void destroy() {
        closed = true;
        thread.interrupt();
    }
}
