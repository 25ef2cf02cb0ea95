package dev.durable.spring.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.beans.factory.DisposableBean;

/** A queue of events for each engine of the application, so that the events of one wait for no listener of another's. */
final class EventQueues implements DisposableBean {
    private final Set<EventQueue> open = ConcurrentHashMap.newKeySet();
    private final Consumer<Object> publish;

    /** @param publish hands an event to its listeners */
    EventQueues(Consumer<Object> publish) {
        this.publish = publish;
    }

    /** A queue for the engine of that schema. */
    EventQueue open(String schema) {
        open.removeIf(EventQueue::hasEnded);
        EventQueue queue = new EventQueue(schema, publish).started();
        open.add(queue);
        return queue;
    }

    @Override
    public void destroy() {
        open.forEach(EventQueue::close);
    }
}
