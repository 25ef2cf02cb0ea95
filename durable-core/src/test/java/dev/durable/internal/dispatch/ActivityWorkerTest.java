package dev.durable.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.RetryPolicy;
import dev.durable.history.ActivityCompleted;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.drive.Step;
import dev.durable.store.JobClaim;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims of jobs, and how they share the slots with jobs that this process creates. */
class ActivityWorkerTest {
    private final ActivityBench bench = new ActivityBench(4);

    @Test
    void never_more_jobs_are_claimed_than_slots_are_free() {
        bench.holdBodies();
        schedule(10);

        bench.work();

        assertThat(bench.held).hasSize(4);
        assertThat(bench.memory.held(bench.session.id())).hasSize(4);
    }

    @Test
    void a_full_batch_is_followed_by_another_at_once() {
        schedule(3);

        assertThat(ActivityBench.crank(bench.worker)).isEqualTo(Step.AGAIN);
    }

    @Test
    void an_idle_queue_is_looked_at_less_and_less_often() {
        List<Duration> sleeps = IntStream.range(0, 20)
                .mapToObj(i -> {
                    Duration sleep = ActivityBench.crank(bench.worker);
                    bench.clock.advance(sleep);
                    return sleep;
                })
                .toList();

        assertThat(sleeps.getFirst()).isBetween(Duration.ofMillis(100), Duration.ofMillis(150));
        assertThat(sleeps.getLast()).isBetween(Duration.ofMillis(800), Duration.ofMillis(1200));
        assertThat(sleeps.stream().distinct().count()).as("spread").isGreaterThan(15);
    }

    @Test
    void with_a_backlog_the_next_claim_waits_for_a_quarter_of_the_slots_or_its_time() {
        ActivityBench big = new ActivityBench(8);
        big.holdBodies();
        IntStream.range(0, 30).forEach(i -> big.schedule("[\"x\"]"));
        big.work();
        assertThat(big.held).hasSize(8);

        big.runHeld();
        assertThat(big.worker.runOnce()).isPositive();
        assertThat(big.held).as("one slot is not worth a claim").hasSize(7);
        big.runHeld();
        big.worker.runOnce();
        assertThat(big.held).as("two are").hasSize(8);

        big.runHeld();
        big.clock.advance(ActivityBench.POLL);
        big.worker.runOnce();
        assertThat(big.held).as("in the end one is, too").hasSize(8);
    }

    @Test
    void claiming_goes_on_when_the_database_is_back() {
        bench.away("claimJobs", 2);
        JobKey key = bench.schedule("[\"x\"]");

        bench.work();
        assertThat(bench.slots.free()).as("no slot is lost").isEqualTo(4);
        bench.work();
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_claim_whose_reply_was_lost_is_given_back_and_claimed_again() {
        bench.faulty.next("claimJobs", Fault.DONE_BUT_UNKNOWN);
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        assertThat(bench.state(key)).isEqualTo("running 1");

        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("ready 1");
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void what_a_lost_claim_has_taken_is_looked_for_several_times_within_a_second() throws Exception {
        bench.faulty.next("claimJobs", Fault.DONE_BUT_UNKNOWN);
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        Object another = bench.leases.claimBegins();

        Duration passed = bench.heldLeases.runOnce();
        bench.leases.claimEnds(another);
        bench.store();
        assertThat(bench.state(key)).as("the other claim might have brought it").isEqualTo("running 1");
        assertThat(passed).isLessThan(Duration.ofMillis(100));
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("ready 1");

        for (int i = 0; i < 3; i++) {
            bench.heldLeases.runOnce();
        }
        assertThat(bench.heldLeases.runOnce()).as("then as always").isEqualTo(ActivityBench.LEASE.dividedBy(10));
    }

    @Test
    void a_claim_that_is_still_under_way_is_not_taken_for_lost() {
        JobKey key = bench.schedule("[\"x\"]");
        Object slow = bench.leases.claimBegins();
        bench.memory.claimJobs(
                new JobClaim(bench.session.id(), ActivityBench.QUEUE, Set.of(ActivityBench.ACTIVITY), 1));

        bench.heldLeases.runOnce();
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("running 1");

        bench.leases.claimEnds(slow);
        bench.leases.claimBegins();
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).as("a later claim can't bring it").isEqualTo("ready 1");
    }

    @Test
    void a_job_that_can_not_be_read_here_is_left_to_others() {
        bench.options = bench.with(
                policy -> new RetryPolicy(3, Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 0, List.of(), 3));
        JobKey key = bench.scheduleUnreadable();

        bench.work();

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(bench.slots.free()).isEqualTo(4);
        assertThat(bench.leases.isEmpty()).isTrue();
    }

    // ── jobs of this process's runs ──────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_that_is_born_claimed_runs_once_it_is_durable() {
        NewJob.Lease lease = reserve();
        JobKey key = bench.schedule("[\"x\"]", lease);
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).as("known before it is durable").isEqualTo("running 1");

        start(key, lease);
        bench.store();

        assertThat(bench.outcome(key).type()).isEqualTo("ActivityCompleted");
        assertThat(bench.slots.free()).isEqualTo(4);
        assertThat(bench.leases.isEmpty()).isTrue();
    }

    @Test
    void a_job_of_a_session_that_died_before_it_began_goes_back_unused() {
        NewJob.Lease lease = reserve();
        JobKey key = bench.schedule("[\"x\"]", lease);
        bench.memory.markDead(bench.session.id(), 0);
        ActivityBench.crank(bench.session);

        start(key, lease);
        bench.store();

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(bench.slots.free()).isEqualTo(4);
        assertThat(bench.leases.isEmpty()).isTrue();
    }

    private NewJob.Lease reserve() {
        ActivitySlots.Slot slot = bench.slots.takeEagerly().orElseThrow();
        NewJob.Lease lease = new NewJob.Lease(UUID.randomUUID(), bench.session.id());
        bench.leases.put(lease.token(), new Leases.Reserved(lease.session(), bench.queue, slot));
        return lease;
    }

    @Test
    void of_transactional_jobs_only_as_many_are_claimed_as_connections_are_spared() {
        bench.holdBodies();
        bench.activity = ActivityBench.TRANSACTIONAL;
        schedule(3);

        bench.work();

        assertThat(bench.memory.held(bench.session.id())).hasSize(1);
        assertThat(bench.slots.free()).isEqualTo(3);
    }

    @Test
    void the_other_slots_are_for_other_jobs() {
        bench.holdBodies();
        bench.activity = ActivityBench.TRANSACTIONAL;
        schedule(3);
        bench.activity = ActivityBench.ACTIVITY;
        schedule(5);

        bench.work();

        assertThat(bench.memory.held(bench.session.id())).hasSize(4);
        assertThat(transactionalJobsHeld()).isEqualTo(1);
    }

    @Test
    void when_the_connection_of_a_transactional_job_is_back_the_next_is_claimed() {
        AtomicInteger woken = new AtomicInteger();
        bench.share.onRefill(queue -> woken.incrementAndGet());
        bench.holdBodies();
        bench.activity = ActivityBench.TRANSACTIONAL;
        schedule(3);
        bench.work();
        assertThat(woken).hasValue(0);

        for (int left = 3; left > 0; left--) {
            assertThat(transactionalJobsHeld()).isEqualTo(1);
            bench.runHeld();
            bench.store();
            bench.work();
        }

        assertThat(woken).hasPositiveValue();
        assertThat(bench.memory.held(bench.session.id())).isEmpty();
    }

    @Test
    void a_queue_in_which_nothing_waits_is_not_asked_again_for_want_of_connections() {
        AtomicInteger woken = new AtomicInteger();
        bench.share.onRefill(queue -> woken.incrementAndGet());

        assertThat(ActivityBench.crank(bench.worker)).isPositive();
        bench.away("claimJobs", 1);
        bench.clock.advance(Duration.ofSeconds(2));
        assertThat(ActivityBench.crank(bench.worker)).isPositive();

        assertThat(woken).hasValue(0);
    }

    private long transactionalJobsHeld() {
        return bench.leases.attempts().stream()
                .filter(attempt -> attempt.job().activity().equals(ActivityBench.TRANSACTIONAL))
                .count();
    }

    private void start(JobKey key, NewJob.Lease lease) {
        Leases.Reserved place = (Leases.Reserved) bench.leases.get(lease.token());
        bench.starter.start(bench.claimed(key, lease), place);
    }

    private void schedule(int jobs) {
        IntStream.range(0, jobs).forEach(i -> bench.schedule("[\"x\"]"));
    }
}
