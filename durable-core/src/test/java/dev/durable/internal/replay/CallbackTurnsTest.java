package dev.durable.internal.replay;

import static dev.durable.Durable.callback;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Callback;
import dev.durable.CallbackFailedException;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.UsageException;
import dev.durable.WaitTimedOutException;
import dev.durable.internal.replay.match.PendingWait;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The turns of a run that waits for callbacks. */
class CallbackTurnsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void an_outcome_settles_the_promise_and_cancels_the_timer() {
        try (GivenRun run =
                GivenRun.of(w -> callback(String.class, HOUR).promise().get())) {
            run.expect("callback 1", "timer 1 PT1H");
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("callback 1, which times out at 2026-01-01T01:00:00Z");
            run.evicted().callbackCompleted(1, "yes").expect("cancel timer 1").expectClose("completed \"yes\"");
        }
    }

    /** Histories of earlier versions do not say whether the value could be read. */
    @Test
    void a_recorded_value_that_can_not_be_read_fails_the_promise_when_the_code_asks_for_it() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return "" + callback(Integer.class, HOUR).promise().get();
            } catch (CallbackFailedException e) {
                return e.failure().type();
            }
        })) {
            run.callbackCompleted(1, "three").expectClose("completed \"dev.durable.PayloadException\"");
        }
    }

    @Test
    void the_timer_alone_ends_nothing_and_more_time_makes_the_sent_timeout_void() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return callback(String.class, HOUR).promise().get();
            } catch (WaitTimedOutException e) {
                return e.getMessage();
            }
        })) {
            assertThat(run.acceptsCallbackTimeout(1)).isFalse();
            run.fired(1).expect().expectOpen();
            assertThat(run.acceptsCallbackTimeout(1)).isTrue();
            run.evicted().callbackExtended(1, Duration.ofHours(2)).expect("timer 2 PT2H");
            assertThat(run.acceptsCallbackTimeout(1)).isFalse();
            run.fired(2).evicted().callbackTimedOut(1);
            run.expect().expectClose("completed \"callback 1 was not completed within PT2H\"");
        }
    }

    @Test
    void one_whose_timer_has_fired_can_be_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            Callback<String> callback = callback(String.class, HOUR);
            w.onSignal((object, text) -> callback.promise().cancel());
            try {
                return callback.promise().get();
            } catch (CancelledException e) {
                return e.getMessage();
            }
        })) {
            run.fired(1).tell("cancel").expect("cancel callback 1");
            assertThat(run.acceptsCallbackTimeout(1)).isFalse();
            run.expectClose("completed \"callback 1 was cancelled: Promise.cancel was called\"");
        }
    }

    @Test
    void the_cancellation_of_a_coroutine_cancels_its_callbacks_and_not_those_of_others() {
        try (GivenRun run = GivenRun.of(w -> {
            Callback<String> own = callback(String.class, HOUR);
            Promise<String> other =
                    Durable.async(() -> callback(String.class, HOUR).promise().get());
            w.onSignal((object, text) -> other.cancel());
            return own.promise().get();
        })) {
            run.expect("callback 1", "timer 1 PT1H", "callback 2", "timer 2 PT1H");
            run.tell("cancel").expect("cancel callback 2", "cancel timer 2").expectOpen();
            run.evicted().callbackCompleted(1, "own").expectClose("completed \"own\"");
        }
    }

    @Test
    void the_token_is_the_same_on_replay() {
        try (GivenRun run = GivenRun.of(w -> {
            w.see(callback(String.class, HOUR).token());
            Durable.sleep(HOUR);
            return "";
        })) {
            // GivenRun compares what was seen with what each replay sees.
            run.fired(2).evicted().expect("cancel callback 1", "cancel timer 1");
        }
    }

    @Test
    void a_time_that_is_none_is_refused() {
        try (GivenRun run = GivenRun.of(w -> {
            for (Duration none : new Duration[] {Duration.ZERO, HOUR.negated(), null}) {
                assertThatThrownBy(() -> callback(String.class, none))
                        .isInstanceOf(UsageException.class)
                        .hasMessageContaining("Give both, and a time above zero");
            }
            return "refused";
        })) {
            run.expect().expectClose("completed \"refused\"");
        }
    }
}
