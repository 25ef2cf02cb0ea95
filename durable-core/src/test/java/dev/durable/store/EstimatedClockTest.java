package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EstimatedClockTest {
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration QUICK = Duration.ofMillis(1);

    private Instant database = NOON;
    private long ticks;
    private final EstimatedClock clock = new EstimatedClock(() -> database, () -> ticks);

    @Test
    void between_readings_it_advances_by_the_monotonic_clock() {
        pass(Duration.ofSeconds(3));

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(3));
    }

    @Test
    void it_tells_whole_microseconds_and_never_early() {
        database = NOON.plusNanos(999_999_999);
        EstimatedClock exact = new EstimatedClock(() -> database, () -> ticks);
        assertThat(exact.now()).isEqualTo(NOON.plusNanos(999_999_000));

        ticks++;
        assertThat(exact.now()).isEqualTo(NOON.plusSeconds(1));
        ticks += 999;
        assertThat(exact.now()).isEqualTo(NOON.plusSeconds(1));
        ticks++;
        assertThat(exact.now()).isEqualTo(NOON.plusSeconds(1).plusNanos(1_000));

        ticks -= 5_000;
        assertThat(exact.now()).as("not before what its reading said").isEqualTo(NOON.plusNanos(999_999_000));
    }

    @Test
    void it_stands_until_a_database_clock_that_was_set_back_catches_up() {
        pass(Duration.ofSeconds(10));
        database = NOON.plusSeconds(4);
        clock.synchronise();
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(10));

        pass(Duration.ofSeconds(5));
        assertThat(clock.now()).as("the database is at 12:00:09").isEqualTo(NOON.plusSeconds(10));

        pass(Duration.ofSeconds(2));
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(11));
    }

    @Test
    void a_reading_that_is_ahead_is_taken_at_once() {
        clock.observe(NOON.plusMillis(2), Duration.ofSeconds(3));

        assertThat(clock.now()).isEqualTo(NOON.plusMillis(2));
    }

    @Test
    void a_late_reading_is_taken_once_the_last_one_is_old_if_it_is_sure() {
        pass(Duration.ofSeconds(4));
        clock.observe(NOON.plusSeconds(3), QUICK);
        pass(Duration.ofSeconds(2));
        clock.observe(NOON.plusSeconds(3), Duration.ofMillis(100));
        pass(Duration.ofSeconds(1));
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(7));

        clock.observe(NOON.plusSeconds(6), QUICK);
        pass(Duration.ofSeconds(2));

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(8));
    }

    private void pass(Duration time) {
        ticks += time.toNanos();
    }
}
