package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.UpkeepStep;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.Step;
import dev.durable.store.NewJob;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The chores of a process, and the signs that one of them is not done. */
class UpkeepTest {
    private final ActivityBench bench = new ActivityBench();
    private final Upkeep upkeep = new Upkeep(bench.clock);
    private final Step sweep =
            upkeep.keep(UpkeepChore.SWEEP, new Sweeper(bench.store, ActivityBench.LEASE, bench.random, () -> {}));

    @Test
    void a_step_tells_when_it_ran_and_what_it_changed() throws Exception {
        assertThat(step().lastRun()).isNull();
        bench.schedule("[\"x\"]", new NewJob.Lease(UUID.randomUUID(), UUID.randomUUID()));
        sweep.runOnce();

        assertThat(step())
                .isEqualTo(new UpkeepStep(
                        "sweep", ActivityBench.LEASE.dividedBy(3), bench.clock.now(), Duration.ZERO, 1, 1, false));
        bench.clock.advance(Duration.ofSeconds(5));
        sweep.runOnce();
        assertThat(step().lastRows()).isZero();
        assertThat(step().rows()).as("in all").isEqualTo(1);
        assertThat(step().lastRun()).isEqualTo(bench.clock.now());
    }

    @Test
    void a_step_is_late_when_it_did_not_run_for_several_intervals() throws Exception {
        sweep.runOnce();
        bench.clock.advance(ActivityBench.LEASE.dividedBy(3).multipliedBy(5));
        assertThat(upkeep.late()).isFalse();
        bench.clock.advance(Duration.ofMillis(1));

        assertThat(upkeep.late()).isTrue();
        assertThat(step().late()).isTrue();
        sweep.runOnce();
        assertThat(upkeep.late()).isFalse();
    }

    @Test
    void a_step_that_only_finds_the_database_away_has_not_done_what_it_is_for() throws Exception {
        sweep.runOnce();
        bench.away("sessions", 30);
        for (int i = 0; i < 30; i++) {
            bench.clock.advance(ActivityBench.LEASE.dividedBy(3));
            ActivityBench.crank(sweep);
        }

        assertThat(upkeep.late()).isTrue();
    }

    @Test
    void a_step_that_was_never_run_is_late_in_time() {
        bench.clock.advance(ActivityBench.LEASE.multipliedBy(2));

        assertThat(step().late()).isTrue();
        assertThat(step().lastRun()).isNull();
    }

    private UpkeepStep step() {
        return upkeep.steps().getFirst();
    }
}
