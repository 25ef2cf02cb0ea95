package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static dev.durable.Durable.await;
import static dev.durable.Durable.detached;

import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules 5 and 6: cancelling a promise or the run, and what a cancelled coroutine may still do. */
class CancelTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void a_cancelled_activity_is_cancelled_now_and_its_outcome_gives_no_commands() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            label.cancel();
            try {
                label.get();
            } catch (CancelledException e) {
                w.see(e.getMessage());
            }
            w.acts.nothing();
            return "";
        })) {
            run.expect("schedule 1 Acts.a[\"label\"]", "cancel activity 1", "schedule 2 Acts.nothing[]")
                    .expectSeen("activity 1 Acts.a was cancelled: Promise.cancel was called");
            run.completed(1, "too late").expect();
            run.completed(2, null).expectClose("completed \"\"");
        }
    }

    @Test
    void cancelling_a_coroutine_cancels_all_it_has_open_in_the_order_it_was_started() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> work = async(() -> {
                async(w.acts::a, "1");
                Durable.timer(HOUR);
                async(() -> w.acts.a("2"));
                Promise<Void> mine = Durable.timer(HOUR);
                try {
                    mine.get();
                } catch (CancelledException e) {
                    w.see("work: " + e.getMessage());
                }
            });
            await(() -> w.has("stop"));
            work.cancel();
            work.get();
            return "";
        })) {
            run.expect("schedule 1 Acts.a[\"1\"]", "timer 1 PT1H", "timer 2 PT1H", "schedule 2 Acts.a[\"2\"]");
            run.tell("stop")
                    .expect("cancel activity 1", "cancel timer 1", "cancel activity 2", "cancel timer 2")
                    .expectSeen("work: timer 2 due 2026-01-01T01:00:00Z was cancelled: Promise.cancel was called")
                    .expectClose("completed \"\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "2", "4", "12", "23", "34", "14", "41", "123", "321", "1234", "4321", "2413"})
    void what_has_ended_is_not_cancelled_and_what_is_left_is_in_the_order_it_was_started(String ended) {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> work = async(() -> {
                for (int i = 1; i <= 4; i++) {
                    async(w.acts::a, "" + i);
                }
                await(() -> w.has("one more"));
                async(w.acts::a, "5");
                await(() -> false);
            });
            await(() -> w.has("stop"));
            work.cancel();
            return "";
        })) {
            ended.chars().forEach(seq -> run.completed(seq - '0', "").expect());
            run.tell("one more").expect("schedule 5 Acts.a[\"5\"]");
            String[] left = IntStream.rangeClosed(1, 5)
                    .filter(seq -> ended.indexOf('0' + seq) < 0)
                    .mapToObj(seq -> "cancel activity " + seq)
                    .toArray(String[]::new);
            run.tell("stop").expect(left);
        }
    }

    @Test
    void a_coroutine_that_has_not_begun_never_runs() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> never = async(() -> w.see("ran"));
            never.cancel();
            Promise<String> pending = async(w.acts::a, "x").then(value -> {
                w.see("then ran");
                return value;
            });
            pending.cancel();
            w.acts.nothing();
            return never.isDone() + " " + pending.isDone();
        })) {
            run.completed(1, "x").expectSeen().completed(2, null).expectClose("completed \"true true\"");
        }
    }

    @Test
    void a_cancelled_coroutine_gets_the_exception_from_every_wait_and_command_but_not_in_detached() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> known = async(w.acts::a, "known");
            known.get();
            Promise<?> work = async(() -> {
                try {
                    await(() -> false);
                } catch (CancelledException e) {
                    w.see("await: " + e.getMessage());
                }
                refused(w, "sleep", () -> Durable.sleep(HOUR));
                refused(w, "activity", () -> w.acts.nothing());
                refused(w, "async", () -> async(() -> w.see("never")));
                refused(w, "side effect", () -> Durable.sideEffect(Integer.class, () -> 1));
                refused(w, "await", () -> await(() -> false));
                w.see("settled is given: " + known.get());
                await(() -> true);
                w.see("version " + Durable.version("v", 0, 1));
                detached(() -> w.acts.a("clean-up"));
                refused(w, "again", () -> w.acts.nothing());
            });
            await(() -> w.has("stop"));
            work.cancel();
            work.get();
            return "";
        })) {
            run.completed(1, "k");
            run.tell("stop")
                    .expect("version v 1", "schedule 2 Acts.a[\"clean-up\"]")
                    .expectSeen(
                            "await: Promise.cancel was called",
                            "sleep refused",
                            "activity refused",
                            "async refused",
                            "side effect refused",
                            "await refused",
                            "settled is given: k",
                            "version 1");
            run.completed(2, "ok").expectClose("completed \"\"");
        }
    }

    private static void refused(Scripted w, String what, dev.durable.VoidBody call) throws Exception {
        try {
            call.run();
            w.see(what + " went through");
        } catch (CancelledException e) {
            w.see(what + " refused");
        }
    }

    @Test
    void what_is_started_in_detached_is_not_cancelled_from_outside() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> work = async(() -> {
                detached(() -> {
                    async(w.acts::a, "kept");
                    async(() -> w.see("kept: " + w.acts.a("too")));
                    w.see("inline: " + w.acts.a("three"));
                });
                w.acts.nothing();
            });
            await(() -> w.has("stop"));
            work.cancel();
            work.get();
            return "";
        })) {
            run.tell("stop").expect();
            run.completed(2, "2").expect().expectSeen("inline: 2").expectClose("open");
            run.completed(3, "3").expectSeen("inline: 2", "kept: 3").expectClose("open");
            run.completed(1, "1")
                    .expectClose("failed dev.durable.CancelledException: "
                            + "Acts.nothing was refused: Promise.cancel was called");
        }
    }

    @Test
    void cancelling_itself_takes_effect_at_the_next_wait() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?>[] self = new Promise<?>[1];
            self[0] = async(() -> {
                self[0].cancel();
                w.see("still here");
                w.acts.nothing();
            });
            try {
                self[0].get();
            } catch (CancelledException e) {
                w.see("cancelled");
            }
            return "";
        })) {
            run.expect().expectSeen("still here", "cancelled").expectClose("completed \"\"");
        }
    }

    @Test
    void a_cancelled_run_says_who_and_why_and_closes_as_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> other = async(w.acts::a, "other");
            try {
                w.acts.nothing();
                return other.get();
            } catch (CancelledException e) {
                w.see(e.getMessage());
                throw e;
            }
        })) {
            run.cancelRequested("too late")
                    .expect("cancel activity 1", "cancel activity 2")
                    .expectSeen("activity 2 Acts.nothing was cancelled: the run was cancelled by ann: too late")
                    .expectClose("cancelled too late");
        }
    }

    @Test
    void a_run_may_survive_its_cancellation_or_fail_instead() {
        try (GivenRun survivor = GivenRun.of(w -> {
                    try {
                        await(() -> false);
                    } catch (CancelledException e) {
                        w.see(e.getMessage());
                    }
                    return "anyway";
                });
                GivenRun failing = GivenRun.of(w -> {
                    try {
                        await(() -> false);
                    } finally {
                        throwSomething();
                    }
                    return "";
                })) {
            survivor.cancelRequested("x")
                    .expectSeen("the run was cancelled by ann: x")
                    .expectClose("completed \"anyway\"");
            failing.cancelRequested("x").expectClose("failed java.lang.IllegalStateException: something");
        }
    }

    private static void throwSomething() {
        throw new IllegalStateException("something");
    }

    @Test
    void a_cancellation_nobody_asked_the_run_for_is_a_failure() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            label.cancel();
            return label.get();
        })) {
            run.expectClose("failed dev.durable.CancelledException: "
                    + "activity 1 Acts.a was cancelled: Promise.cancel was called");
        }
    }
}
