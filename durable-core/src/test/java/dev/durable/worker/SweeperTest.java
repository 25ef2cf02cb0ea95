package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.SessionInfo;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How one process finds out that another is dead, and what becomes of its jobs. */
class SweeperTest {
    private static final Duration THIRD = ActivityBench.LEASE.dividedBy(3);

    private final ActivityBench bench = new ActivityBench();
    private final Sweeper sweeper = new Sweeper(bench.store, ActivityBench.LEASE, bench.random);

    @Test
    void a_beat_that_stands_still_for_a_lease_is_a_death_and_its_jobs_are_queued_again() {
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();

        sweep();
        sweep();
        sweep();
        assertThat(dead()).as("not before a whole lease").isFalse();
        assertThat(bench.state(key)).isEqualTo("running 1");
        sweep();

        assertThat(dead()).isTrue();
        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void whoever_beats_lives() {
        for (int i = 0; i < 30; i++) {
            sweep();
            bench.memory.beat(bench.session.id());
        }

        assertThat(dead()).isFalse();
    }

    @Test
    void after_a_look_that_failed_observations_start_anew() {
        sweep();
        sweep();
        sweep();
        bench.faulty.next("sessions", Fault.UNAVAILABLE);
        sweep();

        sweep();
        sweep();
        sweep();
        assertThat(dead()).as("three looks over two thirds of a lease").isFalse();
        sweep();
        assertThat(dead()).isTrue();
    }

    @Test
    void an_outage_of_the_database_kills_nobody() {
        sweep();
        bench.away("sessions", 40);
        bench.away("beat", 40);
        for (int i = 0; i < 40; i++) {
            bench.session.runOnce();
            sweep();
        }

        for (int i = 0; i < 10; i++) {
            bench.session.runOnce();
            sweep();
        }

        assertThat(dead()).isFalse();
        assertThat(bench.faulty.allSeen()).isTrue();
    }

    @Test
    void a_sweeper_that_was_suspended_kills_nobody() {
        sweep();
        sweep();
        bench.clock.advance(Duration.ofHours(8));

        sweep();

        assertThat(dead())
                .as("in the night nobody could have been seen beating")
                .isFalse();
    }

    @Test
    void a_beat_in_the_last_moment_wins_over_the_sweep() {
        sweep();
        sweep();
        sweep();
        SessionInfo before = bench.memory.sessions().getFirst();
        bench.memory.beat(before.session());

        assertThat(bench.memory.markDead(before.session(), before.beat())).isFalse();
        sweep();
        assertThat(dead()).isFalse();
    }

    @Test
    void jobs_of_sessions_that_are_not_there_at_all_are_queued_again_at_once() {
        bench.holdBodies();
        NewJob.Lease unknown = new NewJob.Lease(UUID.randomUUID(), UUID.randomUUID());
        JobKey key = bench.schedule("[\"x\"]", unknown);

        sweep();

        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void sweeps_of_processes_that_began_together_drift_apart() {
        assertThat(Stream.generate(sweeper::runOnce).limit(20).distinct().count())
                .isGreaterThan(15);
        assertThat(sweeper.runOnce())
                .isBetween(
                        THIRD.multipliedBy(8).dividedBy(10),
                        THIRD.multipliedBy(12).dividedBy(10));
    }

    private void sweep() {
        sweeper.runOnce();
        bench.clock.advance(THIRD);
    }

    private boolean dead() {
        return bench.memory.sessions().stream()
                .filter(session -> session.session().equals(bench.session.id()))
                .findFirst()
                .map(SessionInfo::dead)
                .orElse(true);
    }
}
