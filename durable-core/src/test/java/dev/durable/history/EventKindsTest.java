package dev.durable.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@link HistoryEvent} is the list of all kinds of events; what no compiler holds against it is held against it here. */
class EventKindsTest {
    @Test
    void each_kind_is_read_but_for_that_which_stands_for_unknown_ones() {
        assertThat(AttributesReader.types())
                .containsExactlyInAnyOrderElementsOf(Samples.eventTypes()
                        .filter(type -> type != UnknownEvent.class)
                        .<String>map(Class::getSimpleName)
                        .toList());
    }
}
