package dev.durable.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time in the hand of a test. */
class VirtualClockTest {
    private final VirtualClock time = new VirtualClock();

    @Test
    void time_stands_still_until_it_is_moved() {
        assertThat(time.now()).isEqualTo(VirtualClock.START).isEqualTo(time.now());
        assertThat(time.nanoTime()).isZero();

        time.advance(Duration.ofDays(3));

        assertThat(time.now()).isEqualTo(VirtualClock.START.plus(Duration.ofDays(3)));
        assertThat(time.nanoTime()).isEqualTo(Duration.ofDays(3).toNanos());
    }

    @Test
    void time_has_microseconds() {
        time.advance(Duration.ofNanos(1_999));
        assertThat(time.now()).isEqualTo(VirtualClock.START.plusNanos(1_000));

        time.advanceTo(VirtualClock.START.plusNanos(5_678));
        assertThat(time.now())
                .as("what is due at the instant is due now: otherwise those who skip to it would skip for ever")
                .isEqualTo(VirtualClock.START.plusNanos(6_000));
        assertThat(new VirtualClock(Instant.parse("2030-01-01T00:00:00.123456789Z")).now())
                .isEqualTo("2030-01-01T00:00:00.123456Z");
    }

    @Test
    void time_never_goes_back() {
        time.advance(Duration.ofHours(1));
        Instant now = time.now();

        time.advanceTo(VirtualClock.START);

        assertThat(time.now()).isEqualTo(now);
        assertThatThrownBy(() -> time.advance(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not go back");
    }

    @Test
    void listeners_hear_of_each_advance_and_see_the_new_time() {
        List<Instant> heard = new ArrayList<>();
        VirtualClock.Registration listening = time.onAdvance(() -> heard.add(time.now()));

        time.advance(Duration.ofSeconds(1));
        time.advanceTo(VirtualClock.START.plusSeconds(2));
        time.advanceTo(VirtualClock.START);
        listening.close();
        time.advance(Duration.ofSeconds(1));

        assertThat(heard).containsExactly(VirtualClock.START.plusSeconds(1), VirtualClock.START.plusSeconds(2));
    }
}
