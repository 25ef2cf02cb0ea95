package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Next;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Interceptors around calls and bodies, and the context that goes with them. */
@DurableTest
class InterceptionTest {
    private final Order order = new Order("42", new BigDecimal("64.50"));

    @AfterEach
    void clear() {
        MDC.clear();
    }

    // docs: interceptor
    /** Refuses new orders at night, and says of each attempt how long it took. */
    static final class NightAndTimes implements ClientInterceptor, WorkerInterceptor {
        private final boolean night;
        private final List<String> times = new CopyOnWriteArrayList<>();

        NightAndTimes(boolean night) {
            this.night = night;
        }

        @Override
        public void start(StartCall call, Next next) {
            if (night && call.type().equals("OrderWorkflow")) {
                throw new IllegalStateException(
                        "no orders between 22:00 and 6:00, and " + call.workflowId() + " is one");
            }
            call.headers().put("placed-by", "web");
            next.proceed();
        }

        @Override
        public void activity(ActivityCall call, Next next) {
            long begun = System.nanoTime();
            try {
                next.proceed(); // throws what the body throws
            } finally {
                times.add(call.info().activity() + " " + (System.nanoTime() - begun) + " ns for "
                        + call.headers().get("placed-by"));
            }
        }
    }

    // docs: end

    @Test
    void anInterceptorSeesCallsAndBodiesAndMayRefuse(TestEngine engine) {
        NightAndTimes interceptor = new NightAndTimes(false);
        engine.register(OrderWorkflow.class, new StripePayments()).intercept(interceptor);
        var run = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        run.result();

        assertThat(interceptor.times)
                .hasSize(1)
                .allSatisfy(
                        time -> assertThat(time).startsWith("Payments.charge ").endsWith("ns for web"));
        try (TestEngine other = TestEngine.create()) {
            other.register(OrderWorkflow.class, new StripePayments()).intercept(new NightAndTimes(true));
            assertThatThrownBy(() -> other.client().start(OrderWorkflow.class, "order-43", w -> w.run(order)))
                    .hasMessage("no orders between 22:00 and 6:00, and order-43 is one");
        }
    }

    @Test
    void theTenantOfTheCallerIsThereInActivities() {
        List<@Nullable String> seen = new CopyOnWriteArrayList<>();
        InMemoryHistoryStore store = new InMemoryHistoryStore();
        StripePayments payments = new StripePayments();
        // docs: propagate
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(OrderWorkflow.class, payments)
                .propagate(ContextPropagator.mdc("tenant", "user"))
                // docs: end
                .intercept(new WorkerInterceptor() {
                    @Override
                    public void activity(ActivityCall call, Next next) {
                        seen.add(MDC.get("tenant"));
                        next.proceed();
                    }
                })
                // docs: propagate
                .start()) {
            MDC.put("tenant", "acme");
            var run = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(order));
            // docs: end
            MDC.clear();
            run.signal(w -> w.approve("ann"));
            run.result();
            assertThat(seen).containsOnly("acme");
            // docs: propagate
        }
        // docs: end
    }

    // docs: propagator
    /** Carries a tenant that the application keeps in a thread-local of its own. */
    static final class Tenants implements ContextPropagator {
        static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

        @Override
        public String name() {
            return "tenant"; // headers are called tenant.…
        }

        @Override
        public Map<String, String> capture() {
            String tenant = CURRENT.get();
            return tenant == null ? Map.of() : Map.of("id", tenant);
        }

        @Override
        public Scope restore(Map<String, String> context) {
            String before = CURRENT.get();
            CURRENT.set(context.get("id"));
            return () -> CURRENT.set(before);
        }
    }

    // docs: end

    @Test
    void aPropagatorOfTheApplicationsOwnIsBoundToTheThreadsOfItsCode(TestEngine engine) {
        List<@Nullable String> seen = new CopyOnWriteArrayList<>();
        engine.register(OrderWorkflow.class, new StripePayments())
                .propagate(new Tenants())
                .intercept(new WorkerInterceptor() {
                    @Override
                    public void activity(ActivityCall call, Next next) {
                        seen.add(Tenants.CURRENT.get());
                        next.proceed();
                    }
                });
        var run = engine.client()
                .start(OrderWorkflow.class, StartOptions.id("order-42").header("tenant.id", "acme"), w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        run.result();

        assertThat(seen).containsExactly("acme");
    }
}
