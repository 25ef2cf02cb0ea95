package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests how long the database could not be used, by the results of a process's transactions. */
class ReachTest {
    private long nanos = 1;
    private final Reach reach = new Reach(() -> nanos);

    @Test
    void an_outage_lasts_from_the_first_failure_to_the_next_transaction_that_happens() {
        fails(false);
        pass(10);
        fails(false);
        pass(5);
        assertThat(reach.lasts()).isEqualTo(Duration.ofSeconds(15));
        assertThat(reach.trouble()).contains("away");

        happens(false);
        assertThat(reach.lasts()).isZero();
        assertThat(reach.trouble()).isEmpty();
    }

    @Test
    void a_pool_that_keeps_everybody_waiting_is_noticed_before_it_says_so() {
        reach.waits();
        pass(4);
        assertThat(reach.trouble()).as("nothing to speak of").isEmpty();
        reach.waits();
        pass(12);
        assertThat(reach.lasts()).isEqualTo(Duration.ofSeconds(16));
        assertThat(reach.trouble())
                .contains(
                        "no connection of the pool has been free for 16 s. Usually the database does not answer, or all"
                                + " connections of the pool are in use.");

        reach.connected();
        assertThat(reach.lasts()).isZero();
    }

    @Test
    void one_that_waits_is_no_outage_while_others_are_served() {
        reach.waits();
        pass(14);
        reach.waits();
        reach.connected();
        pass(60);
        assertThat(reach.lasts()).isZero();
    }

    @Test
    void a_server_that_refuses_writes_is_given_another_chance_when_nobody_has_tried_for_a_while() {
        fails(true);
        pass(20);
        fails(true);
        happens(false);
        assertThat(reach.lasts()).as("a read takes nothing back").isEqualTo(Duration.ofSeconds(20));
        pass(31);
        assertThat(reach.lasts())
                .as("who says that it can't serve is not asked, and would never learn it")
                .isZero();
        assertThat(reach.trouble()).as("what was met last").contains("away");

        fails(true);
        assertThat(reach.lasts()).as("a new outage").isZero();
        happens(true);
        assertThat(reach.trouble()).isEmpty();
    }

    private void fails(boolean ofWrites) {
        assertThat(reach.met(new StoreUnavailableException("away"), ofWrites)).hasMessage("away");
    }

    private void happens(boolean writes) {
        reach.waits();
        reach.connected();
        reach.happened(writes);
    }

    private void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }
}
