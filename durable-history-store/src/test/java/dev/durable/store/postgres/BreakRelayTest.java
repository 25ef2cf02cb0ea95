package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.Joined;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Two signals with start to one workflow id whose run has closed since, the first of which a policy refuses. */
class BreakRelayTest extends StoreContract {

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private void inTransaction(HistoryStore of, Consumer<Joined> sending) {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            sending.accept(of.joined(connection));
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private NewRun rejecting(String name) {
        return newRun("order-1")
                .reuse(ReusePolicy.REJECT_DUPLICATE)
                .tells(signal(name))
                .build();
    }

    @Test
    void two_refused_signals_with_start_of_one_id_are_dropped_and_keep_nobody() {
        RunKey closed = started("order-1");
        inTransaction(store, joined -> {
            joined.start(rejecting("a"));
            joined.start(rejecting("b"));
        });
        terminated(closed);
        assertThat(store.relay(100).gone()).isEqualTo(2);
    }

    @Test
    void they_keep_no_other_targets_messages() {
        RunKey closed = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.start(rejecting("a"));
            joined.start(rejecting("b"));
        });
        inTransaction(store, joined -> joined.deliver(new Delivery(other.workflowId(), null, signal("passes"))));
        terminated(closed);
        for (int i = 0; i < 5; i++) {
            try {
                store.relay(100);
            } catch (RuntimeException e) {
                System.out.println("relay: " + e);
            }
        }
        assertThat(waitingNames(other)).containsExactly("passes");
    }
}
