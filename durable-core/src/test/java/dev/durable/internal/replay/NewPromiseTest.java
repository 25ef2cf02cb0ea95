package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static dev.durable.Durable.newPromise;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.CompletablePromise;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.PromiseFailedException;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.history.Payload;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.StalledException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Promises that the code of a run completes. */
class NewPromiseTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Made in a field, so that a handler finds it whenever it runs. */
    @Workflow
    static class Approval {
        private final CompletablePromise<String> approval = newPromise(String.class);

        @Run
        String run(String order) {
            return order + " approved by " + approval.get();
        }

        @Signal
        void approve(String by) {
            approval.complete(by);
        }

        @Query
        boolean asks() {
            return !approval.isDone();
        }

        @Query
        boolean completes() {
            return approval.complete("query");
        }
    }

    @Test
    void a_handler_completes_it_and_nothing_is_recorded_of_it() {
        try (GivenRun run = GivenRun.of(Approval.class, "42")) {
            run.expect();
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("Durable.newPromise(String)");
            assertThat(run.instance().query("asks", Payload.NO_ARGUMENTS).json())
                    .isEqualTo("true");
            assertThatThrownBy(() -> run.instance().query("completes", Payload.NO_ARGUMENTS))
                    .isInstanceOf(QueryFailedException.class)
                    .hasMessageContaining("CompletablePromise.complete was called in a query.");
            run.signal("approve", "ann").expect().expectClose("completed \"42 approved by ann\"");
        }
    }

    @Test
    void the_first_completion_wins_and_says_so() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            w.onSignal((object, text) -> object.see(
                    text + " " + promise.complete(text) + " " + promise.fail(new IllegalStateException("late"))));
            String first = promise.get();
            w.see("get " + first);
            promise.cancel();
            return first + promise.get() + w.acts.a("x");
        })) {
            run.tell("one").expect("schedule 1 Acts.a[\"x\"]").expectSeen("one true false", "get one");
            run.tell("two").expectSeen("one true false", "get one", "two false false");
            run.evicted().completed(1, "!").expectClose("completed \"oneone!\"");
        }
    }

    @Test
    void who_waits_goes_on_in_the_order_of_the_waits_when_the_completing_coroutine_waits() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<Integer> promise = newPromise(int.class);
            Promise<Void> first = async(() -> w.see("first " + promise.get()));
            Promise<Integer> twice = promise.then(n -> 2 * n);
            Promise<String> handled = promise.handle((n, failure) -> "handled " + n);
            async(() -> {
                w.see("completes " + promise.complete(7) + " " + promise.isDone());
                w.see("still");
            });
            first.get();
            return twice.get() + handled.get() + Promise.all(promise, twice) + Promise.any(List.of(promise));
        })) {
            run.expectSeen("completes true true", "still", "first 7").expectClose("completed \"14handled 7[7, 14]7\"");
        }
    }

    @Test
    void a_failure_is_thrown_as_that_of_any_promise() {
        AtomicReference<Throwable> checked = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<List<String>> promise = newPromise(new TypeRef<List<String>>() {});
            w.see("first " + promise.fail(new IOException("disk")));
            w.see("second " + promise.complete(List.of()));
            try {
                promise.get();
            } catch (PromiseFailedException e) {
                checked.set(e);
            }
            promise.get(IOException.class);
            return "";
        })) {
            run.expectSeen("first true", "second false").expectClose("failed java.io.IOException: disk");
            assertThat(checked.get())
                    .hasMessage("Durable.newPromise(List<String>) failed: java.io.IOException: disk")
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void cancel_ends_it_for_all_who_wait_and_cancelling_a_waiter_does_not() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            Promise<String> waiter = async(() -> {
                try {
                    return promise.get();
                } catch (CancelledException e) {
                    w.see("waiter: " + e.getMessage());
                    throw e;
                }
            });
            Durable.await(() -> w.has("stop waiter"));
            waiter.cancel();
            w.see("done " + promise.isDone());
            Durable.await(() -> w.has("stop"));
            promise.cancel();
            w.see("completed " + promise.complete("too late"));
            try {
                promise.get();
            } catch (CancelledException e) {
                w.see(e.getMessage());
            }
            return "";
        })) {
            run.tell("stop waiter").expect().expectSeen("done false", "waiter: Promise.cancel was called");
            run.tell("stop")
                    .expectSeen(
                            "done false",
                            "waiter: Promise.cancel was called",
                            "completed false",
                            "Durable.newPromise(String) was cancelled: Promise.cancel was called")
                    .expectClose("completed \"\"");
        }
    }

    @Test
    void get_with_a_time_limit_throws_and_the_promise_stays_open() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            w.onSignal((object, text) -> promise.complete(text));
            try {
                return promise.get(HOUR);
            } catch (WaitTimedOutException e) {
                w.see(e.getMessage());
            }
            return promise.get(HOUR);
        })) {
            run.expect("timer 1 PT1H").fired(1).expect("timer 2 PT1H");
            run.tell("in time")
                    .expect("cancel timer 2")
                    .expectSeen("Durable.newPromise(String) did not settle within PT1H")
                    .expectClose("completed \"in time\"");
        }
    }

    @Test
    void the_end_or_the_cancellation_of_the_coroutine_that_made_it_leaves_it_open() {
        try (GivenRun run = GivenRun.of(w -> {
            AtomicReference<CompletablePromise<String>> made = new AtomicReference<>();
            Promise<Void> maker = async(() -> {
                made.set(newPromise(String.class));
                Durable.await(() -> false);
            });
            Durable.await(() -> made.get() != null);
            maker.cancel();
            w.see("" + made.get().complete("kept"));
            return made.get().get();
        })) {
            run.expectSeen("true").expectClose("completed \"kept\"");
        }
    }

    @Test
    void a_cancelled_run_ends_the_wait_and_its_clean_up_may_complete_it() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            try {
                return promise.get();
            } catch (CancelledException e) {
                return "" + promise.complete("by clean-up") + promise.get();
            }
        })) {
            run.cancelRequested("enough").expectClose("completed \"trueby clean-up\"");
        }
    }

    @Test
    void a_handler_that_is_late_may_complete_what_shielded_clean_up_waits_for() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            w.onSignal((object, text) -> promise.complete(text));
            async(() -> {
                try {
                    Durable.await(() -> false);
                } finally {
                    Durable.detached(() -> w.see(promise.get()));
                }
            });
            w.acts.nothing();
            return "done";
        })) {
            run.completed(1, null).expectOpen();
            run.tell("late").expectSeen("late").expectClose("completed \"done\"");
        }
    }

    @Test
    void a_value_of_another_class_is_refused_where_it_is_given() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    @SuppressWarnings("unchecked")
                    CompletablePromise<Object> raw =
                            (CompletablePromise<Object>) (Promise<?>) newPromise(Integer.class);
                    return raw.complete("text");
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("CompletablePromise.complete was given a java.lang.String, and"
                        + " Durable.newPromise(Integer) takes a java.lang.Integer. Usual cause: an unchecked cast, or a"
                        + " raw type. Complete it with a value of that type, or make the promise for another one.");
        assertThatThrownBy(() -> GivenRun.of(w -> newPromise(String.class).fail(null)))
                .hasMessageContaining("CompletablePromise.fail was given null, and Durable.newPromise(String) needs the"
                        + " exception that its get() throws. Use complete(null) for a result that is null.");
    }

    @Test
    void another_run_and_another_thread_are_refused() {
        AtomicReference<CompletablePromise<String>> leaked = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            leaked.set(newPromise(String.class));
            return leaked.get().get();
        })) {
            assertThatThrownBy(() -> leaked.get().complete("x"))
                    .hasMessageContaining("CompletablePromise.complete was called outside a workflow, on thread '");
            assertThatThrownBy(() -> GivenRun.of(w -> leaked.get().complete("x")))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("CompletablePromise.complete was called on a promise of another run.");
            run.expectOpen();
        }
        assertThatThrownBy(() -> newPromise(String.class))
                .hasMessageContaining("Durable.newPromise was called outside a workflow");
    }

    @Test
    void conditions_and_side_effects_may_neither_make_nor_complete_one() {
        try (GivenRun run = GivenRun.of(w -> {
            CompletablePromise<String> promise = newPromise(String.class);
            for (Runnable call : List.<Runnable>of(
                    () -> Durable.await(() -> promise.complete("x")),
                    () -> Durable.await(() -> newPromise(String.class) != null))) {
                try {
                    call.run();
                } catch (IllegalStateException e) {
                    w.see(e.getMessage().replaceFirst("\\. .*", ""));
                }
            }
            return "";
        })) {
            run.expectSeen(
                    "CompletablePromise.complete was called in a condition of Durable.await",
                    "Durable.newPromise was called in a condition of Durable.await");
        }
    }
}
