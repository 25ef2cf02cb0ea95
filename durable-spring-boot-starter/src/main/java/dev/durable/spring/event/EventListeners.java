package dev.durable.spring.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * The kinds of events that have listeners, as was looked up within the last second: listeners may come later, of beans
 * that are lazy. A listener that takes everything, as Spring Boot's own do, does not count: for its sake nothing is
 * published.
 */
final class EventListeners {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AbstractApplicationContext context;
    private final LongSupplier nanoTime;
    private final Map<Class<?>, Look> looks = new ConcurrentHashMap<>();

    private record Look(boolean found, long at) {}

    EventListeners(AbstractApplicationContext context) {
        this(context, System::nanoTime);
    }

    /** @param nanoTime a monotonic clock */
    EventListeners(AbstractApplicationContext context, LongSupplier nanoTime) {
        this.context = context;
        this.nanoTime = nanoTime;
    }

    boolean listensTo(Class<?> kind) {
        long now = nanoTime.getAsLong();
        Look last = looks.get(kind);
        if (last == null || now - last.at() >= FRESH_NANOS) {
            last = new Look(look(kind), now);
            looks.put(kind, last);
        }
        return last.found();
    }

    private boolean look(Class<?> kind) {
        return context.getApplicationListeners().stream()
                .map(listener -> listener instanceof GenericApplicationListener generic
                        ? generic
                        : new GenericApplicationListenerAdapter(listener))
                .anyMatch(listener -> takes(listener, kind) && !takes(listener, Nothing.class));
    }

    private static boolean takes(GenericApplicationListener listener, Class<?> payload) {
        return listener.supportsEventType(ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload));
    }

    /** An event that is never published. */
    private static final class Nothing {}
}
