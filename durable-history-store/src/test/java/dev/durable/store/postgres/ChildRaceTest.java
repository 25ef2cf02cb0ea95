package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ParentClosePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.store.HistoryStore;
import dev.durable.store.NewRun;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.contract.Seizures;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Races of starts, ends and policies of children: two relays, workers that close runs, and connections that are cut. */
@Tag("slow")
class ChildRaceTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private static List<String> sql(String query) {
        return Sql.column(PostgresFixture.pool(), query);
    }

    private static void relay(HistoryStore store, AtomicBoolean over) {
        do {
            try {
                store.relay(64);
            } catch (RuntimeException e) {
                // Its connection was cut: it goes on with another, as a process that is started again does.
                assertThat(e).hasMessageNotContaining("deadlock");
            }
        } while (!over.get());
    }

    /** Closes each run that is claimed, at once. */
    private void work(HistoryStore store, UUID session, AtomicBoolean over) {
        while (!over.get()) {
            try {
                List<Transition> ends =
                        store
                                .claimRuns(new RunClaim(session, Set.of("children"), Set.of(TYPE), 20, OWNED))
                                .runs()
                                .stream()
                                .map(claim -> new Writer(store, claim.run(), claim.fence(), claim.nextEventId())
                                        .closing()
                                        .build())
                                .toList();
                store.commit(ends);
            } catch (RuntimeException e) {
                assertThat(e).hasMessageNotContaining("deadlock");
            }
        }
    }

    @Test
    void a_thousand_children_start_once_each_and_tell_their_ends_once_each_while_connections_are_cut() {
        Writer writer = claimed("order");
        Parent parent = new Parent(store, writer, TYPE, "children");
        Set<UUID> asked = new HashSet<>();
        for (int turn = 0; turn < 4; turn++) {
            StepBuilder step = writer.step();
            for (int i = 0; i < 250; i++) {
                asked.add(parent.starts(step, "child-" + turn + "-" + i, ParentClosePolicy.TERMINATE)
                        .runId());
            }
            assertThat(writer.write(step).isApplied()).isTrue();
        }
        AtomicBoolean over = new AtomicBoolean();
        UUID worker = openSession();
        List<Meanwhile<Boolean>> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(Meanwhile.of(() -> {
                try (PostgresHistoryStore other = PostgresHistoryStore.of(PostgresFixture.pool())) {
                    other.open();
                    relay(other, over);
                }
                return true;
            }));
        }
        others.add(Meanwhile.of(() -> {
            work(store, worker, over);
            return true;
        }));
        Sql.await(Duration.ofSeconds(60), () -> {
            cutRelays();
            return closed() == 1000;
        });
        over.set(true);
        others.forEach(Meanwhile::get);
        relayAll();

        assertThat(closed()).isEqualTo(1000);
        List<InboxMessage> told = waiting(parent.run());
        assertThat(told)
                .extracting(InboxMessage::messageId)
                .doesNotHaveDuplicates()
                .hasSize(1000);
        assertThat(told).extracting(InboxMessage::messageId).containsAll(asked);
        assertThat(sql("select count(*) from durable.outbox")).containsExactly("0");
    }

    private static long closed() {
        return Sql.number(
                PostgresFixture.pool(),
                "select count(*) from durable.workflow_run where parent_chain is not null and closed_at is not null");
    }

    /** Cuts the connections that are in the middle of a transaction of the relay. */
    private static void cutRelays() {
        sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
                + " and pid <> pg_backend_pid() and state in ('active', 'idle in transaction') and query ~ 'outbox'"
                + " and random() < 0.3");
    }

    @Test
    void a_parent_that_ends_while_its_children_start_and_end_leaves_none_behind() {
        AtomicBoolean over = new AtomicBoolean();
        UUID worker = openSession();
        List<Meanwhile<Boolean>> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(Meanwhile.of(() -> {
                relay(store, over);
                return true;
            }));
        }
        others.add(Meanwhile.of(() -> {
            work(store, worker, over);
            return true;
        }));
        List<RunKey> parents = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            Writer writer = claimed("order-" + round);
            Parent parent = new Parent(store, writer, TYPE, "children");
            StepBuilder step = writer.step();
            for (int i = 0; i < 12; i++) {
                parent.starts(step, "child-" + round + "-" + i, ParentClosePolicy.of(1 + i % 3));
            }
            writer.write(step);
            parents.add(parent.run());
            if (round % 2 == 0) {
                terminated(parent.run());
            } else {
                while (!writer.write(writer.closing()).isApplied()) {}
            }
        }
        over.set(true);
        others.forEach(Meanwhile::get);
        relayAll();

        assertThat(parents)
                .allSatisfy(
                        run -> assertThat(store.run(run.runId()).orElseThrow().status())
                                .isNotEqualTo(WorkflowStatus.RUNNING));
        assertThat(sql("select workflow_id from durable.run_state where parent_policy in (1, 2)"))
                .isEmpty();
        assertThat(sql("select count(*) from durable.workflow_run where parent_number % 3 = 0"))
                .as("children that are abandoned start whatever became of the parent")
                .containsExactly("80");
        assertThat(sql("select count(*) from durable.outbox")).containsExactly("0");
    }

    /**
     * The cycle of three: the relay has a parent's share lock and would wait for an insert; starts have made that insert
     * and wait for the share lock of a run that closes; the end of a batch has that run and waits for the parent.
     */
    @Test
    void relays_starts_and_ends_never_wait_for_each_other_in_a_circle() {
        Sql.execute(
                PostgresFixture.pool(),
                "alter database " + PostgresFixture.database().name() + " set deadlock_timeout = '10ms'");
        PostgresFixture.evict();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger late = new AtomicInteger();
        AtomicInteger started = new AtomicInteger();
        List<Meanwhile<Boolean>> others = new ArrayList<>();
        try {
            others.add(Meanwhile.of(() -> {
                relay(store, over);
                return true;
            }));
            for (int thread = 0; thread < 2; thread++) {
                others.add(Meanwhile.of(() -> {
                    while (!over.get()) {
                        List<NewRun> batch = IntStream.range(0, 6)
                                .mapToObj(i -> (i % 2 == 0 ? newRun("shared-" + i) : newRun("target-" + i))
                                        .tells(signal("s"))
                                        .build())
                                .toList();
                        for (StartOutcome outcome : store.start(batch)) {
                            (outcome instanceof StartOutcome.Locked ? late : started).incrementAndGet();
                        }
                    }
                    return true;
                }));
            }
            for (int round = 0; round < 25; round++) {
                List<Writer> writers = new ArrayList<>();
                List<Transition> asks = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Writer writer = claimed("parent-" + round + "-" + i);
                    writers.add(writer);
                    Parent parent = new Parent(store, writer, TYPE, "children");
                    StepBuilder step = writer.step();
                    parent.starts(step, "shared-" + i, ParentClosePolicy.TERMINATE);
                    parent.starts(step, "child-" + round + "-" + i, ParentClosePolicy.TERMINATE);
                    asks.add(step.build());
                }
                List<Transition.Outcome> asked = store.commit(asks);
                for (int i = 0; i < 4; i++) {
                    writers.get(i).wrote(asks.get(i), asked.get(i));
                }
                for (Writer writer : writers) {
                    terminated(writer.run());
                }
                for (int i = 0; i < 6; i++) {
                    store.seize(Seizures.terminateCurrent((i % 2 == 0 ? "shared-" : "target-") + i));
                }
            }
        } finally {
            over.set(true);
            others.forEach(Meanwhile::get);
            Sql.execute(
                    PostgresFixture.pool(),
                    "alter database " + PostgresFixture.database().name() + " reset deadlock_timeout");
            PostgresFixture.evict();
        }
        relayAll();
        assertThat(late).as("starts that met a lock for longer than they wait").hasValueLessThan(started.get() / 10);
        assertThat(sql("select workflow_id from durable.run_state where parent_policy in (1, 2)"))
                .isEmpty();
    }
}
