package dev.durable.store.postgres.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.DurableException;
import dev.durable.ReusePolicy;
import dev.durable.StoreRefusedException;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.upkeep.RelayChore;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.Joined;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.Relayed;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.Holder;
import dev.durable.store.postgres.PostgresFixture;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests the way from the outbox into inboxes: each message once, in order, and past targets that can't take theirs. */
@Tag("slow")
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

        while (store.relay(7).gone() > 0) {
            assertThat(waitingNames(run))
                    .isEqualTo(names.subList(0, waiting(run).size()));
        }
        assertThat(waitingNames(run)).isEqualTo(names);
        assertThat(outbox()).isZero();
    }

    @Test
    void what_another_relay_has_in_its_hands_is_not_overtaken() {
        RunKey run = started("order-1");
        List<String> names = List.of("a", "b", "c", "d", "e");
        inTransaction(store, joined -> names.forEach(name -> joined.deliver(to(run, name))));

        try (Holder other = Holder.of("select 1 from durable.outbox where name in ('b', 'c') for update")) {
            assertThat(store.relay(10).delivered()).isOne();
            assertThat(waitingNames(run)).containsExactly("a");
            assertThat(store.relay(10).delivered())
                    .as("its first is the other's")
                    .isZero();
            assertThat(other.waiters()).isZero();
        }
        store.relay(10);
        assertThat(waitingNames(run)).isEqualTo(names);
    }

    @Test
    void senders_that_another_relay_is_at_keep_nobody_else() {
        RunKey first = started("order-1");
        RunKey second = started("order-2");
        inTransaction(store, joined -> joined.deliver(to(first, "a")));
        try (Holder other = Holder.of("select 1 from durable.outbox for update")) {
            inTransaction(store, joined -> joined.deliver(to(second, "b")));

            assertThat(store.relay(10).delivered()).isOne();
            assertThat(waitingNames(second)).containsExactly("b");
            assertThat(other.waiters()).isZero();
        }
        store.relay(10);
        assertThat(waitingNames(first)).containsExactly("a");
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

        assertThat(store.relay(100).gone()).isEqualTo(3);
        assertThat(waitingNames(open)).containsExactly("found");
        assertThat(outbox()).isZero();
    }

    @Test
    void a_full_inbox_keeps_its_messages_waiting_in_order_and_no_others() {
        RunKey full = started("order-1");
        RunKey other = started("order-2");
        int limit = fixture.inboxLimit().messages();
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
            assertThat(store.relay(100).gone()).isEqualTo(1);
            assertThat(waitingNames(other)).containsExactly("passes");
            assertThat(holder.waiters()).isZero();
        }
        assertThat(store.relay(100).gone()).isEqualTo(1);
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
            assertThat(store.relay(100).gone()).isZero();
            inTransaction(store, joined -> joined.deliver(to(run, "early")));
            assertThat(store.relay(100).gone()).isEqualTo(1);
            assertThat(claimed(run).run()).isEqualTo(run);
            connection.commit();
        }
        assertThat(store.relay(100).gone()).isEqualTo(1);
        assertThat(waitingNames(run)).containsExactly("early", "late");
    }

    @Test
    void a_message_that_the_database_refuses_is_set_aside_with_the_reason_and_keeps_no_other() {
        RunKey run = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.deliver(to(run, "before"));
            joined.deliver(to(run, "poison"));
            joined.deliver(to(run, "after"));
            joined.deliver(to(other, "passes"));
        });
        refusing("raise exception 'no poison here'", () -> {
            assertThat(store.relay(100)).isEqualTo(new Relayed(3, 1, 1));
            assertThat(store.relay(100)).isEqualTo(new Relayed(0, 0, 1));
        });

        assertThat(waitingNames(run)).containsExactly("before", "after");
        assertThat(waitingNames(other)).containsExactly("passes");
        assertThat(outbox()).isZero();
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select concat_ws('|', target_workflow_id, name, sqlstate, error) from durable.outbox_refused"))
                .singleElement()
                .asString()
                .startsWith("order-1|poison|P0001|ERROR: no poison here");
    }

    @Test
    void what_a_constraint_refuses_is_set_aside_and_told_without_the_row() {
        RunKey run = started("order-1");
        InboxMessage card = new InboxMessage(
                new UUID(1, 2), MessageKind.SIGNAL, "poison", "[\"card 5500-0000-0000-0004\"]", null, null);
        inTransaction(store, joined -> {
            joined.deliver(new Delivery("order-1", null, card));
            joined.deliver(to(run, "after"));
        });
        Sql.execute(
                PostgresFixture.pool(), "alter table durable.inbox add constraint no_poison check (name <> 'poison')");
        List<String> said;
        try {
            said = said(() -> assertThat(store.relay(100)).isEqualTo(new Relayed(1, 1, 1)));
            Delivery direct = new Delivery("order-1", null, card);
            assertThatThrownBy(() -> store.deliver(List.of(direct)))
                    .hasMessageContaining("violates check constraint \"no_poison\"")
                    .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("5500"));
        } finally {
            Sql.execute(PostgresFixture.pool(), "alter table durable.inbox drop constraint no_poison");
        }

        assertThat(said).singleElement().asString().contains("no_poison").doesNotContain("5500");
        assertThat(Sql.column(PostgresFixture.pool(), "select sqlstate || '|' || error from durable.outbox_refused"))
                .singleElement()
                .asString()
                .startsWith("23514|ERROR: new row for relation \"inbox\" violates check constraint \"no_poison\"")
                .doesNotContain("5500");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"23514", "42501", "08006", "25006", "40001", "40P01", "53100", "55P03", "57014", "57P01", "58030"
            })
    void whatever_a_trigger_raises_for_a_message_that_message_is_set_aside_and_keeps_no_other(String state) {
        RunKey run = started("order-1");
        inTransaction(store, joined -> {
            joined.deliver(to(run, "poison"));
            joined.deliver(to(run, "after"));
        });
        refusing("raise exception using errcode = '" + state + "', message = 'no poison here'", () -> {
            assertThat(store.relay(100)).isEqualTo(new Relayed(1, 1, 1));
            Delivery direct = to(run, "poison");
            assertThatThrownBy(() -> store.deliver(List.of(direct)))
                    .isExactlyInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("no poison here. Usual cause: a trigger or function of one's own");
        });

        assertThat(waitingNames(run)).containsExactly("after");
        assertThat(Sql.column(PostgresFixture.pool(), "select sqlstate || '|' || error from durable.outbox_refused"))
                .singleElement()
                .asString()
                .startsWith(state + "|ERROR: no poison here");
        assertThat(store.trouble()).isEmpty();
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void a_message_of_an_unknown_kind_waits_for_who_knows_it_and_keeps_no_other() {
        RunKey run = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.deliver(to(run, "newer"));
            joined.deliver(to(run, "after"));
            joined.deliver(to(other, "passes"));
        });
        Sql.execute(PostgresFixture.pool(), "update durable.outbox set kind = 99 where name = 'newer'");

        List<String> said = said(OutboxRelay.class, () -> {
            assertThat(store.relay(100)).isEqualTo(new Relayed(2, 0, 0));
            assertThat(store.relay(100)).isEqualTo(Relayed.NOTHING);
        });

        assertThat(waitingNames(run)).containsExactly("after");
        assertThat(waitingNames(other)).containsExactly("passes");
        assertThat(said)
                .singleElement()
                .asString()
                .contains("1 messages wait in durable.outbox whose kind this version of Durable does not know");

        Sql.execute(PostgresFixture.pool(), "update durable.outbox set kind = 1");
        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));
        assertThat(waitingNames(run)).containsExactly("after", "newer");
    }

    @Test
    void a_start_that_can_not_be_read_is_set_aside_whatever_becomes_of_others() {
        RunKey run = started("order-1");
        inTransaction(store, joined -> joined.deliver(to(run, "poison")));
        Sql.execute(PostgresFixture.pool(), "update durable.outbox set new_run = '{\"runId\":7}'");

        assertThat(store.relay(100)).isEqualTo(new Relayed(0, 1, 1));
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select concat_ws('|', target_workflow_id, name, sqlstate, error) from durable.outbox_refused"))
                .singleElement()
                .asString()
                .startsWith("order-1|poison|22000|new_run can't be read: ");

        Sql.execute(PostgresFixture.pool(), """
                update durable.outbox_refused set new_run = null;
                select durable.resend_refused(run_id, event_id) from durable.outbox_refused""");
        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));
        assertThat(waitingNames(run)).containsExactly("poison");
    }

    @Test
    void a_refused_message_is_sent_again_when_its_cause_is_mended() {
        RunKey run = started("order-1");
        inTransaction(store, joined -> {
            joined.deliver(to(run, "poison"));
            joined.deliver(to(run, "other"));
        });
        refusing("raise exception 'no poison here'", () -> store.relay(100));

        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select durable.resend_refused(run_id, event_id) from durable.outbox_refused"))
                .containsExactly("t");

        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));
        assertThat(waitingNames(run)).containsExactly("other", "poison");
    }

    @Test
    void who_relays_next_knows_of_messages_that_another_has_set_aside() {
        RunKey run = started("order-1");
        inTransaction(store, joined -> {
            joined.deliver(to(run, "poison"));
            joined.deliver(to(run, "other"));
        });
        refusing("raise exception 'no poison here'", () -> store.relay(100));

        HistoryStore another = PostgresHistoryStore.of(PostgresFixture.pool());
        another.open();

        assertThat(another.relay(100)).isEqualTo(new Relayed(0, 0, 1));
    }

    @Test
    void while_the_database_refuses_all_messages_all_wait_and_it_is_said_once() {
        RunKey run = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.deliver(new Delivery("nobody", null, signal("dropped")));
            joined.deliver(to(run, "first"));
            joined.deliver(to(other, "third"));
            joined.deliver(to(run, "second"));
        });
        List<String> said = said(() -> refusing("true", "raise exception 'maintenance'", () -> {
            store.relay(100);
            assertThat(store.relay(100)).isEqualTo(Relayed.NOTHING);
            assertThat(store.relay(100)).isEqualTo(Relayed.NOTHING);
        }));

        assertThat(said)
                .singleElement()
                .asString()
                .contains(
                        "3 messages wait in the outbox", "P0001", "ERROR: maintenance", "delete from durable.outbox ");
        assertThat(store.relay(100)).isEqualTo(new Relayed(3, 0, 0));
        assertThat(waitingNames(run)).containsExactly("first", "second");
        assertThat(waitingNames(other)).containsExactly("third");
    }

    @Test
    void a_refused_message_alone_waits_and_is_set_aside_once_another_gets_through() {
        RunKey run = started("order-1");
        inTransaction(store, joined -> joined.deliver(to(run, "poison")));
        List<String> said = said(() -> refusing("raise exception 'no poison here'", () -> {
            assertThat(store.relay(100)).isEqualTo(Relayed.NOTHING);
            assertThat(store.relay(100)).isEqualTo(Relayed.NOTHING);
            inTransaction(store, joined -> joined.deliver(to(run, "later")));
            assertThat(store.relay(100)).isEqualTo(new Relayed(1, 1, 1));
        }));

        assertThat(said).hasSize(2);
        assertThat(said.getLast()).contains("is set aside", "select durable.resend_refused('");
        assertThat(waitingNames(run)).containsExactly("later");
        assertThat(outbox()).isZero();
    }

    @Test
    void more_refused_messages_than_a_pass_takes_keep_no_other() {
        RunKey run = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            IntStream.range(0, 20).forEach(i -> joined.deliver(to(run, "poison")));
            joined.deliver(to(other, "passes"));
        });
        refusing(
                "raise exception 'no poison here'",
                () -> assertThat(store.relay(10).delivered()).isEqualTo(1));

        assertThat(waitingNames(other)).containsExactly("passes");
    }

    @Test
    void what_a_missing_right_refuses_is_no_messages_fault_and_waits() {
        RunKey run = started("order-1");
        inTransaction(store, joined -> joined.deliver(to(run, "poison")));
        refusing(
                "perform 1 from pg_catalog.pg_authid",
                () -> assertThatThrownBy(() -> store.relay(100))
                        .isInstanceOf(DurableException.class)
                        .hasMessageContaining("42501"));

        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));
    }

    @Test
    void senders_whose_targets_are_stuck_keep_no_other_sender_waiting() {
        List<RunKey> closing =
                IntStream.range(0, 200).mapToObj(i -> started("closing-" + i)).toList();
        RunKey open = started("order-1");
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.run_state set closing = true where workflow_id like 'closing-%'");
        Sql.execute(PostgresFixture.pool(), """
                insert into durable.outbox (run_id, event_id, at, kind, shard, target_workflow_id, name, payload)
                select ('00000000-0000-0000-0000-' || lpad(to_hex(row_number() over (order by workflow_id)), 12, '0'))::uuid,
                       1, now(), 1, shard, workflow_id, 'waits', '[]'
                  from durable.run_state where closing""");
        inTransaction(store, joined -> joined.deliver(to(open, "passes")));

        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));

        assertThat(waitingNames(open)).containsExactly("passes");
        assertThat(outbox()).isEqualTo(closing.size());
    }

    @Test
    void a_full_batch_of_senders_of_one_message_each_is_delivered_at_once_also_behind_stuck_ones() {
        IntStream.range(0, 90).forEach(i -> started("closing-" + i));
        IntStream.range(0, 5).forEach(i -> started("order-" + i));
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.run_state set closing = true where workflow_id like 'closing-%'");
        Sql.execute(PostgresFixture.pool(), """
                insert into durable.outbox (run_id, event_id, at, kind, shard, target_workflow_id, name, payload)
                select ('00000000-0000-0000-0000-' || lpad(to_hex(row_number() over (order by closing desc)), 12, '0'))::uuid,
                       1, now(), 1, shard, workflow_id, 'a', '[]'
                  from durable.run_state, generate_series(1, case when closing then 1 else 34 end)""");
        RelayChore relay = new RelayChore(store);

        assertThat(relay.upTo(100)).isEqualTo(100);
        assertThat(relay.upTo(100)).isEqualTo(70);

        assertThat(outbox()).isEqualTo(90);
    }

    @Test
    void stuck_targets_get_another_chance_although_something_always_waits_for_others() {
        RunKey stuck = started("order-1");
        RunKey busy = started("order-2");
        Sql.execute(
                PostgresFixture.pool(), "update durable.run_state set closing = true where workflow_id = 'order-1'");
        inTransaction(store, joined -> joined.deliver(to(stuck, "waits")));
        store.relay(100);
        inTransaction(store, joined -> joined.deliver(to(busy, "first")));
        store.relay(100);
        Sql.execute(PostgresFixture.pool(), "update durable.run_state set closing = false");

        for (int i = 0; i < 20; i++) {
            inTransaction(store, joined -> joined.deliver(to(busy, "another")));
            store.relay(100);
        }

        assertThat(waitingNames(stuck)).containsExactly("waits");
    }

    @Test
    void a_transaction_that_is_held_by_hand_tells_its_own_process_that_messages_will_come() throws Exception {
        RunKey run = started("order-1");
        List<Nudges.Nudge> heard = new CopyOnWriteArrayList<>();
        try (AutoCloseable listening = store.nudges().listen(heard::add);
                Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.joined(connection).deliver(to(run, "late"));

            assertThat(heard).contains(new Nudges.OutboxAwaited());
            connection.rollback();
        }
    }

    // ── signal with start ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_signal_with_start_in_a_transaction_waits_for_the_commit_and_goes_to_the_open_run() throws SQLException {
        RunKey run = started("order-1");
        NewRun told = newRun("order-1").tells(signal("approve")).build();
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(store.joined(connection).start(told))
                    .isEqualTo(new StartOutcome.AlreadyOpen(run.runId(), TYPE, Delivery.Outcome.ACCEPTED));
            // No transaction waits for that one, not even the run's next step.
            Writer writer = claimed(run);
            assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}")))
                    .isEqualTo(Transition.Outcome.APPLIED);
            connection.commit();
        }
        assertThat(waiting(run)).isEmpty();
        assertThat(store.relay(100).gone()).isEqualTo(1);
        assertThat(waitingNames(run)).containsExactly("approve");
        assertThat(store.run(told.run().runId())).isEmpty();
    }

    @Test
    void a_run_that_closes_before_the_relay_comes_is_followed_by_one_with_all_that_was_sent() {
        RunKey closed = started("order-1");
        NewRunBuilder next = newRun("order-1")
                .started("{\"input\":[\"\u00e4\\u0000 \\\"x\\\"\"]}")
                .memo("customer", "\u00e4nn")
                .deadline(store.now().plusSeconds(3_600));
        NewRun told = next.tells(signal("a")).build();
        NewRun another = newRun("order-1").tells(signal("c")).build();
        inTransaction(store, joined -> {
            joined.start(told);
            joined.deliver(to(closed, "b"));
            joined.start(another);
            joined.deliver(to(closed, "d"));
        });
        terminated(closed);

        assertThat(store.relay(100)).isEqualTo(new Relayed(4, 0, 0));

        assertThat(waitingNames(told.run())).containsExactly("a", "b", "c", "d");
        assertThat(history(told.run())).isEqualTo(told.firstTurn().events());
        assertThat(store.run(told.run().runId()).orElseThrow().memo()).isEqualTo(told.memo());
        assertThat(store.run(another.run().runId())).isEmpty();
        assertThat(claimedIds(session)).containsExactly("order-1");
        advance(Duration.ofHours(2));
        assertThat(store.expiredRuns(10)).containsExactly(told.run());
    }

    @Test
    void a_delayed_start_that_waited_in_the_outbox_keeps_its_delay() {
        RunKey closed = started("order-1");
        NewRun told = newRun("order-1")
                .startDelay(Duration.ofMinutes(5))
                .tells(signal("a"))
                .build();
        inTransaction(store, joined -> joined.start(told));
        terminated(closed);
        store.relay(100);
        consumeAll(told.run());

        assertThat(claimRuns(session)).isEmpty();
        advance(Duration.ofMinutes(5));
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_new_run_of_the_transaction_gets_the_further_signals_with_start_of_that_transaction() {
        NewRun first = newRun("order-1").tells(signal("a")).build();
        inTransaction(store, joined -> {
            assertThat(joined.start(first)).isEqualTo(new StartOutcome.Started(false));
            joined.start(newRun("order-1").tells(signal("b")).build());
        });
        assertThat(waitingNames(first.run())).containsExactly("a");

        store.relay(100);

        assertThat(waitingNames(first.run())).containsExactly("a", "b");
    }

    @Test
    void what_is_rolled_back_neither_starts_nor_tells() throws SQLException {
        RunKey open = started("order-1");
        NewRun fresh = newRun("order-2").tells(signal("b")).build();
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.joined(connection).start(newRun("order-1").tells(signal("a")).build());
            store.joined(connection).start(fresh);
            connection.rollback();
        }
        assertThat(store.relay(100).gone()).isZero();
        assertThat(waiting(open)).isEmpty();
        assertThat(store.run(fresh.run().runId())).isEmpty();
    }

    @Test
    void a_signal_with_start_that_a_policy_or_the_type_refuses_after_the_commit_is_dropped_and_that_is_said() {
        RunKey closed = started("order-1");
        RunKey replaced = started("order-2");
        inTransaction(store, joined -> {
            joined.start(newRun("order-1")
                    .reuse(ReusePolicy.REJECT_DUPLICATE)
                    .tells(signal("a"))
                    .build());
            joined.start(newRun("order-2").tells(signal("b")).build());
        });
        terminated(closed);
        terminated(replaced);
        RunKey other = started(newRun("order-2").type("Shipping"));

        List<String> said =
                said(RelayPass.class, () -> assertThat(store.relay(100).gone()).isEqualTo(2));

        assertThat(said)
                .containsExactly(
                        "SIGNAL a to workflow order-1 is dropped: it was sent in a transaction, and after its commit no run"
                                + " is open, and the reuse policy REJECT_DUPLICATE allows no other after "
                                + closed.runId() + ", which is TERMINATED",
                        "SIGNAL b to workflow order-2 is dropped: it was sent in a transaction, and after its commit the"
                                + " open run, " + other.runId() + ", is one of Shipping, not of OrderWorkflow");
        assertThat(waiting(other)).isEmpty();
        assertThat(outbox()).isZero();
    }

    @Test
    void two_signals_with_start_of_one_workflow_id_that_a_policy_refuses_are_dropped_and_keep_nobody() {
        RunKey closed = started("order-1");
        RunKey other = started("order-2");
        inTransaction(store, joined -> {
            joined.start(rejecting("a"));
            joined.start(rejecting("b"));
            joined.deliver(to(other, "passes"));
        });
        terminated(closed);

        assertThat(store.relay(100).gone()).isEqualTo(3);
        assertThat(waitingNames(other)).containsExactly("passes");
        assertThat(outbox()).isZero();
    }

    private NewRun rejecting(String name) {
        return newRun("order-1")
                .reuse(ReusePolicy.REJECT_DUPLICATE)
                .tells(signal(name))
                .build();
    }

    @Test
    void a_signal_with_start_that_a_closing_run_does_not_take_keeps_what_follows_it() {
        RunKey run = started("order-1");
        Sql.execute(PostgresFixture.pool(), "update durable.run_state set closing = true");
        inTransaction(store, joined -> {
            joined.start(newRun("order-1").tells(signal("a")).build());
            joined.deliver(to(run, "b"));
        });
        assertThat(store.relay(100).gone()).isZero();
        Sql.execute(PostgresFixture.pool(), "update durable.run_state set closing = false");

        assertThat(store.relay(100).gone()).isEqualTo(2);
        assertThat(waitingNames(run)).containsExactly("a", "b");
    }

    @Test
    void a_signal_with_start_that_is_set_aside_and_sent_again_still_starts_its_run() {
        RunKey run = started("order-1");
        RunKey other = started("order-2");
        NewRun told = newRun("order-1").tells(signal("poison")).build();
        inTransaction(store, joined -> {
            joined.start(told);
            joined.deliver(to(other, "passes"));
        });
        refusing(
                "raise exception 'no poison here'",
                () -> assertThat(store.relay(100)).isEqualTo(new Relayed(1, 1, 1)));
        terminated(run);

        Sql.column(
                PostgresFixture.pool(), "select durable.resend_refused(run_id, event_id) from durable.outbox_refused");

        assertThat(store.relay(100)).isEqualTo(new Relayed(1, 0, 0));
        assertThat(waitingNames(told.run())).containsExactly("poison");
    }

    /** Runs the action while the inbox has a trigger that refuses messages of this name. */
    private static void refusing(String how, Runnable action) {
        refusing("new.name = 'poison'", how, action);
    }

    private static void refusing(String which, String how, Runnable action) {
        Sql.execute(PostgresFixture.pool(), """
                create function durable.refuse_poison() returns trigger language plpgsql as
                    $$ begin if %s then %s; end if; return new; end $$;
                create trigger refuse_poison before insert on durable.inbox
                    for each row execute function durable.refuse_poison()""".formatted(which, how));
        try {
            action.run();
        } finally {
            Sql.execute(PostgresFixture.pool(), "drop function durable.refuse_poison() cascade");
        }
    }

    /** The lines of the log about refused messages meanwhile. */
    private static List<String> said(Runnable action) {
        return said(RelayRefusals.class, action);
    }

    private static List<String> said(Class<?> by, Runnable action) {
        Logger logger = (Logger) LoggerFactory.getLogger(by);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            action.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private int relayAll(int limit) {
        int all = 0;
        for (int gone = store.relay(limit).gone();
                gone > 0;
                gone = store.relay(limit).gone()) {
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
