package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreRefusedException;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.engine.LogCapture;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.RunChange;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Seizure;
import dev.durable.store.contract.Seizures;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changes of many runs from outside, of which the database refuses one: by a trigger of the application. */
class RefusedChangesTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    /** Has a trigger do this meanwhile, where the run of this workflow id is changed. */
    private static void atUpdate(String table, String workflowId, String statement, Runnable body) {
        Sql.execute(
                PostgresFixture.pool(),
                "create or replace function public.refuse() returns trigger language plpgsql as $$ begin " + statement
                        + "; return new; end $$;"
                        + "create trigger refuse before update on durable." + table
                        + " for each row when (new.workflow_id = '" + workflowId
                        + "') execute function public.refuse()");
        try {
            body.run();
        } finally {
            Sql.execute(PostgresFixture.pool(), "drop trigger refuse on durable." + table);
        }
    }

    private static void refusing(String table, String workflowId, Runnable body) {
        atUpdate(table, workflowId, "raise exception 'not this one'", body);
    }

    private List<RunKey> orders(int number) {
        return IntStream.range(0, number).mapToObj(i -> started("order-" + i)).toList();
    }

    private static RunPause pause(RunKey run) {
        return new RunPause(run.workflowId(), run.runId(), true, UUID.randomUUID(), "WorkflowPaused", "{}", "ann");
    }

    private static void assertRefusedAlone(List<RunChange> changes, List<RunKey> runs, int refused) {
        for (int i = 0; i < runs.size(); i++) {
            RunChange change = changes.get(i);
            if (i == refused) {
                assertThat(change.kind()).isEqualTo(RunChange.Kind.REFUSED);
                assertThat(change.isFound()).as("counts as passed").isFalse();
                assertThat(change.refusal())
                        .isInstanceOf(StoreRefusedException.class)
                        .hasMessageContaining("not this one");
            } else {
                assertThat(change).isEqualTo(RunChange.changed(runs.get(i)));
            }
        }
    }

    @Test
    void a_run_that_the_database_refuses_to_end_keeps_no_other_open() {
        List<RunKey> runs = orders(9);
        List<Seizure> seizures = runs.stream().map(Seizures::terminate).toList();
        refusing("workflow_run", "order-4", () -> {
            try (LogCapture log = LogCapture.named("dev.durable.store")) {
                assertRefusedAlone(store.seize(seizures), runs, 4);
                assertThat(log.messages())
                        .singleElement()
                        .asString()
                        .contains(
                                "workflow order-4 is left as it is, as the database refuses to change it",
                                "not this one");
            }
            assertThat(store.seize(List.of(seizures.get(4))))
                    .as("a page of one")
                    .extracting(RunChange::kind)
                    .containsExactly(RunChange.Kind.REFUSED);
            assertThatThrownBy(() -> store.seize(seizures.get(4)))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("not this one");
        });

        assertThat(runs)
                .filteredOn(run -> store.run(run.runId()).orElseThrow().status() == WorkflowStatus.RUNNING)
                .containsExactly(runs.get(4));
        assertThat(store.seize(seizures.get(4))).as("mended").contains(runs.get(4));
    }

    @Test
    void a_run_that_the_database_refuses_to_pause_is_left_while_the_others_are_paused() {
        List<RunKey> runs = orders(5);
        refusing("run_state", "order-0", () -> {
            assertRefusedAlone(
                    store.pause(runs.stream().map(RefusedChangesTest::pause).toList()), runs, 0);
            assertThatThrownBy(() -> store.pause(pause(runs.getFirst()))).isInstanceOf(StoreRefusedException.class);
        });

        assertThat(runs)
                .filteredOn(run -> !store.details(run.runId()).orElseThrow().paused())
                .containsExactly(runs.getFirst());
    }

    @Test
    void a_run_that_is_refused_beside_one_that_is_locked_is_told_once() {
        List<RunKey> runs = orders(8);
        List<RunPause> pauses = runs.stream().map(RefusedChangesTest::pause).toList();
        refusing("run_state", "order-2", () -> {
            try (LogCapture log = LogCapture.named("dev.durable.store");
                    Connection other = PostgresFixture.pool().getConnection();
                    Statement locking = other.createStatement()) {
                other.setAutoCommit(false);
                locking.execute("select 1 from durable.run_state where workflow_id = 'order-5' for update");
                List<RunChange> changes = store.pause(pauses);
                other.rollback();

                assertThat(changes)
                        .filteredOn(change -> change.kind() == RunChange.Kind.REFUSED)
                        .containsExactly(changes.get(2));
                assertThat(changes)
                        .filteredOn(change -> change.kind() == RunChange.Kind.LOCKED)
                        .containsExactly(changes.get(5));
                assertThat(changes).filteredOn(RunChange::isFound).hasSize(6);
                assertThat(log.messages()).hasSize(1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void a_lost_connection_is_no_runs_fault() {
        List<RunKey> runs = orders(3);
        atUpdate(
                "run_state",
                "order-1",
                "perform pg_terminate_backend(pg_backend_pid())",
                () -> assertThatThrownBy(() -> store.pause(
                                runs.stream().map(RefusedChangesTest::pause).toList()))
                        .isInstanceOf(CommitUnknownException.class));
    }
}
