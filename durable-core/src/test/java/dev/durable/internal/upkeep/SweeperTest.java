package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.SessionInfo;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The detection of a dead process by another one, and the re-queueing of its jobs. */
class SweeperTest {
    private static final Duration THIRD = ActivityBench.LEASE.dividedBy(3);

    private final ActivityBench bench = new ActivityBench();
    private final AtomicInteger deaths = new AtomicInteger();
    private final Sweeper sweeper =
            new Sweeper(bench.store, ActivityBench.LEASE, bench.random, deaths::incrementAndGet);

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
    void of_an_end_is_told_whoever_declared_it() {
        UUID declaredByAnother = opened(ActivityBench.LEASE);
        UUID saysGoodbye = opened(ActivityBench.LEASE);
        sweep();
        assertThat(deaths).as("they came").hasValue(0);

        bench.memory.markDead(declaredByAnother, 0);
        sweep();
        assertThat(deaths).hasValue(1);

        bench.memory.closeSession(saysGoodbye);
        sweep();
        assertThat(deaths).hasValue(2);

        sweep();
        assertThat(dead()).isTrue();
        assertThat(deaths).as("by its own word").hasValue(3);
    }

    @Test
    void an_end_behind_a_look_that_failed_is_told_of() {
        UUID saysGoodbye = opened(ActivityBench.LEASE);
        sweep();
        bench.faulty.next("sessions", Fault.UNAVAILABLE);
        sweep();
        bench.memory.closeSession(saysGoodbye);
        sweep();

        assertThat(deaths).hasValue(1);
        sweep();
        assertThat(deaths).hasValue(1);
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
    void who_has_a_longer_lease_than_the_sweeper_may_be_silent_for_that_one() {
        UUID patient = opened(ActivityBench.LEASE.multipliedBy(2));

        sweep(6);
        assertThat(dead(patient)).as("not before a whole lease of its own").isFalse();
        sweep();

        assertThat(dead(patient)).isTrue();
    }

    @Test
    void who_has_a_shorter_lease_than_the_sweeper_is_looked_at_more_often() {
        Duration shorter = ActivityBench.LEASE.dividedBy(10);
        UUID hasty = opened(shorter);
        Duration untilDead = Duration.ZERO;
        for (Duration pause = ActivityBench.crank(sweeper); !dead(hasty); pause = ActivityBench.crank(sweeper)) {
            assertThat(pause).isLessThanOrEqualTo(shorter.multipliedBy(4).dividedBy(10));
            bench.clock.advance(pause);
            untilDead = untilDead.plus(pause);
        }

        assertThat(untilDead).isBetween(shorter, shorter.plusMillis(10));
    }

    @Test
    void a_short_lease_makes_looks_frequent_and_not_sweeps() {
        opened(ActivityBench.LEASE.dividedBy(100));
        ActivityBench.crank(sweeper);
        JobKey key = bench.schedule("[\"x\"]", new NewJob.Lease(UUID.randomUUID(), UUID.randomUUID()));

        bench.clock.advance(THIRD.dividedBy(3));
        ActivityBench.crank(sweeper);
        assertThat(bench.state(key)).isEqualTo("running 1");
        bench.clock.advance(THIRD.dividedBy(3));
        ActivityBench.crank(sweeper);
        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void a_lease_that_nobody_may_have_is_bounded() {
        UUID momentary = opened(Duration.ZERO);
        UUID eternal = opened(Duration.ofDays(365_000));
        ActivityBench.crank(sweeper);
        assertThat(dead(momentary)).isFalse();
        for (Duration pause = ActivityBench.crank(sweeper); !dead(momentary); pause = ActivityBench.crank(sweeper)) {
            assertThat(pause).isPositive();
            bench.clock.advance(pause);
        }

        assertThat(dead(eternal)).isFalse();
    }

    @Test
    void time_that_reading_takes_counts_for_nobody() {
        bench.faulty.before("sessions", () -> bench.clock.advance(THIRD));
        ActivityBench.crank(sweeper);
        bench.clock.advance(THIRD.minusSeconds(1));
        ActivityBench.crank(sweeper);
        bench.clock.advance(THIRD.plusSeconds(1));
        ActivityBench.crank(sweeper);

        assertThat(dead())
                .as("it may have beaten until the first third was over")
                .isFalse();
    }

    @Test
    void a_gap_that_is_none_for_the_sweepers_lease_is_one_for_a_shorter_one() {
        UUID hasty = opened(THIRD);

        sweep(10);

        assertThat(dead(hasty)).as("it may have beaten between the looks").isFalse();
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
            ActivityBench.crank(bench.session);
            sweep();
        }

        for (int i = 0; i < 10; i++) {
            ActivityBench.crank(bench.session);
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
        assertThat(ActivityBench.crank(sweeper))
                .isBetween(
                        THIRD.multipliedBy(8).dividedBy(10),
                        THIRD.multipliedBy(12).dividedBy(10));
    }

    private UUID opened(Duration lease) {
        UUID session = UUID.randomUUID();
        bench.memory.openSession(session, "another", lease);
        return session;
    }

    private void sweep() {
        sweep(1);
    }

    private void sweep(int times) {
        for (int i = 0; i < times; i++) {
            ActivityBench.crank(sweeper);
            bench.clock.advance(THIRD);
        }
    }

    private boolean dead() {
        return dead(bench.session.id());
    }

    private boolean dead(UUID id) {
        return bench.memory.sessions().stream()
                .filter(session -> session.session().equals(id))
                .findFirst()
                .map(SessionInfo::dead)
                .orElse(true);
    }
}
