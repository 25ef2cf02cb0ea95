package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.RetryAfterException;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.fuzz.Planted;
import dev.durable.internal.retry.RetryDecision;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The decision after a failed attempt. */
class RetryDecisionTest {
    private static final RetryPolicy THRICE = policy(3, Duration.ofSeconds(1), 2.0, Duration.ofMinutes(1), 0);
    private final IllegalStateException broken = new IllegalStateException("broken");

    @Test
    void retry_delays_follow_the_policy() {
        RetryPolicy forEver = policy(0, Duration.ofSeconds(1), 2.0, Duration.ofSeconds(10), 0);

        assertThat(List.of(1, 2, 3, 4, 5, 6))
                .extracting(attempt -> delay(broken, forEver, attempt))
                .containsExactly(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10));
    }

    @Test
    void retry_delays_never_overflow() {
        RetryPolicy huge = policy(0, Duration.ofDays(300), 1000.0, Duration.ofDays(100_000), 1);
        Random random = new Random(7);
        for (int attempt = 1; attempt < 2_000_000_000; attempt += 1_999_993) {
            RetryDecision verdict = RetryDecision.of(broken, new RetryDecision.Standing(huge, attempt, null), random);
            assertThat(((RetryDecision.Retry) verdict).delay()).isBetween(Duration.ZERO, Duration.ofDays(36_525));
        }
        assertThat(delay(new RetryAfterException(Duration.ofDays(36_000), null), huge, 1))
                .isEqualTo(Duration.ofDays(36_000));
        assertThat(delay(new RetryAfterException(Duration.ZERO, null), huge, 1)).isEqualTo(Duration.ZERO);
    }

    @Test
    void without_an_initial_interval_every_retry_is_at_once() {
        RetryPolicy atOnce = policy(0, Duration.ZERO, 10.0, Duration.ofMinutes(1), 0);

        assertThat(delay(broken, atOnce, 1)).isZero();
        assertThat(delay(broken, atOnce, 5_000)).isZero();
    }

    @Test
    void jitter_stays_within_its_bounds_and_is_not_always_the_same() {
        RetryPolicy jittered = policy(0, Duration.ofSeconds(10), 1.0, Duration.ofSeconds(10), 0.2);
        Random random = new Random(1);

        List<Duration> delays = random.ints(200)
                .mapToObj(i -> ((RetryDecision.Retry)
                                RetryDecision.of(broken, new RetryDecision.Standing(jittered, 1, null), random))
                        .delay())
                .toList();

        assertThat(delays)
                .allMatch(d -> d.compareTo(Duration.ofSeconds(8)) >= 0 && d.compareTo(Duration.ofSeconds(12)) <= 0);
        assertThat(delays.stream().distinct().count()).isGreaterThan(100);
    }

    @Test
    void the_last_attempt_is_the_last() {
        assertThat(verdict(broken, THRICE, 2)).isInstanceOf(RetryDecision.Retry.class);
        assertThat(verdict(broken, THRICE, 3)).isInstanceOf(RetryDecision.Exhausted.class);
    }

    @Test
    void the_failure_may_say_how_many_attempts_remain() {
        RetryableException two = new RetryableException("busy").remainingAttempts(2);

        assertThat(verdict(two, THRICE, 3))
                .as("more than the policy would allow, recorded as its limit")
                .isEqualTo(new RetryDecision.Retry(Duration.ofSeconds(4), 5));
        assertThat(verdict(new CompletionException(two), THRICE, 1))
                .isEqualTo(new RetryDecision.Retry(Duration.ofSeconds(1), 3));
        assertThat(verdict(new RetryableException("over").remainingAttempts(0), THRICE, 1))
                .isInstanceOf(RetryDecision.Exhausted.class);
        assertThat(verdict(new RetryableException("over").remainingAttempts(-1), THRICE, 1))
                .isInstanceOf(RetryDecision.Exhausted.class);
        assertThat(verdict(new RetryableException("on").remainingAttempts(Integer.MAX_VALUE), THRICE, 2))
                .as("never overflows")
                .isEqualTo(new RetryDecision.Retry(Duration.ofSeconds(2), Integer.MAX_VALUE));
    }

    @Test
    void the_failure_may_say_when_the_next_attempt_starts() {
        assertThat(delay(new RetryableException("busy").nextDelay(Duration.ofHours(8)), THRICE, 1))
                .isEqualTo(Duration.ofHours(8));
    }

    @Test
    void retryIf_ends_retries_and_starts_none() {
        RetryPolicy policy = new RetryPolicy(
                3,
                Duration.ofSeconds(1),
                2,
                Duration.ofMinutes(1),
                0,
                List.of(),
                3,
                RetryPolicy.Growth.EXPONENTIAL,
                OnlyIo.class.getName(),
                OnExhausted.FAIL,
                0);

        assertThat(asking(policy, new IOException("disk"), 1)).isInstanceOf(RetryDecision.Retry.class);
        assertThat(asking(policy, new IOException("disk"), 3)).isInstanceOf(RetryDecision.Exhausted.class);
        assertThat(asking(policy, broken, 1)).isInstanceOf(RetryDecision.Exhausted.class);
    }

    @Test
    void a_retryIf_that_is_gone_or_throws_does_not_decide() {
        assertThat(new NamedRetryIf("com.acme.Gone", getClass().getClassLoader(), UnaryOperator.identity())
                        .retry(broken, 1))
                .isTrue();
        assertThat(new NamedRetryIf(Throwing.class.getName(), getClass().getClassLoader(), UnaryOperator.identity())
                        .retry(broken, 1))
                .isTrue();
    }

    @Test
    void a_retryIf_that_a_row_names_is_initialised_only_if_it_is_one() {
        ClassLoader loader = getClass().getClassLoader();
        for (String name :
                List.of(Planted.Count.NAME, "", "a\nb", "[L" + Planted.Count.NAME + ";", "x".repeat(100_000))) {
            assertThat(new NamedRetryIf(name, loader, UnaryOperator.identity()).retry(broken, 1))
                    .isTrue();
        }
        assertThat(Planted.Count.initialised()).isZero();
    }

    private static final class OnlyIo implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return failure instanceof IOException;
        }
    }

    private static final class Throwing implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            throw new IllegalStateException("undecided");
        }
    }

    private RetryDecision asking(RetryPolicy policy, Throwable thrown, int attempt) {
        RetryIf question = NamedRetryIf.of(policy, getClass().getClassLoader(), UnaryOperator.identity());
        return RetryDecision.of(thrown, new RetryDecision.Standing(policy, attempt, null, question), new Random(3));
    }

    @Test
    void doNotRetry_looks_through_causes() {
        Throwable wrapped = new CompletionException(new UncheckedIOException(new IOException("disk")));

        assertThat(verdict(wrapped, not(IOException.class), 1)).isInstanceOf(RetryDecision.GiveUp.class);
        assertThat(verdict(wrapped, not(FileNotFoundException.class), 1)).isInstanceOf(RetryDecision.Retry.class);
    }

    @Test
    void doNotRetry_looks_at_the_class_hierarchy() {
        assertThat(verdict(new FileNotFoundException("gone"), not(IOException.class), 1))
                .isInstanceOf(RetryDecision.GiveUp.class);
        assertThat(verdict(new IOException("gone"), not(FileNotFoundException.class), 1))
                .isInstanceOf(RetryDecision.Retry.class);
    }

    @Test
    void a_cause_that_leads_back_to_itself_ends_nothing() {
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);

        assertThat(verdict(a, not(IOException.class), 1)).isInstanceOf(RetryDecision.Retry.class);
    }

    @Test
    void a_non_retryable_failure_ends_retries_whatever_the_policy_says() {
        assertThat(verdict(new NonRetryableException("no such account"), THRICE, 1))
                .isInstanceOf(RetryDecision.GiveUp.class);
        assertThat(verdict(new CompletionException(new NonRetryableException("no")), THRICE, 1))
                .isInstanceOf(RetryDecision.GiveUp.class);
    }

    @Test
    void the_body_may_name_the_next_delay() {
        assertThat(delay(new RetryAfterException(Duration.ofMinutes(7), broken), THRICE, 1))
                .isEqualTo(Duration.ofMinutes(7));
        assertThat(verdict(new RetryAfterException(Duration.ofMinutes(7), broken), THRICE, 3))
                .as("but not another attempt")
                .isInstanceOf(RetryDecision.Exhausted.class);
    }

    @Test
    void defer_wins_over_the_last_attempt_as_it_uses_none() {
        assertThat(verdict(new DeferException(Duration.ofMinutes(2)), THRICE, 3))
                .isEqualTo(new RetryDecision.Defer(Duration.ofMinutes(2)));
    }

    @Test
    void a_retry_that_would_start_past_schedule_to_close_is_out_of_time() {
        RetryDecision.Standing standing = new RetryDecision.Standing(THRICE, 1, Duration.ofSeconds(1));

        assertThat(RetryDecision.of(broken, standing, new Random())).isInstanceOf(RetryDecision.OutOfTime.class);
        assertThat(RetryDecision.of(
                        broken, new RetryDecision.Standing(THRICE, 1, Duration.ofMillis(1001)), new Random()))
                .isInstanceOf(RetryDecision.Retry.class);
        assertThat(RetryDecision.of(new NonRetryableException("no"), standing, new Random()))
                .as("failed is what it is called when it is not the time that ends it")
                .isInstanceOf(RetryDecision.GiveUp.class);
    }

    private static Duration delay(Throwable thrown, RetryPolicy policy, int attempt) {
        return ((RetryDecision.Retry) verdict(thrown, policy, attempt)).delay();
    }

    private static RetryDecision verdict(Throwable thrown, RetryPolicy policy, int attempt) {
        return RetryDecision.of(thrown, new RetryDecision.Standing(policy, attempt, null), new Random(3));
    }

    private static RetryPolicy not(Class<?> type) {
        return new RetryPolicy(0, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0, List.of(type.getName()), 3);
    }

    private static RetryPolicy policy(int attempts, Duration initial, double backoff, Duration max, double jitter) {
        return new RetryPolicy(attempts, initial, backoff, max, jitter, List.of(), 3);
    }
}
