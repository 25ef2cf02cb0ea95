package dev.durable.testing;

import static dev.durable.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityOptions;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.internal.declare.OptionsAtCallSite;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A call by name means what the call by type means; run on each kind of store. */
abstract class CallsByNameTest {
    private static final Duration LONG = Duration.ofMinutes(9);

    @Activity(name = "Pay", startToClose = "7s", retry = @Retry(maxAttempts = 2, onExhausted = OnExhausted.FAIL))
    interface Pay {
        @Activity(atMostOnce = true, scheduleToClose = "2h", retry = @Retry(maxAttempts = 1), aliases = "OldPay.charge")
        String charge(String code);

        int total(int cents);
    }

    /** Knows the type. */
    @Workflow
    static class ByType {
        private final Pay pay;

        ByType(Pay pay) {
            this.pay = pay;
        }

        @Run
        String run(String way) {
            return switch (way) {
                case "stub" -> pay.charge("c");
                case "stub, async" -> Durable.async(pay::charge, "c").get();
                case "stub with options" ->
                    Durable.activities(Pay.class, o -> o.startToClose(LONG)).charge("c");
                default -> throw new AssertionError(way);
            };
        }
    }

    /** Knows names only; the type is registered with the engine and not injected. */
    @Workflow
    static class ByName {
        @Run
        String run(String way) {
            return switch (way) {
                case "name" -> Durable.activity("Pay.charge", String.class, "c");
                case "name, generic result" -> Durable.activity("Pay.charge", new TypeRef<String>() {}, "c");
                case "name, async" ->
                    Durable.async(() -> Durable.activity("Pay.charge", String.class, "c"))
                            .get();
                case "former name" -> Durable.activity("OldPay.charge", String.class, "c");
                case "name with options" ->
                    Durable.activity("Pay.charge", o -> o.startToClose(LONG), String.class, "c");
                case "name with options, generic result" ->
                    Durable.activity("Pay.charge", o -> o.startToClose(LONG), new TypeRef<String>() {}, "c");
                default -> throw new AssertionError(way);
            };
        }
    }

    /** Every way to call an activity: what does it and waits for its end, by the workflow id it is to have. */
    private static Map<String, Consumer<DurableClient>> ways() {
        Map<String, Consumer<DurableClient>> ways = new LinkedHashMap<>();
        List.of("stub", "stub, async", "stub with options")
                .forEach(way -> ways.put(way, client -> client.start(ByType.class, way, w -> w.run(way))));
        List.of(
                        "name",
                        "name, generic result",
                        "name, async",
                        "former name",
                        "name with options",
                        "name with options, generic result")
                .forEach(way -> ways.put(way, client -> client.start(ByName.class, way, w -> w.run(way))));
        ways.put("job", client -> client.enqueue(Pay.class, StartOptions.id("job"), pay -> pay.charge("c")));
        // What is delayed takes the way through the workflow of one activity, which knows it by name.
        ways.put(
                "delayed job",
                client -> client.enqueue(
                        Pay.class,
                        StartOptions.id("delayed job").startDelay(Duration.ofMinutes(1)),
                        pay -> pay.charge("c")));
        ways.put(
                "batch/0", client -> client.enqueueAll(Pay.class, StartOptions.id("batch"), List.of("c"), Pay::charge));
        return ways;
    }

    /** A body that fails when it begins for the first time, and answers the second time. */
    private static void set(TestEngine engine, AtomicInteger begun) {
        engine.register(ByType.class, ByName.class).activity(Pay.class, new Pay() {
            @Override
            public String charge(String code) {
                if (begun.incrementAndGet() == 1) {
                    throw new IllegalStateException("declined");
                }
                return code;
            }

            @Override
            public int total(int cents) {
                return cents;
            }
        });
    }

    @Test
    void what_is_at_most_once_begins_once_in_every_way_to_call_it(TestEngine engine) {
        AtomicInteger begun = new AtomicInteger();
        set(engine, begun);
        Map<String, Integer> bodies = new LinkedHashMap<>();
        Map<String, Integer> expected = new LinkedHashMap<>();
        ways().forEach((way, call) -> {
            begun.set(0);
            call.accept(engine.client());
            engine.advance(Duration.ofHours(3));
            bodies.put(way, begun.get());
            expected.put(way, 1);
        });
        assertThat(bodies).isEqualTo(expected);
    }

    @Test
    void every_way_to_call_it_records_the_same_options(TestEngine engine) {
        set(engine, new AtomicInteger());
        engine.configuration(Map.of(
                "durable.activities.Pay.methods.charge.schedule-to-close", "90m",
                "durable.activities.Pay.headers.tenant", "t1"));
        Map<String, ActivityOptions> recorded = new LinkedHashMap<>();
        ways().forEach((way, call) -> {
            call.accept(engine.client());
            engine.advance(Duration.ofHours(3));
            recorded.put(way, scheduled(engine.client().history(way)).options());
        });
        for (String way : List.of("job", "delayed job", "batch/0")) {
            ActivityOptions job = Objects.requireNonNull(recorded.remove(way));
            assertThat(job.cancellation())
                    .as("a cancelled job ends with its attempt")
                    .isEqualTo(WAIT_CANCELLATION_COMPLETED);
            assertThat(job)
                    .as(way)
                    .usingRecursiveComparison()
                    .ignoringFields("cancellation")
                    .isEqualTo(recorded.get("stub"));
        }
        ActivityOptions declared = recorded.get("stub");
        assertThat(declared.scheduleToClose()).as("configured").isEqualTo(Duration.ofMinutes(90));
        assertThat(declared.startToClose()).as("of the type").isEqualTo(Duration.ofSeconds(7));
        assertThat(declared.atMostOnce()).as("of the method").isTrue();
        ActivityOptions changed = recorded.get("stub with options");
        assertThat(changed.startToClose()).as("of the call").isEqualTo(LONG);
        recorded.forEach(
                (way, options) -> assertThat(options).as(way).isEqualTo(way.contains("options") ? changed : declared));
    }

    @Activity(local = true)
    interface Rates {
        double rate(long day, double factor);
    }

    @Workflow
    static class Local {
        @Run
        double run() {
            return Durable.activity("Rates.rate", Double.class, 7, 2);
        }
    }

    @Test
    void what_is_local_is_local_by_name_and_numbers_are_widened_as_in_java(TestEngine engine) {
        engine.register(Local.class).activity(Rates.class, (day, factor) -> day * factor);
        var h = engine.client().start(Local.class, "l-1", Local::run);
        assertThat(h.result()).isEqualTo(14.0);
        ActivityCompleted completed =
                h.history().events(ActivityCompleted.class).findFirst().orElseThrow();
        assertThat(Objects.requireNonNull(completed.local()).input().json()).isEqualTo("[7,2.0]");
        assertThat(h.history().events(ActivityScheduled.class)).isEmpty();
        Replayer.of(Local.class, Rates.class).replay(h.history());
    }

    @Activity
    interface Elsewhere {
        String ask(UUID about);
    }

    @Workflow
    static class Asking {
        @Run
        String run(UUID about) {
            return Durable.activity("Elsewhere.ask", o -> o.startToClose(LONG).header("a", "b"), String.class, about);
        }
    }

    @Test
    void who_does_not_know_the_type_gives_options_and_any_value_and_replays_what_others_recorded(TestEngine engine) {
        engine.register(Asking.class);
        var h = engine.client().start(Asking.class, "a-1", w -> w.run(new UUID(1, 2)));
        engine.settle();
        ActivityScheduled scheduled = scheduled(h.history());
        assertThat(scheduled.input().json()).isEqualTo("[\"00000000-0000-0001-0000-000000000002\"]");
        assertThat(scheduled.options())
                .isEqualTo(new OptionsAtCallSite()
                        .startToClose(LONG)
                        .header("a", "b")
                        .apply(ActivityOptions.DEFAULT));
        Replayer.of(Asking.class).replay(h.history());
        Replayer.of(Asking.class, Elsewhere.class).replay(h.history());
    }

    /** A replay compares what the code says, which is nothing of what the type declares. */
    @Test
    void a_replayer_need_not_know_the_types_that_were_called_by_name(TestEngine engine) {
        set(engine, new AtomicInteger(1));
        for (String way : List.of("name", "former name", "name with options")) {
            var h = engine.client().start(ByName.class, way, w -> w.run(way));
            assertThat(h.result()).isEqualTo("c");
            assertThat(scheduled(h.history()).options().atMostOnce()).isTrue();
            Replayer.of(ByName.class).replay(h.history());
        }
    }

    private static ActivityScheduled scheduled(History history) {
        return history.events(ActivityScheduled.class).findFirst().orElseThrow();
    }
}
