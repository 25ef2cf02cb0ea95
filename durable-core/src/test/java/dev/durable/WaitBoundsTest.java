package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.StartOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Times to wait that make no sense are refused where they are given. */
class WaitBoundsTest {
    private static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void a_job_is_not_given_back_for_no_time() {
        for (Duration none : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(999_999)}) {
            assertThatThrownBy(() -> new DeferException(none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the delay of a DeferException must be at least a millisecond, not " + none
                            + ": the job would begin again at once, and for ever, as this uses no attempt. Give the time"
                            + " after which it is worth another look.");
        }
        assertThat(new DeferException(Duration.ofMillis(1)).delay()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void no_attempt_begins_before_the_one_that_failed() {
        IllegalStateException broken = new IllegalStateException("the bank is away");
        assertThatThrownBy(() -> new RetryAfterException(Duration.ofSeconds(-1), broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the delay of a RetryAfterException must not be negative, not PT-1S. Usual cause: the time that"
                                + " it was computed from has passed; take zero for at once.")
                .hasCause(broken);
        assertThatThrownBy(() -> new RetryableException("no").nextDelay(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("RetryableException.nextDelay must not be negative");
        assertThat(new RetryAfterException(Duration.ZERO).delay()).isZero();
    }

    @Test
    void delays_and_timeouts_that_end_at_no_time_are_refused() {
        StartOptions options = StartOptions.id("order-1");
        assertThatThrownBy(() -> options.startDelay(NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("startDelay must be at most a hundred years (PT876600H), not " + NEVER
                        + ": there is no time that far ahead. Usual cause: a number in another unit than was meant.");
        assertThatThrownBy(() -> options.startDelay(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("startDelay must not be negative, not PT-1S");
        assertThatThrownBy(() -> options.startDelay(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("startDelay; Duration.ZERO is none");
        assertThatThrownBy(() -> options.runTimeout(NEVER))
                .hasMessageStartingWith("runTimeout must be at most a hundred");
        assertThatThrownBy(() -> options.executionTimeout(NEVER))
                .hasMessageStartingWith("executionTimeout must be at most a hundred");
        assertThatThrownBy(() -> new DeferException(NEVER)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RetryAfterException(NEVER)).isInstanceOf(IllegalArgumentException.class);
    }
}
