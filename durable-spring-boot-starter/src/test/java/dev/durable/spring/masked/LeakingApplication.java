package dev.durable.spring.masked;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.RemoteException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.client.Alert;
import dev.durable.intercept.ContextPropagator;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.WorkflowClose;
import dev.durable.spring.DurableCustomizer;
import dev.durable.spring.event.AlertEvent;
import dev.durable.spring.event.DurableEvent;
import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application all of whose exceptions have secrets in them, and that has everything that tells of what happened. */
@SpringBootConfiguration
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import(LeakingApplication.Web.class)
class LeakingApplication {
    /** The secret that must be found nowhere. */
    static final String SECRET = "hunter2x7";

    private static final String JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyeDcifQ." + SECRET;

    /** As drivers, clients of HTTP and people write them. */
    static String leak(String where) {
        return where + ": password=" + SECRET + ", jdbc:postgresql://app:" + SECRET
                + "@db/orders, Authorization: Bearer " + JWT + ", <password>" + SECRET + "</password>, curl --token "
                + SECRET;
    }

    static IllegalStateException thrown(String where) {
        IllegalStateException thrown =
                new IllegalStateException(leak(where), new IllegalArgumentException(leak("cause of " + where)));
        thrown.addSuppressed(
                new RemoteException("com.acme.Failed token=" + SECRET, leak("suppressed by " + where), null));
        return thrown;
    }

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1ms", onExhausted = OnExhausted.INCIDENT))
    static class Leaks {
        final Queue<String> tokens = new ConcurrentLinkedQueue<>();

        public void incident() {
            throw thrown("incident");
        }

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        public void fail() {
            ActivityContext.current().heartbeat("details");
            ActivityContext.current().onCancel(() -> {});
            throw thrown("activity");
        }

        @Activity(local = true, retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        public void local() {
            throw thrown("local");
        }

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        public void remote() {
            throw new RemoteException(
                    "com.acme.Refused token=" + SECRET + "\n12:00 ERROR forged", leak("remote"), null);
        }

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        public void token() {
            tokens.add(ActivityContext.current().completeLater());
        }

        @Activity(startToClose = "100ms", retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        public void late() {
            ActivityContext.current().onCancel(() -> {
                throw thrown("cancel action");
            });
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw thrown("late");
            }
        }
    }

    /** How a run leaks. */
    enum Way {
        RUN,
        INCIDENT,
        FAIL,
        LOCAL,
        REMOTE,
        TOKEN,
        LATE,
        STALL,
        WAIT
    }

    @Workflow(stallOn = ArithmeticException.class)
    static class Leaking {
        private static final org.slf4j.Logger log = Durable.logger(Leaking.class);
        private final Leaks leaks;

        Leaking(Leaks leaks) {
            this.leaks = leaks;
        }

        @Run
        void run(Way way) {
            switch (way) {
                case RUN -> throw thrown("run");
                case INCIDENT -> leaks.incident();
                case FAIL -> leaks.fail();
                case LOCAL -> leaks.local();
                case REMOTE -> leaks.remote();
                case TOKEN -> leaks.token();
                case LATE -> leaks.late();
                case STALL -> throw new ArithmeticException(leak("stall"));
                case WAIT -> Durable.await(() -> false);
            }
            log.info("went");
        }

        @Signal
        void signal() {
            throw thrown("handler");
        }
    }

    static final class Spans implements SpanExporter {
        final Queue<SpanData> ended = new ConcurrentLinkedQueue<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            ended.addAll(spans);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    /** Collects the events of listeners and observers. */
    static final class Told {
        final Queue<String> all = new ConcurrentLinkedQueue<>();

        @EventListener
        void event(DurableEvent event) {
            all.add("event " + event);
            throw thrown("event listener");
        }

        @EventListener
        void alert(AlertEvent alert) {
            all.add("event " + alert);
        }

        void alert(Alert alert) {
            all.add("alert " + alert);
            throw thrown("alert listener");
        }
    }

    @RestController
    static class Web {
        @GetMapping("/away")
        void away() {
            throw new StoreUnavailableException(leak("controller"));
        }
    }

    @Bean(destroyMethod = "close")
    TestDatabase database() {
        return TestDatabase.migrated();
    }

    @Bean
    DataSource dataSource(TestDatabase database) {
        return database.pooledDataSource(12);
    }

    @Bean
    Leaks leaks() {
        return new Leaks();
    }

    @Bean
    Told told() {
        return new Told();
    }

    @Bean
    Spans spans() {
        return new Spans();
    }

    @Bean
    SimpleSpanProcessor processor(Spans spans) {
        return (SimpleSpanProcessor) SimpleSpanProcessor.create(spans);
    }

    @Bean
    SimpleMeterRegistry meters() {
        return new SimpleMeterRegistry();
    }

    @Bean
    DurableCustomizer listeners(Told told) {
        return builder -> builder.onAlert(told::alert)
                .propagate(ContextPropagator.mdc("tenant"))
                .observe((EngineObserver) java.lang.reflect.Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {EngineObserver.class},
                        (proxy, method, arguments) -> {
                            told.all.add("observer " + method.getName() + " "
                                    + (arguments == null ? List.of() : List.of(arguments)));
                            return switch (method.getName()) {
                                case "takes", "wantsQueueSamples" -> true;
                                case "equals" -> false;
                                case "hashCode" -> 7;
                                case "toString" -> "observer";
                                default -> {
                                    if (arguments != null && arguments[0] instanceof WorkflowClose) {
                                        throw thrown("observer");
                                    }
                                    yield null;
                                }
                            };
                        }));
    }
}
