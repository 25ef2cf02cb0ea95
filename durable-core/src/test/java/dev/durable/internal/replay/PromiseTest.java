package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.PromiseFailedException;
import dev.durable.RemoteException;
import dev.durable.history.TimeoutType;
import dev.durable.internal.replay.call.Acts;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The results and failures of promises, alone and together (rule 11). */
class PromiseTest {

    // ── failures of activities ──────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_named_exception_comes_back_as_itself_with_the_details_suppressed() {
        AtomicReference<Throwable> caught = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return w.acts.count(1);
            } catch (Acts.Declined e) {
                caught.set(e);
                return "declined: " + e.getMessage();
            }
        })) {
            run.failed(1, new Acts.Declined("no money")).expectClose("completed \"declined: no money\"");
            assertThat(caught.get().getSuppressed())
                    .singleElement()
                    .isInstanceOfSatisfying(ActivityFailedException.class, details -> {
                        assertThat(details)
                                .hasMessage(
                                        "Acts.count (activity 1) failed in attempt 3: dev.durable.internal.replay.call.Acts$Declined:"
                                                + " no money")
                                .hasNoCause();
                        assertThat(details.activity()).isEqualTo("Acts.count");
                        assertThat(details.seq()).isEqualTo(1);
                        assertThat(details.attempt()).isEqualTo(3);
                    });
        }
    }

    @Test
    void any_other_exception_comes_as_data() {
        AtomicReference<Throwable> caught = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return w.acts.a("x");
            } catch (ActivityFailedException e) {
                caught.set(e);
                return e.failure().type();
            }
        })) {
            run.failed(1, new IllegalStateException("broken", new IOException("pipe")))
                    .expectClose("completed \"java.lang.IllegalStateException\"");
            assertThat(caught.get())
                    .hasMessage("Acts.a (activity 1) failed in attempt 3: java.lang.IllegalStateException: broken")
                    .cause()
                    .isInstanceOfSatisfying(
                            RemoteException.class,
                            remote -> assertThat(remote.type()).isEqualTo("java.lang.IllegalStateException"))
                    .cause()
                    .isInstanceOf(RemoteException.class)
                    .hasMessageContaining("pipe");
        }
    }

    @Test
    void a_timeout_says_which_one() {
        AtomicReference<ActivityTimedOutException> caught = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return w.acts.a("x");
            } catch (ActivityTimedOutException e) {
                caught.set(e);
                return "late";
            }
        })) {
            run.timedOut(1).expectClose("completed \"late\"");
            assertThat(caught.get().timeout()).isEqualTo(TimeoutType.START_TO_CLOSE);
            assertThat(caught.get())
                    .hasMessage(
                            "Acts.a (activity 1) ran out of its start-to-close timeout in attempt 2, and its policy allows"
                                    + " no further one");
        }
    }

    @Test
    void get_with_a_type_throws_it_as_it_is_and_get_without_wraps_what_is_checked() {
        AtomicReference<Throwable> wrapped = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            Promise<Integer> count = async(w.acts::count, 1);
            try {
                count.get(Acts.Declined.class);
            } catch (Acts.Declined e) {
                w.see("itself: " + e.getMessage());
            }
            try {
                count.get();
            } catch (ActivityFailedException e) {
                wrapped.set(e);
            }
            return "";
        })) {
            run.failed(1, new Acts.Declined("no")).expectSeen("itself: no");
            assertThat(wrapped.get())
                    .hasMessage(
                            "Acts.count (activity 1) failed in attempt 3: dev.durable.internal.replay.call.Acts$Declined: no")
                    .hasCauseInstanceOf(Acts.Declined.class);
        }
    }

    @Test
    void a_coroutines_checked_exception_is_the_cause_of_what_get_throws() {
        AtomicReference<Throwable> wrapped = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> body = async(() -> {
                throw new IOException("disk");
            });
            try {
                body.get();
            } catch (PromiseFailedException e) {
                wrapped.set(e);
            }
            body.get(IOException.class);
            return "";
        })) {
            run.expectClose("failed java.io.IOException: disk");
            assertThat(wrapped.get())
                    .hasMessage("async 1 failed: java.io.IOException: disk")
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    // ── then and handle ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void then_goes_on_with_the_result_and_passes_a_failure_through() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> a = async(w.acts::a, "1").then(value -> value + w.acts.a("2"));
            Promise<String> b = async(() -> {
                        throw new IllegalStateException("b");
                    })
                    .then(value -> "never");
            String handled = b.<String>handle((value, failure) -> value + " " + failure.getMessage())
                    .get();
            return a.get() + handled;
        })) {
            run.completed(1, "one").expect("schedule 2 Acts.a[\"2\"]");
            run.completed(2, "two").expectClose("completed \"onetwonull b\"");
        }
    }

    // ── all, any, map ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void all_gives_the_results_in_the_order_of_the_promises() {
        try (GivenRun run = GivenRun.of(w -> {
            List<String> results = Promise.all(
                    async(w.acts::a, "1"),
                    async(w.acts::a, "2"),
                    Durable.timer(Duration.ZERO).then(v -> "0"));
            return results + " " + Promise.all(List.of());
        })) {
            run.completed(2, "b").expectOpen();
            run.completed(1, "a").expectClose("completed \"[a, b, 0] []\"");
        }
    }

    @Test
    void all_fails_with_the_first_failure_in_order_of_settling_and_the_others_go_on() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> one = async(w.acts::a, "1");
            Promise<String> two = async(w.acts::a, "2");
            Promise<String> three = async(w.acts::a, "3");
            try {
                Promise.all(one, two, three);
            } catch (ActivityFailedException e) {
                w.see(e.getMessage());
            }
            w.see(three.get());
            try {
                Promise.all(one, two, three);
            } catch (ActivityFailedException e) {
                w.see("again " + e.seq());
            }
            return "";
        })) {
            run.failed(2, new IllegalStateException("second"))
                    .expect()
                    .expectSeen("Acts.a (activity 2) failed in attempt 3: java.lang.IllegalStateException: second");
            run.failed(1, new IllegalStateException("first")).completed(3, "third");
            run.expectClose("completed \"\"");
        }
    }

    @Test
    void any_is_the_first_success_and_fails_when_all_failed() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> one = async(w.acts::a, "1");
            Promise<String> two = async(w.acts::a, "2");
            w.see(Promise.any(one, two));
            Promise<String> three = async(w.acts::a, "3");
            Promise<String> four = async(w.acts::a, "4");
            try {
                Promise.any(three, four);
            } catch (ActivityFailedException e) {
                w.see("failed " + e.seq());
                w.see("then "
                        + Arrays.stream(e.getSuppressed())
                                .map(Throwable::getMessage)
                                .toList());
            }
            try {
                Promise.any(List.of());
            } catch (IllegalStateException e) {
                w.see(e.getMessage());
            }
            return "";
        })) {
            run.failed(1, new IllegalStateException("1")).expectSeen();
            run.completed(2, "two").expectSeen("two");
            run.failed(4, new IllegalStateException("4")).failed(3, new IllegalStateException("3"));
            run.expectSeen(
                    "two",
                    "failed 4",
                    "then [Acts.a (activity 3) failed in attempt 3: java.lang.IllegalStateException: 3]",
                    "Promise.any needs at least one promise: nothing would ever be the first");
        }
    }

    @Test
    void map_has_so_many_at_once_and_gives_the_results_in_order() {
        try (GivenRun run = GivenRun.of(
                w -> Promise.map(List.of("a", "b", "c"), 2, w.acts::a).toString())) {
            run.expect("schedule 1 Acts.a[\"a\"]", "schedule 2 Acts.a[\"b\"]");
            run.completed(2, "B").expect("schedule 3 Acts.a[\"c\"]");
            run.completed(3, "C").expect();
            run.completed(1, "A").expectClose("completed \"[A, B, C]\"");
        }
    }

    @Test
    void the_first_failure_of_map_cancels_the_rest() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Promise.map(List.of("a", "b", "c"), 2, w.acts::a).toString();
            } catch (ActivityFailedException e) {
                return w.acts.a("failed " + e.seq());
            }
        })) {
            run.failed(2, new IllegalStateException("b"))
                    .expect("cancel activity 1", "schedule 3 Acts.a[\"failed 2\"]")
                    .expectOpen();
        }
    }

    @Test
    void results_may_be_null() {
        try (GivenRun run = GivenRun.of(w ->
                Promise.all(async(w.acts::a, "1"), async(() -> null)).toString()
                        + Promise.map(List.of("x"), 1, x -> null))) {
            run.completed(1, null).expectClose("completed \"[null, null][null]\"");
        }
    }
}
