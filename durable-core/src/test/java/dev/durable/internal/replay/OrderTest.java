package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static dev.durable.Durable.await;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules 1 to 3: the order in which coroutines run. */
class OrderTest {

    @Test
    void an_activity_call_is_a_command_and_its_outcome_the_result() {
        try (GivenRun run = GivenRun.of(w -> w.acts.a("x") + "!")) {
            run.expect("schedule 1 Acts.a[\"x\"]").expectOpen();
            run.completed(1, "done").expect().expectClose("completed \"done!\"");
        }
    }

    @Test
    void a_coroutine_starts_when_its_caller_blocks_and_ready_ones_run_first_in_first_out() {
        try (GivenRun run = GivenRun.of(w -> {
            async(() -> w.see("first"));
            async(() -> {
                w.see("second");
                async(() -> w.see("fourth"));
            });
            async(() -> w.see("third"));
            w.see("caller");
            Durable.sleep(java.time.Duration.ofMinutes(1));
            w.see("after the sleep");
            return "";
        })) {
            run.expectSeen("caller", "first", "second", "third", "fourth");
            run.fired(1).expectSeen("caller", "first", "second", "third", "fourth", "after the sleep");
        }
    }

    @Test
    void waiters_of_one_promise_go_on_in_the_order_in_which_they_began_to_wait() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            List<Promise<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int number = i;
                all.add(async(() -> w.see(number + label.get())));
            }
            w.see("main " + label.get());
            Promise.all(all);
            return "";
        })) {
            // the run's own wait began before those of the coroutines, which start when it blocks
            run.completed(1, "!").expectSeen("main !", "0!", "1!", "2!", "3!");
        }
    }

    @Test
    void who_waits_again_waits_behind_those_who_went_on_waiting() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = async(w.acts::a, "label");
            List<Promise<?>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                all.add(async(() -> {
                    try {
                        if (number == 0) {
                            label.get(Duration.ofSeconds(1));
                        }
                    } catch (WaitTimedOutException e) {
                        w.see("0 gave up");
                    }
                    w.see(number + label.get());
                }));
            }
            Promise.all(all);
            return "";
        })) {
            run.fired(1).expectSeen("0 gave up");
            run.completed(1, "!").expectSeen("0 gave up", "1!", "2!", "0!");
        }
    }

    @Test
    void what_settled_first_goes_on_first_within_a_turn() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> start = async(w.acts::a, "start");
            Promise<String> left = start.then(value -> value + "l");
            Promise<String> right = start.then(value -> value + "r");
            async(() -> w.see("right " + right.get()));
            async(() -> w.see("left " + left.get()));
            return Promise.all(left, right).toString();
        })) {
            run.completed(1, "s").expectSeen("left sl", "right sr").expectClose("completed \"[sl, sr]\"");
        }
    }

    @Test
    void a_condition_holds_when_await_returns_even_where_others_wait_to_break_it() {
        try (GivenRun run = GivenRun.of(w -> {
            List<Promise<?>> takers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int taker = i;
                takers.add(async(() -> {
                    await(() -> !w.flags.isEmpty());
                    w.see("taker " + taker + " took " + w.flags.removeFirst());
                }));
            }
            Promise.all(takers);
            return "";
        })) {
            run.tell("a").expectSeen("taker 0 took a");
            run.tell("b").expectSeen("taker 0 took a", "taker 1 took b");
            run.tell("c").expectClose("completed \"\"");
        }
    }

    @Test
    void a_condition_that_holds_goes_before_everything_in_the_queue() {
        try (GivenRun run = GivenRun.of(w -> {
            async(() -> {
                await(() -> w.has("go"));
                w.see("condition");
            });
            w.onSignal((object, text) -> {
                async(() -> object.see("queued before"));
                object.flags.add(text);
                object.see("handler");
            });
            w.acts.nothing();
            return "";
        })) {
            run.tell("go").expectSeen("handler", "condition", "queued before");
        }
    }

    @Test
    void conditions_are_evaluated_in_the_order_of_their_waits_and_again_after_each_step() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> last = async(() -> {
                await(() -> w.has("b"));
                w.see("saw b");
                w.flags.add("c");
            });
            async(() -> {
                await(() -> w.has("c"));
                w.see("saw c");
            });
            async(() -> {
                await(() -> w.has("a"));
                w.see("saw a");
                w.flags.add("b");
            });
            last.get();
            return "";
        })) {
            run.tell("a").expectSeen("saw a", "saw b", "saw c");
        }
    }

    @Test
    void the_run_comes_to_its_first_wait_before_any_handler() {
        try (GivenRun run = GivenRun.of(w -> {
            w.see("run");
            await(() -> w.has("x"));
            return "";
        })) {
            run.tell("x").expectSeen("run").expectClose("completed \"\"");
        }
    }

    @Test
    void an_exception_out_of_a_condition_is_its_coroutines() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                await(() -> w.flags.getFirst().equals("go"));
                return "no";
            } catch (java.util.NoSuchElementException e) {
                w.flags.add("");
                await(() -> {
                    if (w.has("boom")) {
                        throw new IllegalStateException("boom");
                    }
                    return false;
                });
                return "never";
            }
        })) {
            run.expectOpen();
            run.tell("boom").expectClose("failed java.lang.IllegalStateException: boom");
        }
    }

    @Test
    void more_than_a_thousand_conditions_are_refused() {
        try (GivenRun run = GivenRun.of(w -> {
            for (int i = 0; i < 1_001; i++) {
                async(() -> await(() -> w.has("never"))).handle((ok, failure) -> {
                    w.see(failure.getMessage());
                    return null;
                });
            }
            w.acts.nothing();
            return "";
        })) {
            run.expectSeen("More than 1000 conditions wait in one run; each is evaluated after every step."
                    + " Wait for promises instead, or for one condition over all of them.");
        }
    }
}
