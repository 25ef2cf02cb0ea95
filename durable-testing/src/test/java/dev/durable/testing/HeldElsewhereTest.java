package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.RetryableException;
import dev.durable.StaleAttemptException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.ExternalActivity;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.HistoryEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A failure that the holder of a token reports, or its silence, has the effects of a failed attempt that a worker runs;
 * on each kind of store.
 */
abstract class HeldElsewhereTest {

    /** Only what a network does is worth another attempt. */
    static final class OnlyIo implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return failure instanceof IOException;
        }
    }

    @Activity(
            startToClose = "1h",
            retry = @Retry(maxAttempts = 3, initialInterval = "10m", jitter = 0, onExhausted = OnExhausted.FAIL))
    interface Bank {
        String pay(String what);

        @Activity(retry = @Retry(retryIf = OnlyIo.class))
        String choosy(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        String incident(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DEAD_LETTER), scheduleToClose = "2h")
        String deadLetter(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DISCARD))
        String discarded(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        String failed(String what);

        @Activity(atMostOnce = true, retry = @Retry(maxAttempts = 1))
        String once(String what);

        @Activity(startToClose = "40m", heartbeatTimeout = "30m", scheduleToClose = "40m")
        String hurried(String what);
    }

    private final List<String> tokens = new ArrayList<>();
    private final List<Integer> attempts = new ArrayList<>();

    private final class Counter implements Bank {
        private String later() {
            attempts.add(ActivityContext.current().info().attempt());
            tokens.add(ActivityContext.current().completeLater());
            return "ignored";
        }

        @Override
        public String pay(String what) {
            return later();
        }

        @Override
        public String choosy(String what) {
            return later();
        }

        @Override
        public String incident(String what) {
            return later();
        }

        @Override
        public String deadLetter(String what) {
            return later();
        }

        @Override
        public String discarded(String what) {
            return later();
        }

        @Override
        public String failed(String what) {
            return later();
        }

        @Override
        public String once(String what) {
            return later();
        }

        @Override
        public String hurried(String what) {
            return later();
        }
    }

    // ── what follows ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void retryIf_decides_for_a_failure_from_elsewhere(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.choosy("a"));
        engine.settle();

        holder(engine).fail(new IOException("the line is dead"));
        engine.advance(Duration.ofMinutes(11));
        assertThat(attempts).as("worth another attempt").containsExactly(1, 2);
        holder(engine).fail(new IllegalStateException("wrong account"));

        assertThatThrownBy(job::await)
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("wrong account")
                .hasMessageContaining("attempt 2");
    }

    @Test
    void retryIf_is_the_one_that_the_options_name_now(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
        engine.settle();
        engine.client().activity(job.id(), 1).updateOptions(o -> o.retryIf(OnlyIo.class));

        holder(engine).fail(new IllegalStateException("wrong account"));

        assertThatThrownBy(job::await).hasMessageContaining("wrong account").hasMessageContaining("attempt 1");
    }

    @Test
    void remaining_attempts_hold_for_the_attempts_that_follow(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
        engine.settle();

        holder(engine)
                .fail(new RetryableException("the bank is closed")
                        .remainingAttempts(1)
                        .nextDelay(Duration.ofMinutes(30)));
        engine.advance(Duration.ofMinutes(29));
        assertThat(attempts).containsExactly(1);
        engine.advance(Duration.ofMinutes(2));
        assertThat(attempts).containsExactly(1, 2);
        holder(engine).fail(new IllegalStateException("still closed"));

        assertThatThrownBy(job::await).hasMessageContaining("still closed").hasMessageContaining("attempt 2");
        assertThat(events(job, ActivityAttemptFailed.class))
                .singleElement()
                .satisfies(e -> assertThat(e.remainingAttempts()).isEqualTo(1));
    }

    @Test
    void what_is_deferred_uses_no_attempt_and_leaves_no_note(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.failed("a"));
        engine.settle();

        holder(engine).fail(new DeferException(Duration.ofMinutes(20)));
        engine.advance(Duration.ofMinutes(21));
        assertThat(attempts).containsExactly(1, 1);
        holder(engine).complete("paid");

        assertThat(job.resultAs(String.class)).isEqualTo("paid");
        assertThat(events(job, ActivityAttemptFailed.class)).isEmpty();
    }

    @Test
    void at_most_once_no_failure_leaves_itself_another_attempt(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.once("a"));
        engine.settle();

        holder(engine).fail(new RetryableException("again, please").remainingAttempts(2));

        assertThatThrownBy(job::await).hasMessageContaining("again, please");
        assertThat(attempts).containsExactly(1);
    }

    @Test
    void at_most_once_silence_is_no_reason_for_another_attempt(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.once("a"));
        engine.settle();

        engine.advance(Duration.ofMinutes(62));

        assertThatThrownBy(job::await).hasMessageContaining("once");
        assertThat(attempts).containsExactly(1);
    }

    // ── when nothing is left to try ──────────────────────────────────────────────────────────────────────────────────

    @Test
    void used_up_in_other_hands_it_fails_where_its_options_say_so(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.failed("a"));
        engine.settle();

        holder(engine).fail(new IllegalStateException("declined"));

        assertThatThrownBy(job::await).hasMessageContaining("declined");
    }

    @Test
    void used_up_in_other_hands_it_stays_as_an_incident(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.incident("a"));
        engine.settle();

        holder(engine).fail(new IllegalStateException("declined"));

        ActivitySummary seen = engine.client().activity(job.id(), 1).describe();
        assertThat(seen.state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(seen.lastFailure()).contains("declined");
        engine.client().activity(job.id(), 1).retry();
        engine.settle();
        assertThat(attempts).containsExactly(1, 2);
        holder(engine).complete("paid");
        assertThat(job.resultAs(String.class)).isEqualTo("paid");
        assertThat(types(job)).contains("IncidentRaised");
    }

    @Test
    void silence_in_other_hands_becomes_a_dead_letter(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.deadLetter("a"));
        engine.settle();

        engine.advance(Duration.ofMinutes(62));

        ActivitySummary seen = engine.client().activity(job.id(), 1).describe();
        assertThat(seen.state()).isEqualTo(ActivityState.DEAD);
        assertThat(seen.lastFailure()).contains("left to the holder of its token, ran out of start-to-close");
    }

    @Test
    void an_answer_of_a_background_job_counts_as_used_up(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.deadLetter("a"));
        engine.settle();

        holder(engine).fail(new NonRetryableException("no such account"));

        assertThat(engine.client().activity(job.id(), 1).describe().state()).isEqualTo(ActivityState.DEAD);
    }

    @Test
    void used_up_in_other_hands_it_is_discarded_and_a_note_says_why(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.discarded("a"));
        engine.settle();

        holder(engine).fail(new IllegalStateException("declined"));

        assertThat(job.resultAs(String.class)).isNull();
        assertThat(events(job, ActivityAttemptFailed.class)).singleElement().satisfies(e -> {
            assertThat(e.reason()).isEqualTo("discarded");
            assertThat(e.failure().message()).isEqualTo("declined");
        });
        assertThat(events(job, ActivityCompleted.class)).hasSize(1);
    }

    @Test
    void where_two_timeouts_are_over_schedule_to_close_is_the_one_that_counts(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.hurried("a"));
        engine.settle();

        engine.advanceWhileRunning(Duration.ofMinutes(41));
        engine.settle();

        assertThatThrownBy(job::await).hasMessageContaining("schedule-to-close");
        assertThat(attempts).containsExactly(1);
    }

    // ── told again ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_same_failure_told_again_is_fine_whatever_has_become_of_the_activity(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
        engine.settle();
        ExternalActivity first = holder(engine);
        first.fail(new IllegalStateException("declined"));

        first.fail(new IllegalStateException("declined"));
        engine.advance(Duration.ofMinutes(11));
        first.fail(new IllegalStateException("declined"));
        ExternalActivity second = holder(engine);
        second.fail(new NonRetryableException("no such account"));
        second.fail(new NonRetryableException("no such account"));
        assertThatThrownBy(job::await).hasMessageContaining("no such account");
        second.fail(new NonRetryableException("no such account"));
        first.fail(new IllegalStateException("declined"));

        assertThatThrownBy(() -> first.fail(new IllegalStateException("another failure")))
                .isInstanceOf(StaleAttemptException.class)
                .hasMessageStartingWith("STALE: ");
        assertThat(events(job, ActivityAttemptFailed.class)).hasSize(1);
    }

    @Test
    void a_failure_that_comes_after_the_timeout_is_stale(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.once("a"));
        engine.settle();
        ExternalActivity late = holder(engine);
        engine.advance(Duration.ofMinutes(62));

        assertThatThrownBy(() -> late.fail(new IllegalStateException("declined")))
                .isInstanceOf(StaleAttemptException.class);
        assertThatThrownBy(job::await).hasMessageContaining("once");
    }

    // ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void set(TestEngine engine) {
        engine.activity(Bank.class, new Counter());
    }

    private ExternalActivity holder(TestEngine engine) {
        return engine.client().activity(tokens.getLast());
    }

    private static List<String> types(ActivityHandle job) {
        return job.history().stream().map(HistoryEvent::type).toList();
    }

    private static <E extends HistoryEvent> List<E> events(ActivityHandle job, Class<E> type) {
        return job.history().stream().filter(type::isInstance).map(type::cast).toList();
    }
}
