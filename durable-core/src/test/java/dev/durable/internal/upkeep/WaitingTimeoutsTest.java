package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.TimeoutType;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.observe.Tries;
import dev.durable.store.JobKey;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Activities whose queue no worker serves. */
class WaitingTimeoutsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ActivityBench bench = new ActivityBench();
    private final Timeouts timeouts = new Timeouts(
            bench.store,
            new Timeouts.Kinds(Timeouts.ofWaiting(bench.store), most -> 0, most -> 0),
            new PollPace(ActivityBench.POLL, bench.random),
            UnaryOperator.identity(),
            new Tries(System::nanoTime, UnaryOperator.identity()));

    @Test
    void an_activity_that_nobody_runs_times_out_and_a_database_that_is_away_is_waited_for() {
        ActivityOptions d = ActivityOptions.DEFAULT;
        bench.options = new ActivityOptions(
                null,
                d.startToClose(),
                null,
                MINUTE,
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
        JobKey key = bench.schedule("[\"x\"]");
        ActivityBench.crank(timeouts);
        assertThat(bench.inbox(key)).isEmpty();

        bench.clock.advance(MINUTE);
        bench.faulty.next("timeOutWaiting", Fault.UNAVAILABLE, Fault.NOT_DONE_AND_UNKNOWN);
        assertThat(ActivityBench.crank(timeouts)).isPositive();
        assertThat(ActivityBench.crank(timeouts)).isPositive();
        ActivityBench.crank(timeouts);

        assertThat(bench.outcome(key))
                .isInstanceOfSatisfying(
                        ActivityTimedOut.class,
                        event -> assertThat(event.timeout()).isEqualTo(TimeoutType.SCHEDULE_TO_CLOSE));
    }
}
