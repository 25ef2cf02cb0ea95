package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.StaleAttemptException;
import dev.durable.internal.attempt.Cancellation.Cause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The state of a cancellation, and the actions that hear of it. */
class CancellationTest {
    private final Deque<Runnable> elsewhere = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final Cancellation cancellation = new Cancellation(elsewhere::add, UnaryOperator.identity());

    @Test
    void nobody_is_stopped_who_was_not_asked_to() {
        assertThat(cancellation.requested()).isFalse();
        assertThatCode(cancellation::check).doesNotThrowAnyException();
    }

    @Test
    void actions_of_the_body_run_once_and_never_on_the_thread_that_cancels() {
        cancellation.onCancel(() -> told.add("first"));
        cancellation.onCancel(() -> {
            throw new IllegalStateException("on purpose");
        });
        cancellation.onCancel(() -> told.add("last"));

        cancellation.request(Cause.REQUESTED, "the workflow wants it");
        assertThat(told).isEmpty();
        elsewhere.forEach(Runnable::run);
        elsewhere.clear();
        cancellation.request(Cause.STALE, "timed out");

        assertThat(told).containsExactly("first", "last");
        assertThat(elsewhere).isEmpty();
    }

    @Test
    void an_action_that_comes_after_the_cancellation_runs_at_once() {
        cancellation.request(Cause.SHUTDOWN, "the worker stops");

        cancellation.onCancel(() -> told.add("late"));

        assertThat(told).containsExactly("late");
    }

    @Test
    void it_only_gets_worse() {
        cancellation.request(Cause.REQUESTED, "the workflow wants it");
        cancellation.request(Cause.SHUTDOWN, "the worker stops");
        assertThat(cancellation.cause()).isEqualTo(Cause.REQUESTED);
        assertThatThrownBy(cancellation::check)
                .isInstanceOf(CancelledException.class)
                .hasMessage("the workflow wants it");

        cancellation.request(Cause.STALE, "STALE: timed out");
        assertThatThrownBy(cancellation::check)
                .isInstanceOf(StaleAttemptException.class)
                .hasMessage("STALE: timed out");
    }

    @Test
    void an_attempt_that_ended_by_itself_stops_nobody_but_is_stale_for_who_still_holds_it() {
        cancellation.onCancel(() -> told.add("cancelled"));

        cancellation.ended("STALE: it has ended");

        assertThat(elsewhere).isEmpty();
        assertThatThrownBy(cancellation::check).isInstanceOf(StaleAttemptException.class);
    }
}
