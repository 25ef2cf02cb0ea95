package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.MapResult;
import dev.durable.Promise;
import dev.durable.PromiseFailedException;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.StalledException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code Promise.map} some of whose items may fail. */
class TolerantMapTest {
    private static final List<String> ITEMS = List.of("a", "b", "c", "d");

    private static String shown(MapResult<String, String> result) {
        return result.results()
                + " "
                + result.failures().stream()
                        .map(failed -> failed.index() + failed.item())
                        .toList()
                + " " + result.unfinished() + " " + result.succeeded();
    }

    private static IllegalStateException broken() {
        return new IllegalStateException("broken");
    }

    @Test
    void as_many_failures_as_are_tolerated_leave_the_others_their_results_in_order() {
        try (GivenRun run =
                GivenRun.of(w -> shown(Promise.map(ITEMS, o -> o.atOnce(3).toleratedFailures(2), w.acts::a)))) {
            run.expect("schedule 1 Acts.a[\"a\"]", "schedule 2 Acts.a[\"b\"]", "schedule 3 Acts.a[\"c\"]");
            run.failed(2, broken()).expect("schedule 4 Acts.a[\"d\"]");
            run.completed(4, "D").evicted().completed(3, "C").expectOpen();
            run.failed(1, broken()).expectClose("completed \"[C, D] [0a, 1b] [] true\"");
        }
    }

    @Test
    void one_failure_more_ends_it_and_cancels_what_is_under_way() {
        try (GivenRun run =
                GivenRun.of(w -> shown(Promise.map(ITEMS, o -> o.atOnce(3).toleratedFailures(1), w.acts::a)))) {
            run.failed(1, broken()).failed(2, broken());
            run.expect("cancel activity 4", "cancel activity 3").expectClose("completed \"[] [0a, 1b] [c, d] false\"");
        }
    }

    @Test
    void enough_successes_end_it_and_items_that_were_not_begun_never_begin() {
        try (GivenRun run = GivenRun.of(w -> {
            MapResult<String, String> result =
                    Promise.map(ITEMS, o -> o.atOnce(2).minSuccessful(2), w.acts::a);
            return shown(result) + result.throwIfFailed().successes() + " " + result;
        })) {
            run.failed(1, broken()).expect("schedule 3 Acts.a[\"c\"]");
            run.completed(3, "C").expect("schedule 4 Acts.a[\"d\"]");
            run.completed(2, "B")
                    .expect("cancel activity 4")
                    .expectClose("completed \"[B, C] [0a] [d] true[Success[index=1], Success[index=2]]"
                            + " MapResult[2 succeeded, 1 failed, 1 unfinished]\"");
        }
    }

    @Test
    void it_ends_as_soon_as_enough_successes_can_not_be_had() {
        try (GivenRun run = GivenRun.of(
                w -> shown(Promise.map(ITEMS, o -> o.minSuccessful(3).toleratedFailures(4), w.acts::a)))) {
            run.failed(1, broken()).expect();
            run.failed(3, broken())
                    .expect("cancel activity 2", "cancel activity 4")
                    .expectClose("completed \"[] [0a, 2c] [b, d] false\"");
        }
    }

    @Test
    void without_options_the_first_failure_ends_it_and_is_thrown_on_demand() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (GivenRun run = GivenRun.of(w -> {
            MapResult<Integer, Integer> result = Promise.map(List.of(1, 2), o -> {}, w.acts::count);
            try {
                return result.throwIfFailed().results().toString();
            } catch (PromiseFailedException e) {
                thrown.set(e);
                return result.failures().getFirst().toString();
            }
        })) {
            run.failed(2, new Acts.Declined("no money"))
                    .expect("cancel activity 1")
                    .expectClose("completed \"Failed[index=1]\"");
            assertThat(thrown.get())
                    .hasMessage("Promise.map did not succeed: of 2 items 0 succeeded, 1 failed, and 1 were cancelled or"
                            + " not begun. The first failure is that of item 1:"
                            + " dev.durable.internal.replay.call.Acts$Declined: no money")
                    .hasCauseInstanceOf(Acts.Declined.class);
        }
    }

    @Test
    void no_items_succeed_and_fewer_items_than_must_succeed_begin_nothing() {
        try (GivenRun run = GivenRun.of(w -> {
            w.see(shown(Promise.map(List.<String>of(), o -> {}, w.acts::a)));
            MapResult<String, String> few = Promise.map(List.of("a"), o -> o.minSuccessful(2), w.acts::a);
            w.see(shown(few));
            return few.throwIfFailed();
        })) {
            run.expect()
                    .expectSeen("[] [] [] true", "[] [] [a] false")
                    .expectClose("failed dev.durable.PromiseFailedException: Promise.map did not succeed: of 1 items 0"
                            + " succeeded, 0 failed, and 1 were cancelled or not begun. There are fewer items than"
                            + " minSuccessful asks for.");
        }
    }

    @Test
    void results_may_be_null_and_a_cancellation_of_the_items_own_is_a_failure() {
        try (GivenRun run = GivenRun.of(w -> shown(Promise.map(List.of("a", "b"), o -> o.toleratedFailures(1), item -> {
            Promise<String> call = async(w.acts::a, item);
            if (item.equals("b")) {
                call.cancel();
            }
            return call.get();
        })))) {
            run.completed(1, null).expectClose("completed \"[null] [1b] [] true\"");
        }
    }

    @Test
    void cancelling_the_coroutine_that_maps_cancels_its_items() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> mapping = async(() -> {
                try {
                    Promise.map(ITEMS, o -> o.atOnce(2).toleratedFailures(4), w.acts::a);
                } catch (CancelledException e) {
                    w.see(e.getMessage());
                    throw e;
                }
            });
            Durable.await(() -> w.has("stop"));
            mapping.cancel();
            Durable.await(mapping::isDone);
            return "went on";
        })) {
            run.tell("stop")
                    .expect("cancel activity 1", "cancel activity 2")
                    .expectSeen("Promise.cancel was called")
                    .expectClose("completed \"went on\"");
        }
    }

    @Test
    void an_item_that_ends_in_its_clean_up_after_the_map_changes_nothing_of_the_outcome() {
        try (GivenRun run = GivenRun.of(w -> {
            MapResult<String, String> result =
                    Promise.map(ITEMS, o -> o.atOnce(2).minSuccessful(1), item -> {
                        try {
                            return w.acts.a(item);
                        } catch (CancelledException e) {
                            return Durable.detached(() -> w.acts.a("undo " + item));
                        }
                    });
            w.acts.nothing();
            return shown(result);
        })) {
            run.completed(1, "A")
                    .expect("cancel activity 2", "schedule 3 Acts.nothing[]", "schedule 4 Acts.a[\"undo b\"]");
            run.completed(4, "undone").expect();
            run.completed(3, null).expectClose("completed \"[A] [] [b, c, d] true\"");
        }
    }

    @Test
    void a_thousand_items_keep_their_order_and_their_bound() {
        try (GivenRun run = GivenRun.of(w -> {
            List<Integer> items = IntStream.range(0, 1_000).boxed().toList();
            List<Integer> under = new ArrayList<>(List.of(0, 0));
            MapResult<Integer, Integer> result =
                    Promise.map(items, o -> o.atOnce(20).toleratedFailures(500), item -> {
                        under.set(0, under.get(0) + 1);
                        under.set(1, Math.max(under.get(1), under.get(0)));
                        Promise<Void> other = async(() -> {});
                        other.get();
                        under.set(0, under.get(0) - 1);
                        if (item % 2 == 1) {
                            throw new IOException("odd");
                        }
                        return item / 2;
                    });
            return result.results().equals(IntStream.range(0, 500).boxed().toList()) + " "
                    + result.failures().get(499).index() + " " + under.get(1) + " " + result.succeeded();
        })) {
            run.expectClose("completed \"true 999 20 true\"");
        }
    }

    @Test
    void a_misuse_in_an_item_is_no_failure_to_be_tolerated() {
        assertThatThrownBy(() -> GivenRun.of(w -> Promise.map(ITEMS, o -> o.toleratedFailures(4), item -> {
                    Promise.any(List.of());
                    return item;
                })))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Promise.any needs at least one promise");
    }

    @Test
    void bad_options_say_what_is_allowed() {
        assertRefused(o -> o.atOnce(0), "Promise.map: atOnce must be at least 1, not 0. Leave it out for the default.");
        assertRefused(o -> o.minSuccessful(0), "Promise.map: minSuccessful must be at least 1, not 0.");
        assertRefused(o -> o.toleratedFailures(-1), "Promise.map: toleratedFailures must be at least 0, not -1.");
    }

    private static void assertRefused(java.util.function.Consumer<dev.durable.MapOptionsBuilder> options, String text) {
        assertThatThrownBy(() -> GivenRun.of(w -> Promise.map(ITEMS, options, w.acts::a)))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(text);
    }
}
