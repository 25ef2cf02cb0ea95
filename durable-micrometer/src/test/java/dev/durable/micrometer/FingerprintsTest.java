package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.Interceptor;
import dev.durable.intercept.Next;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.testing.Store;
import dev.durable.testing.TestEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure of a small body is in one group, whatever is around the body. */
class FingerprintsTest {
    private static final String ONE =
            "Desk.book: java.lang.IllegalStateException at" + " dev.durable.micrometer.FingerprintsTest$RealDesk.book";

    @Activity(retry = @Retry(maxAttempts = 1))
    interface Desk {
        void book(String what);
    }

    static final class RealDesk implements Desk {
        @Override
        public void book(String what) {
            throw new IllegalStateException("full");
        }
    }

    /** The application's own, around all bodies. */
    static final class Audited implements WorkerInterceptor {
        @Override
        public void activity(ActivityCall call, Next next) {
            next.proceed();
        }
    }

    private final List<String> fingerprints = new ArrayList<>();
    private final Spans spans = new Spans();

    private static Desk proxied() {
        return (Desk) Proxy.newProxyInstance(
                Desk.class.getClassLoader(), new Class<?>[] {Desk.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(new RealDesk(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void production(Desk desk, boolean virtual, Interceptor... around) {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .activity(Desk.class, desk)
                .queue("default", queue -> queue.virtualThreads(virtual))
                .intercept(around)
                .start()) {
            fail(engine.client());
        }
    }

    private void testKit(Desk desk, Interceptor... around) {
        try (TestEngine engine = TestEngine.create(Store.MEMORY)) {
            engine.activity(Desk.class, desk).intercept(around);
            fail(engine.client());
        }
    }

    private void fail(DurableClient client) {
        client.enqueue(Desk.class, d -> d.book("train"));
        for (long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
                client.deadLetters().count() == 0 && System.nanoTime() < end; ) {
            Thread.onSpinWait();
        }
        fingerprints.add(client.deadLetters().page(1).getFirst().fingerprint());
        client.deadLetters().discard();
    }

    @Test
    void it_is_the_same_with_tracing_and_without_in_production_and_in_the_test_kit_on_each_kind_of_thread() {
        DurableTracing tracing = DurableTracing.of(spans.registry());
        production(new RealDesk(), false);
        production(new RealDesk(), true);
        production(new RealDesk(), false, tracing);
        production(new RealDesk(), true, new Audited(), tracing);
        testKit(new RealDesk());
        testKit(new RealDesk(), tracing, new Audited());

        assertThat(fingerprints).hasSize(6).containsOnly(ONE);
    }

    /** Its handler is a lambda of the application's own code, and stays; what the JDK generates around it does not. */
    @Test
    void a_proxy_around_the_body_adds_nothing_but_the_applications_own_handler() {
        production(proxied(), false);
        production(proxied(), true, DurableTracing.of(spans.registry()));

        assertThat(fingerprints)
                .hasSize(2)
                .containsOnly(ONE + " < dev.durable.micrometer.FingerprintsTest.lambda$proxied");
    }
}
