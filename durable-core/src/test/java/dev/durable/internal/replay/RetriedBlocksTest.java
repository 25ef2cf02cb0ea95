package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.Durable;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.Promise;
import dev.durable.RetryAfterException;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.WaitTimedOutException;
import dev.durable.history.TimerStarted;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.StalledException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code Durable.retry} and {@code Durable.poll}. */
class RetriedBlocksTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final RetryPolicy THRICE = new RetryPolicy(3, MINUTE, 2.0, Duration.ofHours(1), 0, List.of(), 3);

    private static IllegalStateException broken() {
        return new IllegalStateException("broken");
    }

    // ── retry ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_block_is_run_again_after_durable_waits_that_grow_until_it_succeeds() {
        try (GivenRun run = GivenRun.of(w -> Durable.retry(THRICE, () -> w.acts.a("one") + w.acts.a("two")))) {
            run.completed(1, "1").failed(2, broken()).expect("timer 1 PT1M");
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("timer 1 due 2026-01-01T00:01:00Z");
            run.evicted().fired(1).expect("schedule 3 Acts.a[\"one\"]");
            run.failed(3, broken()).expect("timer 2 PT2M").fired(2).expect("schedule 4 Acts.a[\"one\"]");
            run.completed(4, "a").completed(5, "b").expectClose("completed \"ab\"");
        }
    }

    @Test
    void the_last_failure_comes_out_as_it_is_once_the_attempts_are_used_up() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Durable.retry(THRICE, () -> w.acts.count(1));
            } catch (Acts.Declined e) {
                return e.getMessage();
            }
        })) {
            run.failed(1, new Acts.Declined("1")).fired(1).failed(2, new Acts.Declined("2"));
            run.fired(2).failed(3, new Acts.Declined("3")).expect().expectClose("completed \"3\"");
        }
    }

    @Test
    void signals_are_handled_between_attempts_and_their_state_is_kept() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.retry(o -> o.initialInterval(MINUTE).jitter(0), () -> {
                w.see("attempt " + w.flags);
                if (!w.has("ready")) {
                    throw new IOException("not ready");
                }
            });
            return "done";
        })) {
            run.expect("timer 1 PT1M").tell("ready").expect().evicted().fired(1);
            run.expectSeen("attempt []", "attempt [ready]").expectClose("completed \"done\"");
        }
    }

    @Test
    void what_a_failure_says_of_the_next_attempt_counts_as_for_an_activity() {
        try (GivenRun run = GivenRun.of(w -> {
            List<Exception> failures = List.of(
                    new RetryAfterException(Duration.ofHours(5)),
                    new IOException("wraps", new DeferException(Duration.ofHours(6))),
                    new RetryableException("once more").remainingAttempts(2).nextDelay(Duration.ofHours(7)),
                    new IOException("3"),
                    new IOException("4"));
            int[] attempts = {0};
            return Durable.<String, Exception>retry(
                    o -> o.maxAttempts(2).initialInterval(MINUTE).jitter(0), () -> {
                        throw failures.get(attempts[0]++);
                    });
        })) {
            run.expect("timer 1 PT5H").fired(1).expect("timer 2 PT6H").fired(2).expect("timer 3 PT7H");
            run.fired(3).expect("timer 4 PT1M").fired(4).expect().expectClose("failed java.io.IOException: 4");
        }
    }

    private static Stream<Consumer<RetryOptionsBuilder>> neverRetried() {
        return Stream.of(
                o -> o.doNotRetry(IOException.class),
                o -> o.policy(not("java.io.IOException")),
                o -> o.retryIf((failure, attempt) -> !(failure instanceof FileNotFoundException) || attempt > 1),
                o -> o.maxAttempts(1),
                o -> o.within(Duration.ofMillis(500)).jitter(0));
    }

    private static RetryPolicy not(String type) {
        return new RetryPolicy(0, MINUTE, 2.0, Duration.ofHours(1), 0, List.of(type), 3);
    }

    @ParameterizedTest
    @MethodSource
    void neverRetried(Consumer<RetryOptionsBuilder> options) {
        try (GivenRun run = GivenRun.of(w -> Durable.<String, IOException>retry(options, () -> {
            throw new FileNotFoundException("gone");
        }))) {
            run.expect().expectClose("failed java.io.FileNotFoundException: gone");
        }
    }

    @Test
    void a_failure_of_an_activity_that_no_signature_names_is_known_by_its_class_name() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Durable.retry(o -> o.doNotRetry(IllegalStateException.class), () -> w.acts.a("x"));
            } catch (ActivityFailedException e) {
                return Durable.retry(o -> o.maxAttempts(9), () -> w.acts.a("y"));
            }
        })) {
            run.failed(1, broken()).expect("schedule 2 Acts.a[\"y\"]");
            run.failed(2, new NonRetryableException("never"))
                    .expect()
                    .expectClose("failed dev.durable.ActivityFailedException: Acts.a (activity 2) failed in attempt 3:"
                            + " dev.durable.NonRetryableException: never");
        }
    }

    @Test
    void the_time_limit_counts_from_the_call_and_no_attempt_begins_after_it() {
        try (GivenRun run = GivenRun.of(w -> Durable.<String, IOException>retry(
                o -> o.policy(RetryPolicy.fixed(MINUTE, 0)).within(Duration.ofSeconds(90)), () -> {
                    throw new IOException(Durable.now().toString());
                }))) {
            run.expect("timer 1 PT1M").fired(1).expectClose("failed java.io.IOException: 2026-01-01T00:01:00Z");
        }
    }

    @Test
    void jitter_is_that_of_the_run_and_shifts_no_draws_of_the_code() {
        record Seen(Duration waited, String close) {}
        List<Seen> seen = Stream.of(0.0, 0.5)
                .map(jitter -> {
                    try (GivenRun run = GivenRun.of(w -> {
                        int[] attempts = {0};
                        Durable.retry(o -> o.initialInterval(MINUTE).jitter(jitter), () -> {
                            if (attempts[0]++ == 0) {
                                throw broken();
                            }
                        });
                        return Durable.uuid();
                    })) {
                        TimerStarted timer =
                                (TimerStarted) run.last().commands().getFirst();
                        run.evicted().fired(1);
                        return new Seen(
                                Duration.between(timer.at(), timer.fireAt()),
                                GivenRun.text(run.instance().close(9)));
                    }
                })
                .toList();
        assertThat(seen.getFirst().waited()).isEqualTo(MINUTE);
        assertThat(seen.getLast().waited())
                .isNotEqualTo(MINUTE)
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(90));
        try (GivenRun plain = GivenRun.of(w -> Durable.uuid())) {
            String drawn = GivenRun.text(plain.instance().close(9));
            assertThat(seen).extracting(Seen::close).containsExactly(drawn, drawn);
        }
    }

    @Test
    void cancelling_ends_the_wait_between_attempts_and_no_attempt_follows() {
        try (GivenRun run = GivenRun.of(w -> Durable.retry(THRICE, () -> {
            w.see("attempt");
            return w.acts.a("x");
        }))) {
            run.failed(1, broken()).expect("timer 1 PT1M");
            run.cancelRequested("enough").expect("cancel timer 1").expectSeen("attempt");
            run.expectClose("cancelled enough");
        }
    }

    @Test
    void a_cancelled_attempt_is_not_retried_whatever_it_throws() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> work = async(() -> Durable.retry(THRICE, () -> {
                try {
                    return w.acts.a("x");
                } catch (CancelledException e) {
                    throw new IOException("clean-up failed");
                }
            }));
            Durable.await(() -> w.has("stop"));
            work.cancel();
            try {
                return work.get(IOException.class);
            } catch (IOException e) {
                w.see(e.getMessage());
            }
            return Durable.retry(THRICE, () -> {
                Promise<String> own = async(w.acts::a, "y");
                own.cancel();
                return own.get();
            });
        })) {
            run.tell("stop").expect("cancel activity 1", "schedule 2 Acts.a[\"y\"]", "cancel activity 2");
            run.expectSeen("clean-up failed")
                    .expectClose("failed dev.durable.CancelledException: activity 2 Acts.a was cancelled:"
                            + " Promise.cancel was called");
        }
    }

    @Test
    void compensations_of_failed_attempts_stay_registered() {
        try (GivenRun run = GivenRun.of(w -> {
            int[] attempts = {0};
            Durable.retry(o -> o.maxAttempts(2).initialInterval(MINUTE), () -> {
                int attempt = ++attempts[0];
                Durable.compensate(() -> w.see("undo " + attempt));
                throw broken();
            });
            return "";
        })) {
            run.fired(1).expectSeen("undo 2", "undo 1").expectClose("failed java.lang.IllegalStateException: broken");
        }
    }

    @Test
    void misuses_and_errors_stall_the_run_at_the_first_attempt() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.retry(THRICE, () -> Promise.any(List.<Promise<String>>of()))))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Promise.any needs at least one promise");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.<String, RuntimeException>retry(THRICE, () -> {
                    throw new AssertionError("no");
                })))
                .isInstanceOf(StalledException.class);
    }

    @Test
    void options_that_a_block_can_not_have_are_refused() {
        assertRefused(o -> o.maxAttempts(-1), "Durable.retry: maxAttempts is wrong at a call site.");
        assertRefused(
                o -> o.within(Duration.ZERO),
                "Durable.retry: within must be at least a millisecond, not PT0S: no attempt would be in time");
        assertRefused(
                o -> o.policy(THRICE.withOnExhausted(OnExhausted.INCIDENT)),
                "Durable.retry: the policy has onExhausted INCIDENT, and a block of workflow code has no job that could"
                        + " wait for an operator: its last failure is thrown. Take a policy with onExhausted FAIL, or set"
                        + " it on the activity that the block calls.");
        assertRefused(
                o -> o.policy(new RetryPolicy(
                        0,
                        MINUTE,
                        1,
                        MINUTE,
                        0,
                        List.of(),
                        3,
                        RetryPolicy.Growth.EXPONENTIAL,
                        "x.Y",
                        OnExhausted.FAIL,
                        0)),
                "Durable.retry: the policy names the class x.Y as its retryIf, which workers ask after an attempt of an"
                        + " activity. Take a policy without it, and o -> o.retryIf((failure, attempt) -> …), which"
                        + " workflow code asks.");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.poll(
                        o -> o.doNotRetry(IOException.class), () -> w.acts.a("x"), value -> value.isEmpty())))
                .hasMessageContaining(
                        "Durable.poll has doNotRetry or retryIf, and it retries no failure: one of its call"
                                + " is thrown at once. Leave them out; let the activity's own policy retry, or put the call into"
                                + " Durable.retry.");
    }

    private static void assertRefused(Consumer<RetryOptionsBuilder> options, String text) {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.retry(options, () -> w.acts.a("x"))))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(text);
    }

    // ── poll ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void polling_calls_until_the_value_is_accepted_and_gives_it() {
        try (GivenRun run = GivenRun.of(w -> Durable.poll(THRICE, () -> w.acts.a("status"), "DONE"::equals))) {
            run.completed(1, "NEW").expect("timer 1 PT1M").evicted().fired(1).expect("schedule 2 Acts.a[\"status\"]");
            run.completed(2, "DONE").expect().expectClose("completed \"DONE\"");
        }
    }

    @Test
    void a_value_that_is_never_accepted_ends_it_by_the_number_of_calls() {
        try (GivenRun run = GivenRun.of(w -> Durable.poll(THRICE, () -> w.acts.a("status"), "DONE"::equals))) {
            run.completed(1, "NEW").fired(1).completed(2, "NEW").fired(2).completed(3, "PENDING");
            run.expect()
                    .expectClose("failed dev.durable.WaitTimedOutException: Durable.poll gave up after 3 calls in PT3M,"
                            + " as maxAttempts is 3. The last value was PENDING, which the condition did not accept.");
        }
    }

    @Test
    void the_last_call_is_made_when_the_time_limit_is_reached_and_a_long_value_is_not_shown() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Durable.poll(
                        o -> o.policy(RetryPolicy.fixed(MINUTE, 0)).within(Duration.ofSeconds(90)),
                        () -> "x".repeat(101),
                        "DONE"::equals);
            } catch (WaitTimedOutException e) {
                return e.getMessage();
            }
        })) {
            run.expect("timer 1 PT1M").fired(1).expect("timer 2 PT30S").fired(2).expect();
            run.expectClose("completed \"Durable.poll gave up after 3 calls in PT1M30S, as its time limit is PT1M30S."
                    + " The last value was a java.lang.String, which the condition did not accept.\"");
        }
    }

    @Test
    void a_failure_of_the_call_and_of_the_condition_are_thrown_at_once() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Durable.poll(THRICE, () -> w.acts.count(1), n -> n > 1);
            } catch (Acts.Declined e) {
                return Durable.poll(THRICE, () -> null, value -> value.equals("x"));
            }
        })) {
            run.failed(1, new Acts.Declined("no")).expect();
            assertThat(GivenRun.text(run.instance().close(9))).startsWith("failed java.lang.NullPointerException");
        }
    }

    @Test
    void cancelling_ends_the_wait_between_polls() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> polling = async(() -> Durable.poll(THRICE, () -> "NEW", "DONE"::equals));
            Durable.await(() -> w.has("stop"));
            polling.cancel();
            try {
                return polling.get();
            } catch (CancelledException e) {
                return e.getMessage();
            }
        })) {
            run.expect("timer 1 PT1M").tell("stop").expect("cancel timer 1");
            run.expectClose("completed \"timer 1 due 2026-01-01T00:01:00Z was cancelled: Promise.cancel was called\"");
        }
    }
}
