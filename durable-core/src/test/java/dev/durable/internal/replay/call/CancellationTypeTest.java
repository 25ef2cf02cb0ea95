package dev.durable.internal.replay.call;

import static dev.durable.Durable.async;
import static dev.durable.Durable.await;
import static dev.durable.Durable.compensate;
import static dev.durable.Durable.detached;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityFailedException;
import dev.durable.ActivityOptions;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.history.OptionsJson;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.RecordedTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * The effect of cancelling an activity on the code that called it, by its option; and the errors of refused clean-up.
 */
class CancellationTypeTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger ours = (Logger) LoggerFactory.getLogger(WaitCalls.class);

    @BeforeEach
    void listen() {
        lines.start();
        ours.addAppender(lines);
    }

    @AfterEach
    void stop() {
        ours.detachAppender(lines);
    }

    // ── WAIT_CANCELLATION_COMPLETED ─────────────────────────────────────────────────────────────────────────────────

    private static GivenRun waiting() {
        return GivenRun.of(w -> {
            try {
                w.see("result " + w.acts.waited("x"));
            } catch (CancelledException | ActivityFailedException e) {
                w.see(e.getClass().getSimpleName() + " " + e.getMessage());
                throw e;
            }
            w.acts.nothing();
            return "";
        });
    }

    @Test
    void a_call_that_waits_stays_open_until_the_activity_has_ended_cancelled() {
        try (GivenRun run = waiting()) {
            run.cancelRequested("too late")
                    .expect("cancel activity 1")
                    .expectOpen()
                    .expectSeen();
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("the outcome of cancelled activity 1 Acts.waited");
            run.cancelled(1)
                    .expect()
                    .expectSeen("CancelledException activity 1 Acts.waited was cancelled:"
                            + " the run was cancelled by ann: too late")
                    .expectClose("cancelled too late");
        }
    }

    @Test
    void one_that_completed_all_the_same_gives_its_result_and_the_next_command_is_refused() {
        try (GivenRun run = waiting()) {
            run.cancelRequested("too late").expect("cancel activity 1");
            run.completed(1, "done").expect().expectSeen("result done").expectClose("cancelled too late");
        }
    }

    @Test
    void one_that_failed_gives_its_failure() {
        try (GivenRun failed = waiting();
                GivenRun late = waiting()) {
            failed.cancelRequested("x")
                    .failed(1, new IllegalStateException("no"))
                    .expectClose("failed"
                            + " dev.durable.ActivityFailedException: Acts.waited (activity 1) failed in attempt 3:"
                            + " java.lang.IllegalStateException: no");
            late.cancelRequested("x")
                    .timedOut(1)
                    .expectSeen(
                            "ActivityTimedOutException Acts.waited (activity 1) ran out of its start-to-close timeout"
                                    + " in attempt 2, and its policy allows no further one");
        }
    }

    @Test
    void a_second_request_does_not_end_the_wait() {
        try (GivenRun run = waiting()) {
            run.cancelRequested("first").cancelRequested("second").expect().expectOpen();
            run.cancelled(1).expectClose("cancelled first");
        }
    }

    @Test
    void a_promise_that_waits_stays_open_after_its_cancel() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::waited, "label");
            label.cancel();
            w.see("done " + label.isDone());
            try {
                return label.get();
            } catch (CancelledException e) {
                return e.getMessage();
            }
        })) {
            run.expect("schedule 1 Acts.waited[\"label\"]", "cancel activity 1")
                    .expectSeen("done false")
                    .expectOpen();
            run.evicted();
            run.cancelled(1)
                    .expectClose("completed \"activity 1 Acts.waited was cancelled: Promise.cancel was called\"");
        }
    }

    @Test
    void a_cancelled_coroutine_may_still_wait_for_the_outcome_but_for_nothing_else() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::waited, "label");
            try {
                Durable.sleep(HOUR);
            } catch (CancelledException e) {
                w.see("slept");
            }
            String outcome = label.get();
            w.see(outcome);
            Durable.sleep(HOUR);
            return "";
        })) {
            run.cancelRequested("x")
                    .expect("cancel activity 1", "cancel timer 1")
                    .expectSeen("slept");
            run.completed(1, "printed").expectSeen("slept", "printed").expectClose("cancelled x");
        }
    }

    @Test
    void a_wait_for_several_goes_on_while_all_of_them_are_outcomes_to_come() {
        try (GivenRun all =
                        GivenRun.of(w -> Promise.all(List.of(async(w.acts::waited, "1"), async(w.acts::waited, "2"))));
                GivenRun mixed =
                        GivenRun.of(w -> Promise.all(List.of(async(w.acts::waited, "1"), async(w.acts::a, "2"))))) {
            all.cancelRequested("x")
                    .expect("cancel activity 1", "cancel activity 2")
                    .expectOpen();
            all.completed(2, "two").expectOpen();
            all.completed(1, "one").expectClose("completed \"[one, two]\"");
            mixed.cancelRequested("x")
                    .expect("cancel activity 1", "cancel activity 2")
                    .expectOpen();
            assertThat(mixed.instance().waits())
                    .extracting(PendingWait::coroutine, PendingWait::what)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple(
                            "close", "the outcome of cancelled activity 1 Acts.waited"));
            mixed.completed(1, "one").expect().expectClose("cancelled x");
        }
    }

    @Test
    void a_wait_with_a_time_limit_ends_at_once_with_its_timer() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::waited, "label");
            try {
                return label.get(HOUR);
            } catch (CancelledException e) {
                w.see("at once");
                return label.get();
            }
        })) {
            run.cancelRequested("x")
                    .expect("cancel activity 1", "cancel timer 1")
                    .expectSeen("at once")
                    .expectOpen();
            run.completed(1, "printed").expectClose("completed \"printed\"");
        }
    }

    @Test
    void a_coroutine_waits_only_for_what_was_cancelled_with_it() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::waited, "label");
            Promise<?> reader = async(() -> w.see(label.get()));
            await(() -> w.has("stop"));
            reader.cancel();
            try {
                reader.get();
            } catch (CancelledException e) {
                w.see("reader gone");
            }
            return label.get();
        })) {
            run.tell("stop").expect().expectSeen("reader gone").expectOpen();
            run.completed(1, "printed").expectClose("completed \"printed\"");
        }
    }

    @Test
    void the_close_waits_for_the_outcome_also_where_no_code_does() {
        try (GivenRun run = GivenRun.of(w -> {
            async(w.acts::waited, "left");
            return "done";
        })) {
            run.expect("schedule 1 Acts.waited[\"left\"]", "cancel activity 1").expectOpen();
            run.completed(1, "printed").expect().expectClose("completed \"done\"");
        }
    }

    @Test
    void clean_up_sees_the_outcome_and_compensations_come_after_it() {
        try (GivenRun run = GivenRun.of(w -> {
            compensate(() -> w.acts.a("undo"));
            try {
                w.acts.waited("charge");
            } catch (CancelledException e) {
                detached(() -> w.acts.a("clean-up"));
                throw e;
            }
            return "";
        })) {
            run.cancelRequested("x").expect("cancel activity 1");
            run.cancelled(1).expect("schedule 2 Acts.a[\"clean-up\"]");
            run.completed(2, "").expect("schedule 3 Acts.a[\"undo\"]");
            run.completed(3, "").expectClose("cancelled x");
        }
    }

    @Test
    void a_late_handler_waits_for_nothing() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::waited, "left");
            w.onSignal((object, text) -> {
                try {
                    object.see(label.get());
                } catch (CancelledException e) {
                    object.see(e.getMessage());
                }
            });
            return "done";
        })) {
            run.tell("late").expectSeen("Promise.get was refused: the run has ended");
            run.cancelled(1).expectClose("completed \"done\"");
            assertThat(lines.list).isEmpty();
        }
    }

    // ── ABANDON ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_abandoned_activity_is_not_told_and_its_outcome_is_fed_and_gives_no_commands() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::abandoned, "label");
            label.cancel();
            try {
                label.get();
            } catch (CancelledException e) {
                w.see(e.getMessage());
            }
            w.acts.nothing();
            return "";
        })) {
            run.expect("schedule 1 Acts.abandoned[\"label\"]", "schedule 2 Acts.nothing[]")
                    .expectSeen("activity 1 Acts.abandoned was cancelled: Promise.cancel was called");
            run.completed(1, "printed").expect();
            run.completed(2, null).expectClose("completed \"\"");
        }
    }

    @Test
    void a_run_does_not_wait_for_what_it_abandoned_unless_there_is_something_to_undo() {
        try (GivenRun plain = GivenRun.of(w -> w.acts.abandoned("x"));
                GivenRun undone = GivenRun.of(w -> {
                    compensate(() -> w.acts.a("undo"));
                    return w.acts.abandoned("x");
                })) {
            plain.cancelRequested("x").expect().expectClose("cancelled x");
            undone.cancelRequested("x").expect().expectOpen();
            assertThat(undone.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("the outcome of abandoned activity 1 Acts.abandoned");
            undone.completed(1, "").expect("schedule 2 Acts.a[\"undo\"]");
        }
    }

    // ── the recorded option holds ────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @EnumSource
    void replay_follows_the_type_that_was_recorded_whatever_the_code_has_now(ActivityCancellationType recorded) {
        ActivityCancellationType[] type = {recorded};
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(Durable.activities(Acts.class, o -> o.cancellation(type[0]))::a, "label");
            await(() -> w.has("stop"));
            label.cancel();
            w.see("done " + label.isDone());
            return label.get();
        })) {
            run.tell("stop");
            for (ActivityCancellationType now : ActivityCancellationType.values()) {
                type[0] = now;
                WorkflowInstance replayed = run.instance(false);
                RecordedTurn.of(run.history()).forEach(turn -> replayed.replay(turn.event(), turn.commands()));
                assertThat(GivenRun.text(replayed.close(9)))
                        .isEqualTo(GivenRun.text(run.instance().close(9)));
                replayed.evict();
            }
        }
    }

    @Test
    void the_type_is_recorded_only_where_it_is_not_the_default() {
        assertThat(OptionsJson.encode(ActivityOptions.DEFAULT)).doesNotContain("cancellation");
        OptionsAtCallSite abandoned = new OptionsAtCallSite().cancellation(ActivityCancellationType.ABANDON);
        String json = OptionsJson.encode(abandoned.apply(ActivityOptions.DEFAULT));
        assertThat(json).endsWith(",\"cancellation\":\"ABANDON\"}");
        assertThat(OptionsJson.decode(json).cancellation()).isEqualTo(ActivityCancellationType.ABANDON);
    }

    // ── clean-up that is refused ────────────────────────────────────────────────────────────────────────────────────

    private List<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void clean_up_that_is_refused_is_a_warning_with_its_line_and_the_way_out() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return w.acts.a("work");
            } finally {
                w.acts.nothing();
            }
        })) {
            run.cancelRequested("too late").expectClose("cancelled too late");
            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .matches(
                            "Acts\\.nothing at Scripted\\.run"
                                    + "\\(Scripted\\.java:\\d+\\) was refused and did not happen: 'run' is cancelled \\(the run"
                                    + " was cancelled by ann: too late\\), and its code has heard of that\\. Put clean-up that must happen"
                                    + " into Durable\\.detached\\(\\(\\) -> …\\); where it is none, let the CancelledException pass\\.");
        }
    }

    @Test
    void a_refused_wait_in_clean_up_is_a_warning_too() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                await(() -> false);
            } catch (CancelledException e) {
                Durable.sleep(HOUR);
            }
            return "";
        })) {
            run.cancelRequested("x");
            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .startsWith("Durable.sleep at Scripted.run(Scripted.java:");
        }
    }

    @Test
    void the_refusal_by_which_code_hears_of_its_cancellation_is_none_and_neither_is_shielded_clean_up() {
        try (GivenRun run = GivenRun.of(w -> {
                    Promise<?>[] self = new Promise<?>[1];
                    self[0] = async(() -> {
                        self[0].cancel();
                        w.acts.nothing();
                    });
                    await(() -> w.has("stop"));
                    return "";
                });
                GivenRun shielded = GivenRun.of(w -> {
                    try {
                        return w.acts.a("work");
                    } finally {
                        detached(() -> w.acts.nothing());
                    }
                });
                GivenRun result = waiting()) {
            run.tell("stop");
            shielded.cancelRequested("x").expect("cancel activity 1", "schedule 2 Acts.nothing[]");
            result.cancelRequested("x").completed(1, "done").expectClose("cancelled x");
            assertThat(warnings()).isEmpty();
        }
    }

    @Test
    void code_that_goes_on_in_a_loop_is_named_ten_times_and_not_on_replay() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                await(() -> false);
            } catch (CancelledException e) {
                for (int i = 0; i < 50; i++) {
                    try {
                        w.acts.nothing();
                    } catch (CancelledException again) {
                        w.see("again");
                    }
                }
            }
            return "";
        })) {
            run.cancelRequested("x");
            assertThat(warnings()).hasSize(10);
            run.evicted();
            assertThat(warnings()).hasSize(10);
        }
    }
}
