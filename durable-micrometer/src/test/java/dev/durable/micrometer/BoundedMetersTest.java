package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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

    private double count(String type) {
        return registry.get("durable.stalls").tag("workflow", type).counter().count();
    }
}
