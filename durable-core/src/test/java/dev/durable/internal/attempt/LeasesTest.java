package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.store.JobKey;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The leases of a process that can't report the ends of its attempts. */
class LeasesTest {
    private final ActivityBench bench = new ActivityBench();

    @Test
    void a_lease_that_is_forgotten_is_found_unused_and_given_back() {
        JobKey key = claimed();
        UUID lease = bench.leases.attempts().getFirst().lease();

        bench.leases.forget(lease);

        assertThat(bench.leases.knows(lease)).isFalse();
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void a_lease_of_what_begins_at_most_once_is_never_forgotten() {
        bench.atMostOnce = true;
        bench.options = bench.with(policy -> policy.withMaxAttempts(1));
        JobKey key = claimed();
        UUID lease = bench.leases.attempts().getFirst().lease();

        bench.leases.forget(lease);

        assertThat(bench.leases.knows(lease)).isTrue();
        bench.heldLeases.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("running 1");
    }

    @Test
    void an_outcome_of_what_begins_at_most_once_is_not_forgotten_with_its_run() {
        bench.atMostOnce = true;
        bench.runIsCachedHere = true;
        bench.options = bench.with(policy -> policy.withMaxAttempts(1));
        JobKey key = bench.ran(argument -> "done");
        UUID lease = bench.taken.getFirst().lease();
        assertThat(bench.leases.get(lease)).isInstanceOf(Leases.HandedOver.class);

        bench.leases.forget(lease);

        assertThat(bench.leases.knows(lease)).isTrue();
        assertThat(bench.state(key)).isEqualTo("running 1");
    }

    /** While a database takes no writes, each check would send it again, and log that. */
    @Test
    void an_outcome_that_its_run_does_not_write_is_sent_to_the_inbox_once_however_often_it_is_looked_at() {
        bench.runIsCachedHere = true;
        JobKey key = bench.ran(argument -> "done");
        int before = bench.sent;

        for (int look = 0; look < 20; look++) {
            bench.heldLeases.runOnce();
        }
        assertThat(bench.state(key)).isEqualTo("running 1");
        bench.store();

        assertThat(bench.leases.isEmpty()).isTrue();
        assertThat(bench.sent - before).isEqualTo(1);
    }

    @Test
    void what_was_never_held_is_forgotten_without_a_word() {
        bench.leases.forget(UUID.randomUUID());

        assertThat(bench.leases.isEmpty()).isTrue();
    }

    private JobKey claimed() {
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();
        return key;
    }
}
