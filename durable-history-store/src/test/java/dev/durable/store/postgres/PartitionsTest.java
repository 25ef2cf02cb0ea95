package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Partitions of the history are made by whoever comes first. */
class PartitionsTest extends StoreContract {
    private static final String MAKE =
            "select durable.add_history_partitions(durable.clock() + interval '300 days', durable.clock() + interval '300 days')";

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @AfterEach
    void clean() {
        Holder.closeAll();
        Sql.execute(
                PostgresFixture.pool(),
                "drop table if exists durable.history_event_"
                        + Sql.column(
                                        PostgresFixture.pool(),
                                        "select to_char((durable.clock() + interval '300 days') at time zone 'UTC', 'YYYY_MM')")
                                .getFirst());
    }

    @Test
    void the_second_of_two_processes_that_start_at_once_waits_and_finds_the_partition() {
        Holder first = Holder.of(MAKE);
        Meanwhile<Long> second = Meanwhile.of(() -> Sql.number(PostgresFixture.pool(), MAKE));
        first.awaitWaiter();
        first.commit();

        assertThat(second.get()).as("made by the second").isZero();
    }

    @Test
    void the_second_makes_what_the_first_did_not() {
        Holder first = Holder.of(MAKE);
        Meanwhile<Long> second = Meanwhile.of(() -> Sql.number(PostgresFixture.pool(), MAKE));
        first.awaitWaiter();
        first.close();

        assertThat(second.get()).isEqualTo(1);
    }
}
