package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.Joined;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** From the outbox into inboxes: once, in order, past whoever can't take them. */
class OutboxRelayTest extends StoreContract {

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private interface Sending {
        void with(Joined joined);
    }

    private void inTransaction(HistoryStore of, Sending sending) {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            sending.with(of.joined(connection));
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Delivery to(RunKey run, String name) {
        return new Delivery(run.workflowId(), null, signal(name));
    }

    @Test
    void messages_come_in_order_over_several_passes() {
        RunKey run = started("order-1");
        List<String> names = IntStream.range(0, 40).mapToObj(i -> "s" + i).toList();
        inTransaction(store, joined -> names.forEach(name -> joined.deliver(to(run, name))));

        while (store.relay(7) > 0) {
            assertThat(waitingNames(run))
                    .isEqualTo(names.subList(0, waiting(run).size()));
        }
        assertThat(waitingNames(run)).isEqualTo(names);
        assertThat(outbox()).isZero();
    }

    @Test
    void a_message_without_a_target_is_dropped_and_the_others_arrive() {
        RunKey gone = started("order-1");
        RunKey open = started("order-2");
        inTransaction(store, joined -> {
            joined.deliver(to(gone, "lost"));
            joined.deliver(new Delivery("nobody", null, signal("lost")));
            joined.deliver(to(open, "found"));
        });
        terminated(gone);

        assertThat(store.relay(100)).isEqualTo(3);
        assertThat(waitingNames(open)).containsExactly("found");
        assertThat(outbox()).isZero();
    }

    @Test
    void a_full_inbox_keeps_its_messages_waiting_in_order_and_no_others() {
        RunKey full = started("order-1");
        RunKey other = started("order-2");
        int limit = fixture.inboxLimit();
        inTransaction(store, joined -> {
            IntStream.range(0, limit + 20).forEach(i -> joined.deliver(to(full, "s" + i)));
            joined.deliver(to(other, "passes"));
        });

        assertThat(relayAll(10)).isEqualTo(limit + 1);
        assertThat(waiting(full)).hasSize(limit);
        assertThat(waitingNames(other)).containsExactly("passes");

        consumeAll(full);
        assertThat(relayAll(10)).isEqualTo(20);
        assertThat(waitingNames(full)).first().isEqualTo("s" + limit);
        assertThat(outbox()).isZero();
    }

    @Test
    void a_locked_target_keeps_nobody_elses_messages() {
        RunKey locked = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.deliver(to(locked, "waits"));
            joined.deliver(to(other, "passes"));
        });
        try (Holder holder = Holder.ofRun(locked, "update")) {
            assertThat(store.relay(100)).isEqualTo(1);
            assertThat(waitingNames(other)).containsExactly("passes");
            assertThat(holder.waiters()).isZero();
        }
        assertThat(store.relay(100)).isEqualTo(1);
        assertThat(waitingNames(locked)).containsExactly("waits");
    }

    @Test
    void two_relays_at_once_deliver_each_message_once_and_in_order() throws Exception {
        RunKey run = started("order-1");
        List<String> names = IntStream.range(0, 45).mapToObj(i -> "s" + i).toList();
        inTransaction(store, joined -> names.forEach(name -> joined.deliver(to(run, name))));
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> relays = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            relays.add(Thread.ofPlatform().start(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                while (outbox() > 0) {
                    store.relay(3);
                }
            }));
        }
        go.countDown();
        for (Thread relay : relays) {
            relay.join();
        }
        assertThat(waitingNames(run)).isEqualTo(names);
    }

    @Test
    void an_open_transaction_shows_nothing_and_holds_nobody() throws SQLException {
        RunKey run = started("order-1");
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.joined(connection).deliver(to(run, "late"));
            assertThat(store.relay(100)).isZero();
            inTransaction(store, joined -> joined.deliver(to(run, "early")));
            assertThat(store.relay(100)).isEqualTo(1);
            assertThat(claimed(run).run()).isEqualTo(run);
            connection.commit();
        }
        assertThat(store.relay(100)).isEqualTo(1);
        assertThat(waitingNames(run)).containsExactly("early", "late");
    }

    private int relayAll(int limit) {
        int all = 0;
        for (int gone = store.relay(limit); gone > 0; gone = store.relay(limit)) {
            all += gone;
        }
        return all;
    }

    private void consumeAll(RunKey run) {
        Sql.execute(PostgresFixture.pool(), "delete from durable.inbox where run_id = '" + run.runId() + "'");
    }

    private static long outbox() {
        return Sql.number(PostgresFixture.pool(), "select count(*) from durable.outbox");
    }
}
