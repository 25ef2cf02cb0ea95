package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Things that are done when their time has come. */
class DeadlinesTest {
    private final VirtualClock clock = new VirtualClock();
    private final Deadlines deadlines = new Deadlines(clock, UnaryOperator.identity());
    private final List<String> done = new ArrayList<>();

    @Test
    void nothing_happens_early_and_all_that_is_due_happens_in_order() {
        enter(3, "c");
        enter(1, "a");
        enter(2, "b");
        enter(2, "b2");

        assertThat(deadlines.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(done).isEmpty();

        clock.advance(Duration.ofSeconds(2));
        assertThat(deadlines.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(done).containsExactly("a", "b", "b2");
    }

    @Test
    void one_that_was_cancelled_does_not_happen() {
        Deadlines.Deadline gone = enter(1, "a");
        deadlines.cancel(gone);
        deadlines.cancel(gone);
        deadlines.cancel(null);

        clock.advance(Duration.ofSeconds(5));

        assertThat(deadlines.runOnce()).isEqualTo(Step.UNTIL_WOKEN);
        assertThat(done).isEmpty();
    }

    @Test
    void the_loop_is_woken_only_for_one_in_front_of_all_others() {
        AtomicInteger woken = new AtomicInteger();
        deadlines.onEarlier(woken::incrementAndGet);

        enter(5, "a");
        enter(6, "b");
        enter(4, "c");

        assertThat(woken).hasValue(2);
    }

    @Test
    void one_that_comes_first_because_others_were_cancelled_wakes_nobody_as_the_loop_looks_before_it() {
        Deadlines.Deadline gone = enter(5, "gone");
        assertThat(deadlines.runOnce()).isEqualTo(Duration.ofSeconds(5));
        AtomicInteger woken = new AtomicInteger();
        deadlines.onEarlier(woken::incrementAndGet);

        deadlines.cancel(gone);
        enter(6, "later");
        clock.advance(Duration.ofSeconds(5));

        assertThat(woken).hasValue(0);
        assertThat(deadlines.runOnce()).isEqualTo(Duration.ofSeconds(1));
        enter(0, "now");
        assertThat(woken).hasValue(1);
    }

    @Test
    void one_that_fails_does_not_hold_up_the_others() {
        deadlines.in(Duration.ofSeconds(1), () -> {
            throw new IllegalStateException("on purpose");
        });
        enter(2, "b");
        clock.advance(Duration.ofSeconds(2));

        deadlines.runOnce();

        assertThat(done).containsExactly("b");
    }

    @Test
    void one_may_enter_another_that_is_due_at_once() {
        deadlines.in(Duration.ZERO, () -> deadlines.in(Duration.ZERO, () -> done.add("next")));

        deadlines.runOnce();

        assertThat(done).containsExactly("next");
    }

    private Deadlines.Deadline enter(int seconds, String name) {
        return deadlines.in(Duration.ofSeconds(seconds), () -> done.add(name));
    }
}
