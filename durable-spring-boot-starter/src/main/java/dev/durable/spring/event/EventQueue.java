package dev.durable.spring.event;

import dev.durable.internal.text.Thrown;
import dev.durable.spring.Masked;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes an engine's events to the application's Spring listeners on a thread of its own, in order, so that no listener
 * holds up the engine. A full queue
 * drops events that come. Ended, it publishes the events that wait; closed, it drops them.
 */
final class EventQueue {
    private static final Logger log = LoggerFactory.getLogger(EventQueue.class);
    private static final int MOST = 1_000;
    /** Wakes the thread, which waits for events, when there are no more. */
    private static final Object END = new Object();

    private final BlockingQueue<Object> waiting = new ArrayBlockingQueue<>(MOST);
    private final AtomicLong dropped = new AtomicLong();
    private final Consumer<Object> publish;
    private final String schema;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("durable-events").unstarted(this::run);
    private volatile boolean ending;
    private volatile boolean closed;

    /**
     * @param schema of the engine whose events they are, for the log
     * @param publish hands an event to its listeners
     */
    EventQueue(String schema, Consumer<Object> publish) {
        this.schema = schema;
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

    @SuppressWarnings("ReferenceEquality") // END is one object
    private void run() {
        while (!closed && !(ending && waiting.isEmpty())) {
            try {
                Object event = waiting.take();
                long lost = dropped.getAndSet(0);
                if (lost > 0) {
                    log.warn(
                            "{} application events{} were dropped, as their listeners take longer than they come; what must"
                                    + " not be missed belongs into an activity",
                            lost,
                            schema.isEmpty() ? "" : " of schema " + schema);
                }
                if (event != END) {
                    publish(event);
                }
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
                    Masked.exception(e)));
        }
    }

    boolean hasEnded() {
        return !thread.isAlive();
    }

    /** Nothing more comes: what waits is published, and its thread ends. */
    void end() {
        ending = true;
        // Where it is full, its thread sees behind the last event that this is the end.
        var unused = waiting.offer(END);
    }

    void close() {
        closed = true;
        thread.interrupt();
    }
}
