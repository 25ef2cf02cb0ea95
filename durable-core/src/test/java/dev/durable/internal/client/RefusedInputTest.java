package dev.durable.internal.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Input that a controller passes on unchecked is refused by one exception, which answers with 400, whatever is wrong
 * with the input.
 */
class RefusedInputTest {
    private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");

    @Activity
    interface Mail {
        void send();
    }

    @Workflow
    static class Order {
        @Run
        void run() {
            Durable.await(() -> false);
        }

        @Signal
        void close() {}
    }

    private final DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
            .register(Order.class)
            .activity(Mail.class, () -> {})
            .start();

    @AfterEach
    void close() {
        engine.close();
    }

    private static Map<String, Consumer<DurableClient>> refused() {
        Map<String, Consumer<DurableClient>> doors = new LinkedHashMap<>();
        for (String id : List.of("", " ", "x".repeat(513), "a\u0000b", "a\nb")) {
            String name = "id " + id.length() + (id.isBlank() ? " blank" : "");
            doors.put(name + " of a start", c -> c.startVoid(Order.class, id, Order::run));
            doors.put(name + " of a job", c -> c.enqueue(Mail.class, StartOptions.id(id), Mail::send));
            doors.put(name + " of a start by name", c -> c.start("Order", StartOptions.id(id)));
        }
        doors.put("timeout of zero", c -> c.startVoid(Order.class, some().runTimeout(Duration.ZERO), Order::run));
        doors.put(
                "negative timeout",
                c -> c.startVoid(Order.class, some().executionTimeout(Duration.ofDays(-1)), Order::run));
        doors.put("negative delay", c -> c.startVoid(Order.class, some().startDelay(Duration.ofDays(-1)), Order::run));
        doors.put(
                "endless delay", c -> c.startVoid(Order.class, some().startDelay(Duration.ofDays(90_000)), Order::run));
        doors.put("start that has expired", c -> c.startVoid(Order.class, some().expiresAt(PAST), Order::run));
        doors.put("job that has expired", c -> c.enqueue(Mail.class, some().expiresAt(PAST), Mail::send));
        doors.put("signal that there is not", c -> c.handle(Order.class, "open").signal("opne"));
        doors.put("signal to a job", c -> c.handle("job").signal("close"));
        doors.put("pause of a job", c -> c.handle("job").pause());
        doors.put("job that is a workflow", c -> c.job("open"));
        doors.put("workflow enqueued again", c -> c.enqueueAgain("open"));
        doors.put("queue that there is not", c -> c.queues().pause("unheard-of"));
        doors.put("activity that there is not", c -> c.queues().pauseActivity("Mail.sned"));
        doors.put("pause until yesterday", c -> c.queues().pause("default", PAST));
        doors.put("blank queue", c -> c.queues().pause(" "));
        doors.put("limit of zero", c -> c.queues().limits("default", limits -> limits.concurrency(0)));
        doors.put("reason", c -> c.queues().because("a\u0007b"));
        doors.put("blank actor", c -> c.queues().by(" "));
        doors.put("token", c -> c.activity("nonsense"));
        doors.put("token of another kind", c -> c.activity("bm9uc2Vuc2U"));
        doors.put("time of a job", c -> c.job("job").control().reschedule(PAST));
        doors.put("timeout of a job", c -> c.job("job").control().updateTimeout(Duration.ZERO));
        doors.put("negative count", c -> c.workflows().count(-1));
        doors.put("page", c -> c.workflows().page(-1));
        doors.put("place of a page", c -> c.workflows().page(1, "nonsense"));
        return doors;
    }

    private static StartOptions some() {
        return StartOptions.id("new");
    }

    @TestFactory
    Stream<DynamicTest> input_that_can_not_be_taken_is_refused_as_input() {
        DurableClient client = engine.client();
        client.startVoid(Order.class, "open", Order::run);
        client.enqueue(Mail.class, StartOptions.id("job").startDelay(Duration.ofHours(1)), Mail::send);
        return refused().entrySet().stream()
                .map(door -> DynamicTest.dynamicTest(
                        door.getKey(),
                        () -> assertThatThrownBy(() -> door.getValue().accept(client))
                                .isInstanceOf(RefusedInputException.class)));
    }
}
