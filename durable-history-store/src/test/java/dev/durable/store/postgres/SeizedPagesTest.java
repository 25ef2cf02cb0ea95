package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.RunChange;
import dev.durable.store.RunKey;
import dev.durable.store.contract.Seizures;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The transactions in which a page of runs is ended. */
class SeizedPagesTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void a_page_of_runs_is_ended_in_transactions_of_fifty_at_most() {
        List<RunKey> runs =
                IntStream.range(0, 120).mapToObj(i -> started("order-" + i)).toList();

        assertThat(store.seize(runs.stream().map(Seizures::terminate).toList()))
                .isEqualTo(runs.stream().map(RunChange::changed).toList());

        assertThat(Sql.column(PostgresFixture.pool(), """
                        select count(*)::text from durable.history_event
                         where type = 'WorkflowTerminated' group by xmin order by count(*)"""))
                .as("runs of each transaction")
                .containsExactly("20", "50", "50");
    }
}
