package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobKey;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The times at which timeouts that no worker watches are looked for. */
class TimeoutsTest {
    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final ActivityBench bench = new ActivityBench();
    private final PollPace pace = PollPace.steady(LONGEST, bench.random);
    private int looks;
    private int ended;
    private final Timeouts timeouts = new Timeouts(
            bench.store,
            new Timeouts.Kinds(
                    most -> {
                        looks++;
                        return ended;
                    },
                    most -> 0,
                    most -> 0),
            pace,
            UnaryOperator.identity(),
            new Tries(System::nanoTime, UnaryOperator.identity()));

    @Test
    void with_nothing_due_one_look_is_all_there_is() {
        assertThat(ActivityBench.crank(timeouts)).isGreaterThan(LONGEST.dividedBy(2));

        assertThat(looks).isZero();
        assertThat(timeouts.tally().done().runs()).isEqualTo(1);
    }

    @Test
    void a_timeout_that_is_known_is_looked_at_when_it_passes() {
        schedule(Duration.ofMillis(700));

        assertThat(ActivityBench.crank(timeouts)).isEqualTo(Duration.ofMillis(701));
        bench.clock.advance(Duration.ofMillis(701));
        ActivityBench.crank(timeouts);

        assertThat(looks).isEqualTo(1);
    }

    @Test
    void what_is_due_and_held_by_somebody_else_is_not_asked_for_without_a_pause() {
        schedule(Duration.ofMillis(700));
        bench.clock.advance(Duration.ofSeconds(1));

        assertThat(ActivityBench.crank(timeouts)).isGreaterThan(LONGEST.dividedBy(2));
        assertThat(looks).isEqualTo(1);
    }

    @Test
    void a_full_batch_is_followed_by_another_at_once() {
        schedule(Duration.ofMillis(700));
        bench.clock.advance(Duration.ofSeconds(1));
        ended = 200;

        assertThat(ActivityBench.crank(timeouts)).isEqualTo(Step.AGAIN);
    }

    @Test
    void a_kind_that_fails_keeps_no_other_and_shows_as_late() {
        List<String> asked = new ArrayList<>();
        Timeouts failing = new Timeouts(
                allDue(),
                new Timeouts.Kinds(
                        most -> {
                            asked.add("waiting");
                            throw new IllegalStateException("a trigger");
                        },
                        most -> {
                            asked.add("external");
                            throw new IllegalArgumentException("a value of a newer version");
                        },
                        most -> {
                            asked.add("runs");
                            return 1;
                        }),
                pace,
                UnaryOperator.identity(),
                new Tries(System::nanoTime, UnaryOperator.identity()));

        assertThat(ActivityBench.crank(failing)).isPositive();

        assertThat(asked).containsExactly("waiting", "external", "runs");
        assertThat(failing.tally().done().runs()).isZero();
    }

    @Test
    void a_database_that_is_away_is_asked_once() {
        List<String> asked = new ArrayList<>();
        Timeouts away = new Timeouts(
                allDue(),
                new Timeouts.Kinds(
                        most -> {
                            asked.add("waiting");
                            throw new StoreUnavailableException("the database is away", new IllegalStateException());
                        },
                        most -> {
                            asked.add("external");
                            return 0;
                        },
                        most -> 0),
                pace,
                UnaryOperator.identity(),
                new Tries(System::nanoTime, UnaryOperator.identity()));

        assertThat(ActivityBench.crank(away)).isPositive();

        assertThat(asked).containsExactly("waiting");
        assertThat(away.tally().done().runs()).isZero();
    }

    /** The bench's store, where something of each kind is due. */
    private HistoryStore allDue() {
        Instant due = bench.clock.now();
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, args) -> method.getName().equals("earliestTimeouts")
                        ? new EarliestTimeouts(due, due, due)
                        : method.invoke(bench.store, args));
    }

    private JobKey schedule(Duration scheduleToClose) {
        ActivityOptions d = ActivityOptions.DEFAULT;
        bench.options = new ActivityOptions(
                null,
                d.startToClose(),
                null,
                scheduleToClose,
                null,
                d.retry(),
                d.priority(),
                false,
                false,
                false,
                d.headers(),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
        return bench.schedule("[\"x\"]");
    }
}
