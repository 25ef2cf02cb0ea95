package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.engine.LogCapture;
import dev.durable.internal.observe.Tries;
import dev.durable.store.HistoryStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Partitions are made long before they are needed, so that a failure has time. */
class PartitionsAheadTest {
    private long nanos;
    private final Tries tries = new Tries(() -> nanos, UnaryOperator.identity());

    @Test
    void it_is_done_about_once_an_hour() {
        PartitionsAhead chore = chore(() -> 3);

        assertThat(chore.runOnce()).isBetween(Duration.ofMinutes(48), Duration.ofMinutes(72));
        assertThat(chore.tally().done().lastRows()).isEqualTo(3);
    }

    @Test
    void what_fails_is_told_and_tried_again_in_a_minute_and_does_not_count_as_done() {
        PartitionsAhead chore = chore(() -> {
            throw new DurableException("permission denied for function add_history_partitions");
        });

        try (LogCapture log = LogCapture.of(PartitionsAhead.class)) {
            assertThat(chore.runOnce()).isEqualTo(Duration.ofMinutes(1));

            assertThat(log.messages())
                    .containsExactly("partitions of the history were not made, which is tried again in PT1M: permission"
                            + " denied for function add_history_partitions");
        }
        assertThat(chore.tally().done().runs()).isZero();
    }

    @Test
    void a_database_that_does_not_answer_is_waited_for_as_with_all_chores() {
        PartitionsAhead chore = chore(() -> {
            throw new StoreUnavailableException("away", null);
        });

        assertThatThrownBy(chore::runOnce).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void partitions_that_cannot_be_made_for_a_minute_are_a_problem_of_the_process() {
        PartitionsAhead chore = chore(() -> {
            throw new DurableException("permission denied for function add_history_partitions");
        });
        chore.runOnce();
        nanos += Duration.ofMinutes(1).toNanos();
        chore.runOnce();

        assertThat(tries.lasting())
                .singleElement()
                .satisfies(lasting -> assertThat(lasting.text())
                        .startsWith("the making of partitions of the history has failed at every try for 60 s, 2 times,"
                                + " lately: dev.durable.DurableException: permission denied for function"));
    }

    private PartitionsAhead chore(IntSupplier makes) {
        HistoryStore store = (HistoryStore) Proxy.newProxyInstance(
                PartitionsAheadTest.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> makes.getAsInt());
        return new PartitionsAhead(store, new Random(1), tries);
    }
}
