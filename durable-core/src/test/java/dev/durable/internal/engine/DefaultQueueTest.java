package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The warning of a worker at its start about the default queue, which it does not serve because others are named. */
class DefaultQueueTest {

    @Workflow
    static class Greeting {
        @Run
        void run() {}
    }

    private final InMemoryHistoryStore store = new InMemoryHistoryStore();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger target = (Logger) LoggerFactory.getLogger(Engine.class);

    @BeforeEach
    void listen() {
        lines.start();
        target.addAppender(lines);
    }

    @AfterEach
    void stop() {
        target.detachAppender(lines);
    }

    private DurableEngine.Builder engine() {
        return DurableEngine.builder(store).register(Greeting.class).identity("shop-1");
    }

    private List<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void a_named_queue_while_default_is_served_by_nobody_is_a_warning() {
        engine().queue("mail", queue -> queue.slots(1)).start().close();

        assertThat(warnings())
                .containsExactly(
                        "shop-1 serves queues [mail] and not \"default\", and no other worker that is alive now"
                                + " serves it: workflows and background jobs that name no queue wait there. Usual cause: \"default\""
                                + " is served by itself only where no queue is named. Add .queue(\"default\", q -> …) here, or start"
                                + " the worker that serves it.");
    }

    @Test
    void nothing_is_said_where_default_is_served() {
        engine().start().close();
        try (DurableEngine others = engine().start();
                DurableEngine mail =
                        engine().queue("mail", queue -> queue.slots(1)).start()) {
            assertThat(others.healthy() && mail.healthy()).isTrue();
        }
        engine().clientOnly().start().close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void nothing_is_said_where_a_worker_of_an_older_release_may_serve_it() {
        store.openSession(UUID.randomUUID(), "older", Duration.ofMinutes(1));
        engine().queue("mail", queue -> queue.slots(1)).start().close();

        assertThat(warnings()).isEmpty();
    }
}
