package dev.durable.store.postgres.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.postgres.internal.nudge.PendingNudges;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LikelyQueueTest {
    private final LikelyQueue likely = new LikelyQueue();

    @Test
    void a_queue_is_expected_once_two_deliveries_in_a_row_have_found_it() {
        likely.found(Set.of("orders"));
        assertThat(expects("orders")).isFalse();
        likely.found(Set.of("orders"));
        assertThat(expects("orders")).isTrue();
        likely.found(Set.of("orders"));
        assertThat(expects("orders")).isTrue();
    }

    @Test
    void another_queue_or_several_at_once_end_the_expectation() {
        likely.found(Set.of("orders"));
        likely.found(Set.of("orders"));
        likely.found(Set.of("mail"));
        assertThat(expects("orders") || expects("mail")).isFalse();
        likely.found(Set.of("mail"));
        assertThat(expects("mail")).isTrue();
        likely.found(Set.of("mail", "orders"));
        assertThat(expects("mail")).isFalse();
    }

    @Test
    void deliveries_that_have_reached_no_run_change_nothing() {
        likely.found(Set.of("orders"));
        likely.found(Set.of());
        likely.found(Set.of("orders"));
        likely.found(Set.of());
        assertThat(expects("orders")).isTrue();
    }

    private boolean expects(String queue) {
        PendingNudges of = new PendingNudges();
        of.runs(queue);
        return of.areAmong(likely.nudges());
    }
}
