package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BoundedMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void names_beyond_the_bound_are_counted_together() {
        BoundedMeters<Counter> stalls =
                new BoundedMeters<>(2, type -> DurableMeter.STALLS.counter(registry, Tags.empty(), type));

        for (String type : new String[] {"A", "B", "C", "D", "B", "C"}) {
            stalls.of(type).increment();
        }

        assertThat(registry.getMeters()).hasSize(3);
        assertThat(count("A")).isEqualTo(1);
        assertThat(count("B")).isEqualTo(2);
        assertThat(count("other")).isEqualTo(3);
    }

    @Test
    void a_name_that_is_not_known_has_a_tag_all_the_same() {
        new BoundedMeters<>(2, type -> DurableMeter.STALLS.counter(registry, Tags.empty(), type))
                .of("")
                .increment();

        assertThat(count("unknown")).isEqualTo(1);
    }

    @Test
    void names_that_are_known_have_places_of_their_own_however_many_others_there_are() {
        BoundedMeters<Counter> stalls = new BoundedMeters<Counter>(
                        2, type -> DurableMeter.STALLS.counter(registry, Tags.empty(), type))
                .know(Set.of("Order", "Trip"));

        for (String type : new String[] {"A", "B", "C", "D", "Order", "Trip", "Order"}) {
            stalls.of(type).increment();
        }

        assertThat(count("Order")).isEqualTo(2);
        assertThat(count("Trip")).isEqualTo(1);
        assertThat(count("other")).isEqualTo(2);
    }

    @Test
    void fingerprints_come_back_when_those_that_took_their_places_are_idle() {
        AtomicLong nanos = new AtomicLong();
        FailureCounters failures = new FailureCounters(registry, Tags.empty(), 2, nanos::get);
        failures.count("chosen 1");
        failures.count("chosen 2");
        failures.count("real");
        assertThat(failed("real")).as("no place is free").isZero();
        assertThat(failed("other")).isEqualTo(1);

        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        failures.count("chosen 2");
        failures.count("real");
        failures.count("real");
        failures.count("chosen 1");

        assertThat(failed("real")).isEqualTo(2);
        assertThat(failed("chosen 1")).as("its place was taken").isZero();
        assertThat(failed("chosen 2")).as("was not idle").isEqualTo(2);
        assertThat(failed("other")).isEqualTo(2);
        assertThat(registry.getMeters()).hasSize(3);
    }

    private double failed(String fingerprint) {
        return registry.find("durable.activity.failures").tag("fingerprint", fingerprint).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private double count(String type) {
        return registry.get("durable.stalls").tag("workflow", type).counter().count();
    }
}
