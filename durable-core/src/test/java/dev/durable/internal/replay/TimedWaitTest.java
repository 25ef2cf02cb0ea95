package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static dev.durable.Durable.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.WaitTimedOutException;
import dev.durable.internal.replay.call.TimerDue;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Rule 4: waits with a time limit, and timers. */
class TimedWaitTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void a_satisfied_wait_commands_nothing() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> done = async(() -> "x");
            Durable.sleep(HOUR);
            return await(HOUR, () -> true) + done.get(HOUR);
        })) {
            run.expect("timer 1 PT1H");
            run.fired(1).expect().expectClose("completed \"truex\"");
        }
    }

    @Test
    void a_timer_that_did_not_fire_is_cancelled_in_the_step_in_which_the_wait_ends() {
        try (GivenRun run = GivenRun.of(w -> {
            boolean told = await(HOUR, () -> w.has("go"));
            return w.acts.a("" + told);
        })) {
            run.expect("timer 1 PT1H");
            run.tell("go").expect("cancel timer 1", "schedule 1 Acts.a[\"true\"]");
        }
    }

    @Test
    void the_timer_of_a_get_that_was_answered_in_time_is_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            return w.acts.a(label.get(HOUR));
        })) {
            run.expect("schedule 1 Acts.a[\"label\"]", "timer 1 PT1H");
            run.completed(1, "x").expect("cancel timer 1", "schedule 2 Acts.a[\"x\"]");
        }
    }

    @Test
    void a_wait_that_runs_out_says_so() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            try {
                return label.get(HOUR);
            } catch (WaitTimedOutException e) {
                return e.getMessage();
            }
        })) {
            run.fired(1)
                    .expect("cancel activity 1")
                    .expectClose("completed \"activity 1 Acts.a did not settle within PT1H\"");
        }
    }

    @Test
    void satisfied_beats_timed_out_where_both_came_in_one_turn() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<Void> timer = Durable.timer(HOUR);
            async(() -> {
                timer.get();
                w.flags.add("go");
            });
            async(() -> w.see("told " + await(HOUR, () -> w.has("go"))));
            w.acts.nothing();
            return "";
        })) {
            run.expect("timer 1 PT1H", "schedule 1 Acts.nothing[]", "timer 2 PT1H");
            // timer 1 wakes the coroutine that sets the flag; timer 2 is cancelled although it is due too
            run.fired(1).expect("cancel timer 2").expectSeen("told true");
        }
    }

    @Test
    void a_timer_started_and_cancelled_in_one_turn_leaves_both_commands() {
        try (GivenRun run = GivenRun.of(w -> {
            async(() -> w.flags.add("go"));
            await(HOUR, () -> w.has("go"));
            return "";
        })) {
            run.expect("timer 1 PT1H", "cancel timer 1").expectClose("completed \"\"");
        }
    }

    @Test
    void zero_or_less_is_no_wait() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.sleep(Duration.ZERO);
            Durable.sleep(Duration.ofSeconds(-1));
            Durable.timer(Duration.ZERO).get();
            Promise<String> open = async(w.acts::a, "x");
            try {
                open.get(Duration.ZERO);
            } catch (WaitTimedOutException e) {
                w.see("timed out");
            }
            return await(Duration.ZERO, () -> false) + " " + await(Duration.ZERO, () -> true);
        })) {
            run.expect("schedule 1 Acts.a[\"x\"]", "cancel activity 1")
                    .expectSeen("timed out")
                    .expectClose("completed \"false true\"");
        }
    }

    @Test
    void timers_are_told_in_the_order_in_which_they_are_due() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.timer(HOUR);
            Durable.timer(Duration.ofMinutes(5));
            Durable.timer(HOUR);
            Durable.timer(Duration.ofHours(9));
            w.acts.nothing();
            return "";
        })) {
            assertThat(run.instance().nextTimer()).isEqualTo(GivenRun.START.plusSeconds(300));
            assertThat(run.instance().dueTimers(GivenRun.START.plus(HOUR)))
                    .extracting(TimerDue::seq)
                    .containsExactly(2, 1, 3);
            assertThat(run.instance().dueTimers(GivenRun.START)).isEmpty();
        }
    }

    @Test
    void a_timer_is_due_to_the_microsecond_and_never_early_and_never_later_than_a_store_can_tell() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.timer(Duration.ofNanos(1));
            Durable.timer(Duration.ofSeconds(Long.MAX_VALUE));
            Durable.timer(Duration.ofDays(9_000 * 365));
            w.acts.nothing();
            return "";
        })) {
            assertThat(run.instance().dueTimers(Instant.MAX))
                    .extracting(TimerDue::fireAt)
                    .containsExactly(
                            GivenRun.START.plusNanos(1_000),
                            Instant.parse("9999-12-31T23:59:59Z"),
                            Instant.parse("9999-12-31T23:59:59Z"));
        }
    }
}
