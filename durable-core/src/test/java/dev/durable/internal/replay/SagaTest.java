package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.PromiseFailedException;
import dev.durable.RetryPolicy;
import dev.durable.Saga;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.StalledException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Parts of a run that are undone as a whole. */
class SagaTest {

    private static IllegalStateException broken() {
        return new IllegalStateException("broken");
    }

    @Test
    void a_saga_that_succeeds_gives_its_value_and_undoes_nothing() {
        try (GivenRun run = GivenRun.of(w -> Durable.saga(s -> {
            s.compensate(() -> w.see("undo"));
            return w.acts.a("x");
        }))) {
            run.completed(1, "done").expectSeen().expectClose("completed \"done\"");
        }
    }

    @Test
    void a_failure_undoes_in_reverse_and_comes_out_as_it_is() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.compensate(() -> w.see("of the run"));
            try {
                return Durable.saga(s -> {
                    s.compensate(() -> w.acts.a("undo 1"));
                    s.compensate(() -> w.acts.a("undo 2"));
                    return w.acts.count(1);
                });
            } catch (Acts.Declined e) {
                return w.acts.a(e.getMessage());
            }
        })) {
            run.failed(1, new Acts.Declined("no")).expect("schedule 2 Acts.a[\"undo 2\"]");
            run.evicted().completed(2, "").expect("schedule 3 Acts.a[\"undo 1\"]");
            run.completed(3, "").expect("schedule 4 Acts.a[\"no\"]");
            run.completed(4, "went on").expectSeen().expectClose("completed \"went on\"");
        }
    }

    @Test
    void a_cancelled_run_undoes_its_sagas_before_itself_and_closes_as_cancelled() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.compensate(() -> w.acts.a("undo run"));
            Durable.sagaVoid(s -> {
                s.compensate(() -> w.acts.a("undo saga"));
                w.acts.a("charge");
            });
            return "";
        })) {
            run.cancelRequested("stop").expect("cancel activity 1").expectOpen();
            assertThat(run.instance().waits())
                    .extracting(PendingWait::what)
                    .containsExactly("the outcome of cancelled activity 1 Acts.a");
            run.evicted().completed(1, "went through").expect("schedule 2 Acts.a[\"undo saga\"]");
            run.cancelRequested("again").expect();
            run.completed(2, "").expect("schedule 3 Acts.a[\"undo run\"]");
            run.completed(3, "").expectClose("cancelled stop");
        }
    }

    @Test
    void a_body_that_survives_its_cancellation_gives_its_value_and_is_not_undone() {
        try (GivenRun run = GivenRun.of(w -> Durable.saga(s -> {
            s.compensate(() -> w.see("undo"));
            try {
                return w.acts.a("x");
            } catch (CancelledException e) {
                return "survived";
            }
        }))) {
            run.cancelRequested("stop").expect("cancel activity 1").expectSeen().expectClose("completed \"survived\"");
        }
    }

    @Test
    void undoing_waits_until_all_that_the_body_has_started_has_ended() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> outside = async(w.acts::a, "outside");
            try {
                Durable.sagaVoid(s -> {
                    s.compensate(() -> w.see("undo"));
                    async(w.acts::a, "in flight");
                    async(() -> async(w.acts::a, "deeper"));
                    async(() -> Durable.detached(() -> w.acts.a("clean-up")));
                    w.acts.nothing();
                });
            } catch (ActivityFailedException e) {
                w.see("failed " + e.seq());
            }
            return outside.get();
        })) {
            run.expect(
                    "schedule 1 Acts.a[\"outside\"]",
                    "schedule 2 Acts.a[\"in flight\"]",
                    "schedule 3 Acts.nothing[]",
                    "schedule 4 Acts.a[\"deeper\"]",
                    "schedule 5 Acts.a[\"clean-up\"]");
            run.failed(3, broken())
                    .expect("cancel activity 2", "cancel activity 4")
                    .expectSeen();
            run.completed(2, "too late").expectSeen();
            run.completed(4, "too late").expectSeen();
            run.completed(5, "cleaned").expectSeen("undo", "failed 3");
            run.completed(1, "untouched").expectClose("completed \"untouched\"");
        }
    }

    @Test
    void an_undo_that_shielded_work_registers_after_the_failure_is_run() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.sagaVoid(s -> {
                    async(() -> Durable.detached(() -> {
                        String id = w.acts.a("reserve");
                        s.compensate(() -> w.see("undo " + id));
                        return id;
                    }));
                    w.acts.nothing();
                });
            } catch (ActivityFailedException e) {
                w.see("failed " + e.seq());
            }
            return "on";
        })) {
            run.expect("schedule 1 Acts.nothing[]", "schedule 2 Acts.a[\"reserve\"]");
            run.failed(1, broken()).expect().expectSeen();
            run.completed(2, "r-1").expectSeen("undo r-1", "failed 1");
            run.expectClose("completed \"on\"");
        }
    }

    @Test
    void a_failing_undo_is_suppressed_and_the_others_still_run() {
        AtomicReference<Exception> thrown = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.sagaVoid(s -> {
                    s.compensate(() -> w.acts.a("first"));
                    s.compensate(() -> {
                        throw new IOException("undo failed");
                    });
                    throw broken();
                });
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
            return "";
        })) {
            run.expect("schedule 1 Acts.a[\"first\"]").completed(1, "").expectClose("completed \"\"");
            assertThat(thrown.get())
                    .hasMessage("broken")
                    .satisfies(e -> assertThat(e.getSuppressed())
                            .singleElement()
                            .isInstanceOf(IOException.class)
                            .hasToString("java.io.IOException: undo failed"));
        }
    }

    @Test
    void parallel_undos_run_at_once_and_the_failure_waits_for_all() {
        AtomicReference<Exception> thrown = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.sagaVoid(s -> {
                    s.parallel();
                    s.compensate(() -> w.acts.a("1"));
                    s.compensate(() -> w.acts.a("2"));
                    throw broken();
                });
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
            return "";
        })) {
            run.expect("schedule 1 Acts.a[\"2\"]", "schedule 2 Acts.a[\"1\"]");
            run.failed(1, new IOException("no")).expectOpen();
            run.evicted().completed(2, "").expectClose("completed \"\"");
            assertThat(thrown.get().getSuppressed())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ActivityFailedException.class,
                            e -> assertThat(e.seq()).isEqualTo(1));
        }
    }

    @Test
    void a_saga_that_failed_by_itself_is_no_failed_activity_although_that_of_an_undo_is_suppressed() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<Object> saga = async(() -> Durable.saga(s -> {
                s.compensate(() -> w.acts.a("undo"));
                throw new IOException("disk");
            }));
            try {
                saga.get();
                return "";
            } catch (PromiseFailedException e) {
                return e.getCause().getMessage() + ", "
                        + e.getCause().getSuppressed()[0].getMessage();
            }
        })) {
            run.failed(1, broken())
                    .expectClose("completed \"disk, Acts.a (activity 1) failed in attempt 3:"
                            + " java.lang.IllegalStateException: broken\"");
        }
    }

    @Test
    void a_body_may_undo_and_complete_all_the_same() {
        try (GivenRun run = GivenRun.of(w -> Durable.saga(s -> {
            s.compensate(() -> w.acts.a("undo"));
            s.undo();
            s.compensate(() -> w.see("never"));
            return "none";
        }))) {
            run.expect("schedule 1 Acts.a[\"undo\"]");
            run.cancelRequested("shielded").expect();
            run.completed(1, "").expectSeen().expectClose("completed \"none\"");
        }
    }

    @Test
    void an_undo_in_the_body_throws_the_first_failure_after_all_have_run() {
        AtomicReference<Exception> thrown = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> Durable.saga(s -> {
            s.compensate(() -> {
                throw broken();
            });
            s.compensate(() -> {
                throw new IOException("disk");
            });
            s.compensate(() -> w.see("undone"));
            try {
                s.undo();
            } catch (PromiseFailedException e) {
                thrown.set(e);
            }
            return "";
        }))) {
            run.expectSeen("undone").expectClose("completed \"\"");
            assertThat(thrown.get())
                    .hasMessage("an undo of the saga failed: java.io.IOException: disk")
                    .hasCauseInstanceOf(IOException.class);
            assertThat(thrown.get().getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void a_saga_that_fails_while_a_handler_undoes_it_waits_for_that_and_keeps_the_order() {
        try (GivenRun run = GivenRun.of(w -> {
            AtomicReference<Saga> kept = new AtomicReference<>();
            w.onSignal((self, text) -> kept.get().undo());
            return Durable.saga(s -> {
                kept.set(s);
                s.compensate(() -> w.acts.a("undo 1"));
                s.compensate(() -> w.acts.a("undo 2"));
                return w.acts.a("pay");
            });
        })) {
            run.tell("undo").expect("schedule 2 Acts.a[\"undo 2\"]");
            run.failed(1, broken()).expect();
            run.evicted()
                    .completed(2, "")
                    .expect("schedule 3 Acts.a[\"undo 1\"]")
                    .expectOpen();
            run.completed(3, "")
                    .expectClose("failed dev.durable.ActivityFailedException: Acts.a (activity 1) failed in attempt 3:"
                            + " java.lang.IllegalStateException: broken");
        }
    }

    @Test
    void a_saga_in_a_coroutine_that_lives_when_run_ends_is_undone_before_the_close() {
        try (GivenRun run = GivenRun.of(w -> {
            async(() -> Durable.sagaVoid(s -> {
                s.compensate(() -> w.acts.a("undo"));
                Durable.await(() -> false);
            }));
            w.acts.nothing();
            return "done";
        })) {
            run.completed(1, null).expect("schedule 2 Acts.a[\"undo\"]").expectOpen();
            run.completed(2, "").expectClose("completed \"done\"");
        }
    }

    @Test
    void a_retried_saga_is_undone_before_the_next_attempt() {
        try (GivenRun run = GivenRun.of(w -> Durable.retry(
                RetryPolicy.fixed(Duration.ofMinutes(1), 2),
                () -> Durable.saga(s -> {
                    s.compensate(() -> w.acts.a("undo"));
                    return w.acts.a("do");
                })))) {
            run.failed(1, broken()).expect("schedule 2 Acts.a[\"undo\"]");
            run.completed(2, "").expect("timer 1 PT1M").fired(1).expect("schedule 3 Acts.a[\"do\"]");
            run.completed(3, "done").expectClose("completed \"done\"");
        }
    }

    @Test
    void sagas_nest_and_the_inner_one_is_undone_first() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.sagaVoid(outer -> {
                outer.compensate(() -> w.see("outer"));
                Durable.sagaVoid(inner -> {
                    inner.compensate(() -> w.see("inner"));
                    throw broken();
                });
            });
            return "";
        })) {
            run.expectSeen("inner", "outer").expectClose("failed java.lang.IllegalStateException: broken");
        }
    }

    @Test
    void an_exception_by_which_the_run_stalls_undoes_nothing() {
        List<String> undone = new ArrayList<>();
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.saga(s -> {
                    s.compensate(() -> undone.add("undo"));
                    return Promise.any(List.<Promise<String>>of());
                })))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Promise.any needs at least one promise");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.saga(s -> {
                    s.compensate(() -> undone.add("undo"));
                    throw new AssertionError("mistake");
                })))
                .isInstanceOf(StalledException.class);
        assertThat(undone).isEmpty();
    }

    @Test
    void a_compensation_after_the_saga_or_in_an_undo_is_refused() {
        AtomicReference<Saga> kept = new AtomicReference<>();
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    Durable.sagaVoid(kept::set);
                    kept.get().compensate(() -> {});
                    return "";
                }))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Saga.compensate was called while the saga is being undone, or after it. Do in the"
                                + " undo what is to be done; for an undo of the whole run there is Durable.compensate.");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.saga(s -> {
                    s.compensate(() -> s.parallel());
                    throw broken();
                })))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Saga.parallel was called while the saga is being undone");
        assertThatThrownBy(() -> kept.get().undo())
                .hasMessageContaining("Saga.undo was called outside a workflow, on thread '");
    }

    @Test
    void a_cancelled_coroutine_begins_no_saga() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.await(() -> false);
            } catch (CancelledException e) {
                Durable.sagaVoid(s -> w.see("began"));
            }
            return "";
        })) {
            run.cancelRequested("stop").expectSeen().expectClose("cancelled stop");
        }
    }
}
