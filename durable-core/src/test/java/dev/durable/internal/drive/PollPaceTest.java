package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.Nudges;
import java.time.Duration;
import java.util.Collection;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How long idle loops sleep. */
class PollPaceTest {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration POLL_AT_MOST = POLL.multipliedBy(6).dividedBy(5);

    private final PollPace pace = new PollPace(new IdleInterval(POLL, new Heard()), new Random(1));

    @Test
    void where_hints_arrive_an_idle_loop_sleeps_five_times_longer() {
        asleep();

        assertThat(pace.afterNothing()).isBetween(POLL.multipliedBy(4), POLL.multipliedBy(6));
    }

    @Test
    void what_is_expected_without_a_hint_is_looked_for_at_once_and_for_a_minute_as_without_hints() {
        asleep();

        assertThat(pace.expect()).as("it is to be woken").isTrue();
        assertThat(pace.expect()).as("it is awake").isFalse();
        assertThat(pace.afterNothing()).isLessThan(POLL.dividedBy(4));
        for (int i = 1; i < 60; i++) {
            assertThat(pace.afterNothing()).isLessThanOrEqualTo(POLL_AT_MOST);
        }
        asleep();
        assertThat(pace.afterNothing()).isGreaterThan(POLL_AT_MOST);
    }

    private void asleep() {
        for (int i = 0; i < 10; i++) {
            pace.afterNothing();
        }
    }

    private static final class Heard implements Nudges {
        @Override
        public void send(Collection<? extends Nudge> nudges) {}

        @Override
        public AutoCloseable listen(Consumer<Nudge> listener) {
            return () -> {};
        }

        @Override
        public boolean heard() {
            return true;
        }
    }
}
