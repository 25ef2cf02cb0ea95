package dev.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.observe.ActivityAttemptBegin;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.BatchWrite;
import dev.durable.observe.ClaimAnswer;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.TransitionWrite;
import dev.durable.observe.WorkflowClose;
import dev.durable.observe.WorkflowStart;
import dev.durable.store.RunKey;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

class ObserversTest {
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    private final EngineObserver breaks = new EngineObserver() {
        @Override
        public void heartbeatsWritten(int count) {
            throw new IllegalStateException("a mistake");
        }

        @Override
        public void workflowStarted(WorkflowStart start) {
            throw new IllegalStateException("a mistake");
        }
    };

    private final EngineObserver hears = new EngineObserver() {
        @Override
        public void heartbeatsWritten(int count) {
            heard.add("heartbeats " + count);
        }

        @Override
        public void workflowStarted(WorkflowStart start) {
            heard.add(start.workflowType() + " " + start.how() + " " + start.outcome());
        }

        @Override
        public void workflowClosed(WorkflowClose close) {
            heard.add(close.workflowId() + " " + close.status());
        }

        @Override
        public void engineClosed() {
            heard.add("closed");
        }
    };

    @Workflow
    static class Hello {
        @Run
        String run(String name) {
            return "hello " + name;
        }
    }

    @BeforeEach
    void listen() {
        lines.start();
        ((Logger) LoggerFactory.getLogger(EngineObserver.class)).addAppender(lines);
    }

    @AfterEach
    void leave() {
        ((Logger) LoggerFactory.getLogger(EngineObserver.class)).detachAppender(lines);
    }

    private final Tries tries = new Tries(System::nanoTime, UnaryOperator.identity());

    @Test
    void what_one_throws_is_kept_from_the_others_and_logged_once_a_minute() {
        EngineObserver all = Observers.of(List.of(breaks, hears), nanos::get, UnaryOperator.identity(), tries);

        all.heartbeatsWritten(1);
        all.heartbeatsWritten(2);
        nanos.addAndGet(Duration.ofSeconds(61).toNanos());
        all.heartbeatsWritten(3);

        assertThat(heard).containsExactly("heartbeats 1", "heartbeats 2", "heartbeats 3");
        assertThat(lines.list).hasSize(2);
        assertThat(lines.list.getFirst().getFormattedMessage())
                .startsWith("observer " + breaks.getClass().getName() + " threw")
                .contains("Usual cause", "once a minute");
    }

    @Test
    void an_engine_goes_on_whatever_its_observers_throw() {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Hello.class)
                .observe(breaks)
                .observe(hears)
                .start()) {
            assertThat(engine.client()
                            .start(Hello.class, "h-1", h -> h.run("you"))
                            .result())
                    .isEqualTo("hello you");
            engine.client().handle(Hello.class, "h-1").describe();
        }

        assertThat(heard).containsExactly("Hello DIRECT STARTED", "h-1 COMPLETED", "closed");
    }

    /** Throws as a library of another version does, or Kotlin, which declares no exception. */
    private static final class Hostile implements EngineObserver {
        private final Throwable thrown;

        Hostile(Throwable thrown) {
            this.thrown = thrown;
        }

        @Override
        public void attemptBegun(ActivityAttemptBegin begin) {
            raise(thrown);
        }

        @Override
        public void attemptEnded(ActivityAttemptEnd end) {
            raise(thrown);
        }

        @Override
        public void batchWritten(BatchWrite batch) {
            raise(thrown);
        }

        @Override
        public void transitionWritten(TransitionWrite transition) {
            raise(thrown);
        }

        @Override
        public void claimAnswered(ClaimAnswer claim) {
            raise(thrown);
        }

        @Override
        public boolean wantsQueueSamples() {
            raise(thrown);
            return true;
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <X extends Throwable> void raise(Throwable thrown) throws X {
            throw (X) thrown;
        }
    }

    @Activity
    static class Desk {
        public String stamp(String text) {
            return "stamped " + text;
        }
    }

    @Workflow
    static class Stamped {
        private final Desk desk;

        Stamped(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String text) {
            return desk.stamp(text);
        }
    }

    static List<Throwable> whatObserversThrow() {
        return List.of(
                new StackOverflowError(), new ServiceConfigurationError("no provider"), new IOException("undeclared"));
    }

    @ParameterizedTest
    @MethodSource("whatObserversThrow")
    void an_engine_goes_on_with_errors_and_undeclared_exceptions_of_observers_too(Throwable thrown) {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Stamped.class, new Desk())
                .observe(new Hostile(thrown))
                .start()) {
            assertThat(engine.client()
                            .start(Stamped.class, "s-1", s -> s.run("this"))
                            .result(Duration.ofSeconds(20)))
                    .isEqualTo("stamped this");
        }
    }

    @Test
    void each_event_is_told_to_each_observer() throws Exception {
        EngineObserver every = (EngineObserver) Proxy.newProxyInstance(
                EngineObserver.class.getClassLoader(), new Class<?>[] {EngineObserver.class}, (proxy, event, told) -> {
                    heard.add(event.getName());
                    return event.getReturnType() == boolean.class
                            ? event.getName().equals("takes")
                            : null;
                });
        EngineObserver all = Observers.of(List.of(every, every), nanos::get, UnaryOperator.identity(), tries);
        all.engineStarted(null);
        heard.clear();

        for (Method event : EngineObserver.class.getMethods()) {
            Object[] nothing = Stream.of(event.getParameterTypes())
                    .map(type -> type == int.class ? 0 : null)
                    .toArray();
            event.invoke(all, nothing);
        }

        for (Method event : EngineObserver.class.getMethods()) {
            assertThat(heard).as(event.getName()).contains(event.getName());
        }
        assertThat(heard.stream().filter("runEvicted"::equals)).hasSize(2);
    }

    @Test
    void an_engine_that_never_began_does_not_say_that_it_has_closed() {
        EngineObserver all = Observers.of(List.of(hears), nanos::get, UnaryOperator.identity(), tries);
        all.engineClosed();
        assertThat(heard).isEmpty();
    }

    @Test
    void without_observers_the_engine_has_the_bare_store_and_nothing_is_made() {
        InMemoryHistoryStore store = new InMemoryHistoryStore();
        EngineObserver nobody = Observers.of(List.of(), nanos::get, UnaryOperator.identity(), tries);
        Telemetry telemetry = new Telemetry(nobody, store.clock());

        assertThat(nobody).isSameAs(EngineObserver.NONE);
        assertThat(ObservedStore.around(store, nobody)).isSameAs(store);
        assertThat(telemetry.isObserved()).isFalse();
        assertThat(telemetry.replay(new RunKey(new UUID(0, 0), "r"), "Hello")).isSameAs(ReplaySpan.NONE);
    }
}
