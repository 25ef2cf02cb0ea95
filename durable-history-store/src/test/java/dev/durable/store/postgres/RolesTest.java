package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Who may do what, as the database itself sees to it. */
class RolesTest extends StoreContract {
    private final DataSource worker = as("durable_worker");
    private final DataSource retention = as("durable_retention");
    private Writer writer;

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @BeforeEach
    void aRunWithAHistory() {
        writer = claimed("order-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update durable.history_event set type = 'Forged'",
                "update durable.history_event set type = 'Forged' where false",
                "delete from durable.history_event",
                "truncate durable.history_event",
            })
    void history_is_append_only_for_everyone_the_owner_and_a_superuser_too(String change) {
        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), change))
                .hasMessageContaining("history is append-only: "
                        + change.substring(0, 6).toUpperCase(Locale.ROOT).trim())
                .hasMessageContaining("on durable.history_event is refused")
                .hasMessageContaining(
                        "Only the role durable_retention may remove history (SET ROLE durable_retention).")
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("DU002"));
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
    }

    @Test
    void a_partition_is_no_way_around_it() {
        String partition = Sql.column(
                        PostgresFixture.pool(),
                        "select 'durable.' || relname from durable.history_event e join pg_class c on c.oid = e.tableoid limit 1")
                .getFirst();

        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "delete from " + partition))
                .hasMessageContaining("history is append-only: DELETE on durable.history_event_");
        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "truncate " + partition))
                .hasMessageContaining("history is append-only: TRUNCATE");
    }

    @Test
    void retention_removes_history_of_closed_runs_and_can_do_nothing_else() {
        writer.write(writer.closing());

        Sql.execute(
                retention,
                "delete from durable.history_event where run_id = '"
                        + writer.run().runId() + "'");
        Sql.execute(
                retention,
                "delete from durable.workflow_run where run_id = '"
                        + writer.run().runId() + "'");
        assertThat(history(writer.run())).isEmpty();
        assertDenied(() -> Sql.execute(retention, "update durable.history_event set type = 'Forged'"));
        assertDenied(() -> Sql.execute(retention, "delete from durable.inbox"));
        assertDenied(() -> Sql.execute(retention, "create table durable.mine (a int)"));
    }

    @Test
    void a_worker_appends_and_reads_and_can_neither_change_history_nor_the_schema() {
        assertThat(Sql.number(worker, "select count(*) from durable.history_event"))
                .isOne();
        assertDenied(() -> Sql.execute(worker, "update durable.history_event set type = 'Forged'"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.history_event"));
        assertDenied(() -> Sql.execute(worker, "truncate durable.history_event"));
        assertDenied(() -> Sql.execute(worker, "create table durable.mine (a int)"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.schema_version"));
    }

    @Test
    void a_worker_needs_no_more_rights_than_its_role_has() throws Exception {
        PostgresHistoryStore asWorker = PostgresHistoryStore.of(worker);
        asWorker.open();
        store.closeSession(session);
        store = asWorker;
        session = openSession();
        Writer run = scheduled("order-2", 2);
        deliver("order-2", signal("approve"));
        update(completed(claimJob(session)));
        assertThat(store.requeueOrphans(10)).isZero();
        assertThat(store.timeOutWaiting(10)).isZero();
        terminated(run.run());
        for (String view : new String[] {"v_workflow", "v_history", "v_activity", "v_queue", "v_dead_letter"}) {
            assertThat(Sql.number(worker, "select count(*) from durable." + view))
                    .isNotNegative();
        }
        try (AutoCloseable listening = store.nudges().listen(nudge -> {})) {
            assertThat(listening).isNotNull();
        }
    }

    private static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call)
                .hasMessageContaining("permission denied")
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("42501"));
    }

    private static DataSource as(String role) {
        PGSimpleDataSource source =
                (PGSimpleDataSource) PostgresFixture.database().dataSource();
        source.setOptions("-c role=" + role);
        return source;
    }
}
