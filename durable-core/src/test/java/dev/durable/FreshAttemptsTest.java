package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.internal.declare.OptionsAtCallSite;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an operator's retry makes of a policy. */
class FreshAttemptsTest {
    private static final RetryPolicy FIVE = RetryPolicy.temporal().withMaxAttempts(5);

    @Test
    void a_policy_that_is_used_up_allows_as_many_attempts_once_more() {
        RetryPolicy afresh = FIVE.afresh(5);

        assertThat(afresh.allowsAfter(6)).isTrue();
        assertThat(afresh.allowsAfter(9)).isTrue();
        assertThat(afresh.allowsAfter(10)).isFalse();
        assertThat(afresh.afresh(10).maxAttempts()).as("and again").isEqualTo(15);
    }

    @Test
    void its_delays_begin_again() {
        RetryPolicy afresh = FIVE.afresh(5);

        assertThat(afresh.delayAfter(6)).isEqualTo(FIVE.delayAfter(1));
        assertThat(afresh.delayAfter(9)).isEqualTo(FIVE.delayAfter(4));
        assertThat(RetryPolicy.sidekiq().afresh(26).delayAfter(27)).isEqualTo(Duration.ofSeconds(15));
        assertThat(afresh.delayAfter(3)).as("never before the first").isEqualTo(FIVE.delayAfter(1));
    }

    @Test
    void an_operator_gives_it_any_number_and_no_limit_stays_none() {
        assertThat(FIVE.afresh(5, 2).maxAttempts()).isEqualTo(7);
        assertThat(RetryPolicy.temporal().afresh(5, 2).maxAttempts()).isEqualTo(7);
        assertThat(RetryPolicy.temporal().afresh(5).maxAttempts()).isZero();
        assertThat(FIVE.afresh(7, Integer.MAX_VALUE).maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThatThrownBy(() -> FIVE.afresh(5, 0)).hasMessage("retry policy: attempts must be 1 or more, not 0");
    }

    @Test
    void a_limit_that_was_lowered_below_what_was_used_counts_as_it_is() {
        assertThat(FIVE.afresh(5).withMaxAttempts(2).afresh(10).maxAttempts()).isEqualTo(12);
    }

    @Test
    void other_options_leave_where_delays_begin() {
        OptionsAtCallSite changed = new OptionsAtCallSite();
        changed.maxAttempts(9);
        ActivityOptions options = changed.apply(ActivityOptions.DEFAULT.withRetry(FIVE.afresh(5)));

        assertThat(options.retry().maxAttempts()).isEqualTo(9);
        assertThat(options.retry().attemptsBefore()).isEqualTo(5);
    }
}
