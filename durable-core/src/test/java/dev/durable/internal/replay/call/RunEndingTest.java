package dev.durable.internal.replay.call;

import static dev.durable.Durable.async;
import static dev.durable.Durable.await;
import static dev.durable.Durable.compensate;
import static dev.durable.Durable.detached;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.history.Failure;
import dev.durable.history.WorkflowFailed;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Rules 7 to 9: the end of a run, its clean-up, its compensations, its close. */
class RunEndingTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void the_result_is_fixed_when_run_returns_and_what_it_started_is_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            async(w.acts::a, "left");
            Durable.timer(HOUR);
            async(() -> w.see("never begun"));
            return "done";
        })) {
            run.expect("schedule 1 Acts.a[\"left\"]", "timer 1 PT1H", "cancel activity 1", "cancel timer 1")
                    .expectSeen()
                    .expectClose("completed \"done\"");
        }
    }

    @Test
    void the_close_waits_for_shielded_clean_up() {
        try (GivenRun run = GivenRun.of(w -> {
            async(() -> {
                try {
                    await(() -> false);
                } catch (CancelledException e) {
                    detached(() -> w.see("clean-up " + w.acts.a(e.getMessage())));
                }
            });
            w.acts.nothing();
            return "done";
        })) {
            run.completed(1, null)
                    .expect("schedule 2 Acts.a[\"the run has ended\"]")
                    .expectOpen();
            assertThat(run.instance().waits())
                    .singleElement()
                    .satisfies(wait -> assertThat(wait.what())
                            .isEqualTo("the run has ended and waits for its clean-up: activity 2 Acts.a"));
            run.completed(2, "ok").expectSeen("clean-up ok").expectClose("completed \"done\"");
        }
    }

    @Test
    void handlers_in_flight_are_cancelled_at_the_end_and_later_ones_may_only_change_state() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((object, text) -> {
                object.see(text + " begun");
                try {
                    object.acts.a(text);
                } catch (CancelledException e) {
                    object.see(text + ": " + e.getMessage());
                    detached(() -> object.acts.nothing());
                }
            });
            w.acts.nothing();
            return "done";
        })) {
            run.tell("early").expect("schedule 2 Acts.a[\"early\"]");
            run.completed(1, null)
                    .expect("cancel activity 2", "schedule 3 Acts.nothing[]")
                    .expectOpen();
            run.tell("late")
                    .expect()
                    .expectSeen(
                            "early begun",
                            "early: activity 2 Acts.a was cancelled: the run has ended",
                            "late begun",
                            "late: Acts.a was refused: the run has ended")
                    .expectOpen();
            run.completed(3, null).expectClose("completed \"done\"");
            run.tell("later").expect().expectClose("completed \"done\"");
        }
    }

    @Test
    void a_handler_whose_turn_ends_the_run_before_it_begins_still_changes_state() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((object, text) -> object.see(text));
            await(() -> Durable.now().isAfter(GivenRun.START));
            return "done";
        })) {
            run.at(HOUR).tell("kept").expectSeen("kept").expectClose("completed \"done\"");
        }
    }

    @Test
    void an_exception_out_of_a_signal_handler_fails_the_run() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((object, text) -> {
                throw new IllegalArgumentException(text);
            });
            try {
                return w.acts.a("x");
            } catch (CancelledException e) {
                w.see(e.getMessage());
                return "ignored";
            }
        })) {
            run.tell("bad")
                    .expect("cancel activity 1")
                    .expectSeen("activity 1 Acts.a was cancelled: the run has ended")
                    .expectClose("failed java.lang.IllegalArgumentException: bad");
            run.tell("worse").expectClose("failed java.lang.IllegalArgumentException: bad");
        }
    }

    @Test
    void a_cancelled_handler_that_lets_go_does_not_fail_the_run() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((object, text) -> object.acts.nothing());
            try {
                await(() -> false);
            } catch (CancelledException e) {
                return "cancelled";
            }
            return "";
        })) {
            run.tell("x").expect("schedule 1 Acts.nothing[]");
            run.cancelRequested("stop").expect("cancel activity 1").expectClose("completed \"cancelled\"");
        }
    }

    // ── compensations ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void compensations_run_in_reverse_when_the_run_fails() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> w.acts.a("undo 1"));
            w.acts.a("do 1");
            compensate(() -> w.acts.a("undo 2"));
            w.acts.a("do 2");
            throw new IllegalStateException("no");
        })) {
            run.completed(1, "")
                    .completed(2, "")
                    .expect("schedule 3 Acts.a[\"undo 2\"]")
                    .expectOpen();
            run.completed(3, "").expect("schedule 4 Acts.a[\"undo 1\"]").expectOpen();
            run.completed(4, "").expect().expectClose("failed java.lang.IllegalStateException: no");
        }
    }

    @Test
    void compensations_do_not_run_when_the_run_completes() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> w.acts.a("undo"));
            return "fine";
        })) {
            run.expect().expectClose("completed \"fine\"");
        }
    }

    @Test
    void undoing_waits_for_the_outcome_of_what_was_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> w.acts.a("refund"));
            w.acts.a("charge");
            return "";
        })) {
            run.cancelRequested("stop").expect("cancel activity 1").expectOpen();
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("the outcome of cancelled activity 1 Acts.a");
            run.completed(1, "went through").expect("schedule 2 Acts.a[\"refund\"]");
            run.cancelRequested("again").expect().expectOpen();
            run.completed(2, "").expectClose("cancelled stop");
        }
    }

    @Test
    void a_failing_compensation_is_recorded_and_the_others_still_run() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> w.acts.a("first"));
            compensate(() -> {
                throw new IllegalArgumentException("undo failed");
            });
            throw new IllegalStateException("no");
        })) {
            run.expect("schedule 1 Acts.a[\"first\"]").completed(1, "");
            assertThat(run.instance().close(9)).isInstanceOfSatisfying(WorkflowFailed.class, failed -> {
                assertThat(failed.failure().message()).isEqualTo("no");
                assertThat(failed.failure().suppressed())
                        .extracting(Failure::message)
                        .containsExactly("undo failed");
            });
        }
    }

    @Test
    void a_compensation_registered_while_undoing_is_refused() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    compensate(() -> compensate(() -> {}));
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Durable.compensate was called while the run is being undone, or after. Do in the undo"
                                + " what is to be done. It came out of undo.");
    }

    @Test
    void what_an_undo_starts_is_waited_for() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> {
                Promise<String> one = async(w.acts::a, "1");
                async(w.acts::a, "2");
                w.see(one.get());
            });
            throw new IllegalStateException("no");
        })) {
            run.completed(1, "one").expectSeen("one").expectOpen();
            run.completed(2, "two").expectClose("failed java.lang.IllegalStateException: no");
        }
    }

    @Test
    void a_result_that_can_not_be_written_fails_the_run() {
        try (GivenRun run = GivenRun.of(Unwritable.class, "x")) {
            assertThat(run.instance().close(9))
                    .isInstanceOfSatisfying(
                            WorkflowFailed.class,
                            failed -> assertThat(failed.failure().type()).isEqualTo("dev.durable.PayloadException"));
        }
    }

    /** Its result is larger than a payload may be. */
    @dev.durable.Workflow
    static class Unwritable {
        @dev.durable.Run
        String run(String unused) {
            return "x".repeat(3 * 1024 * 1024);
        }
    }
}
