package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityOptionsBuilder;
import dev.durable.DeferException;
import dev.durable.RetryAfterException;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each duration that can be given to an engine, a start or an attempt, tried with unusual values: it is refused where
 * it is given, with a text that names it, or it works.
 */
@Timeout(120)
class DurationsOfOptionsTest {
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration CENTURIES = Duration.ofDays(365L * 293);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final List<Duration> ODD = List.of(
            Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE), NANO, CENTURIES, FOR_EVER);

    @Activity
    interface Echo {
        String echo(String text);
    }

    @Workflow
    static class Caller {
        private final Echo echo;

        Caller(Echo echo) {
            this.echo = echo;
        }

        @Run
        String run(String text) {
            return echo.echo(text);
        }
    }

    private static DurableEngine.Builder builder() {
        return DurableEngine.builder(new InMemoryHistoryStore())
                .register(Caller.class)
                .activity(Echo.class, text -> text);
    }

    /** By the name that the refusal has to have: whether it is taken, for each odd duration. */
    private static void refusedOrTaken(Map<String, String> taken, BiConsumer<String, Duration> give) {
        Map<String, String> found = new LinkedHashMap<>();
        taken.keySet().forEach(name -> {
            StringBuilder how = new StringBuilder();
            for (Duration odd : ODD) {
                try {
                    give.accept(name, odd);
                    how.append('+');
                } catch (IllegalArgumentException e) {
                    assertThat(e.getMessage()).as("%s of %s", name, odd).containsIgnoringCase(name.split(" ", -1)[0]);
                    how.append('-');
                } catch (RuntimeException e) {
                    throw new AssertionError(name + " of " + odd + " is neither refused nor taken", e);
                }
            }
            found.put(name, how.toString());
        });
        assertThat(found).isEqualTo(taken);
    }

    /** Zero, less, least, a nanosecond, centuries, for ever. */
    @Test
    void options_of_an_engine() {
        Map<String, BiConsumer<DurableEngine.Builder, Duration>> options = Map.of(
                "drainTimeout", DurableEngine.Builder::drainTimeout,
                "sessionLease", DurableEngine.Builder::sessionLease,
                "cancelGrace", DurableEngine.Builder::cancelGrace,
                "pollInterval", DurableEngine.Builder::pollInterval,
                "callTimeout", DurableEngine.Builder::callTimeout,
                "dead letters", (b, d) -> b.keepDeadLetters(d, 10));
        Map<String, String> taken = new LinkedHashMap<>();
        taken.put("drainTimeout", "+--+++");
        taken.put("sessionLease", "------");
        taken.put("cancelGrace", "+--+++");
        taken.put("pollInterval", "------");
        taken.put("callTimeout", "------");
        taken.put("dead letters", "+--+++");
        refusedOrTaken(taken, (name, odd) -> {
            DurableEngine.Builder builder = builder();
            options.get(name).accept(builder, odd);
            try (DurableEngine engine = builder.start()) {
                WorkflowHandle<Caller, String> run = engine.client().start(Caller.class, "one", c -> c.run("said"));
                assertThat(run.result(FOR_EVER)).isEqualTo("said");
            }
        });
    }

    @Test
    void the_longest_times_of_an_engine_work() {
        Duration century = Duration.ofDays(36_525);
        try (DurableEngine engine = builder()
                .drainTimeout(century)
                .pollInterval(century)
                .callTimeout(century)
                .cancelGrace(century)
                .start()) {
            WorkflowHandle<Caller, String> run = engine.client().start(Caller.class, "one", c -> c.run("said"));
            assertThat(run.result(century)).isEqualTo("said");
        }
    }

    @Test
    void delays_that_exceptions_ask_for_and_options_of_a_start() {
        Map<String, Consumer<Duration>> givers = Map.of(
                "startDelay", d -> StartOptions.id("one").startDelay(d),
                "runTimeout", d -> StartOptions.id("one").runTimeout(d),
                "executionTimeout", d -> StartOptions.id("one").executionTimeout(d),
                "delay of a DeferException", DeferException::new,
                "delay of a RetryAfterException", RetryAfterException::new,
                "RetryableException.nextDelay", d -> new RetryableException("again").nextDelay(d));
        Map<String, String> taken = new LinkedHashMap<>();
        taken.put("startDelay", "+--+--");
        taken.put("runTimeout", "---+--");
        taken.put("executionTimeout", "---+--");
        taken.put("delay of a DeferException", "------");
        taken.put("delay of a RetryAfterException", "+--+--");
        taken.put("RetryableException.nextDelay", "+--+--");
        refusedOrTaken(taken, (name, odd) -> givers.get(name).accept(odd));
    }

    @Test
    void options_at_a_call_site() {
        Map<String, BiConsumer<ActivityOptionsBuilder, Duration>> options = Map.of(
                "startToClose", (o, d) -> o.startToClose(d),
                "scheduleToStart", (o, d) -> o.scheduleToStart(d),
                "scheduleToClose", (o, d) -> o.scheduleToClose(d),
                "heartbeatTimeout", (o, d) -> o.heartbeatTimeout(d),
                "initialInterval", (o, d) -> o.initialInterval(d),
                "maxInterval", (o, d) -> o.maxInterval(d),
                "retry", (o, d) -> o.retry(RetryPolicy.fixed(d, 3)));
        Map<String, String> taken = new LinkedHashMap<>();
        taken.put("startToClose", "---+--");
        taken.put("scheduleToStart", "---+--");
        taken.put("scheduleToClose", "---+--");
        taken.put("heartbeatTimeout", "---+--");
        taken.put("initialInterval", "+--+--");
        taken.put("maxInterval", "+--+--");
        taken.put("retry", "+--+--");
        refusedOrTaken(taken, (name, odd) -> {
            OptionsAtCallSite site = new OptionsAtCallSite();
            options.get(name).accept(site, odd);
        });
    }
}
