package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The rights of the roles, as the database enforces them. */
public class RolesTest extends StoreContract {
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
                        "Only the role durable_retention may remove history (SET ROLE durable_retention), by DELETE on durable.history_event.")
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("DU002"));
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
    }

    @Test
    void a_partition_is_no_way_around_it() {
        String partition = partition();

        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "delete from " + partition))
                .hasMessageContaining("history is append-only: DELETE on durable.history_event_");
        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "truncate " + partition))
                .hasMessageContaining("history is append-only: TRUNCATE");
    }

    private static String partition() {
        return Sql.column(
                        PostgresFixture.pool(),
                        "select 'durable.' || relname from durable.history_event e join pg_class c on c.oid = e.tableoid limit 1")
                .getFirst();
    }

    @Test
    void retention_removes_history_of_closed_runs_and_can_do_nothing_else() {
        writer.write(writer.closing().appends("tokens", "1"));

        Sql.execute(
                retention,
                "delete from durable.history_event where event_id = 1 and run_id = '"
                        + writer.run().runId() + "'");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.stream_entry"))
                .as("while an event is left")
                .isOne();
        Sql.execute(
                retention,
                "delete from durable.history_event where run_id = '"
                        + writer.run().runId() + "'");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.stream_entry"))
                .as("with the last event")
                .isZero();
        assertThat(Sql.column(PostgresFixture.pool(), "select next_offset from durable.workflow_stream"))
                .containsExactly("1");
        Sql.execute(
                retention,
                "delete from durable.workflow_run where run_id = '"
                        + writer.run().runId() + "'");
        assertThat(history(writer.run())).isEmpty();
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select name from durable.stream_entry union all select name from durable.workflow_stream"))
                .as("what it appended")
                .isEmpty();
        assertDenied(() -> Sql.execute(retention, "delete from durable.stream_entry"));
        assertDenied(() -> Sql.execute(retention, "update durable.history_event set type = 'Forged'"));
        assertDenied(() -> Sql.execute(retention, "delete from durable.inbox"));
        assertDenied(() -> Sql.execute(retention, "create table durable.mine (a int)"));
    }

    @Test
    void nobody_removes_an_open_run_or_its_history() {
        terminated(started("order-2"));
        String run = writer.run().runId().toString();
        for (String table : new String[] {"history_event", "workflow_run"}) {
            assertThatThrownBy(() -> Sql.execute(retention, "delete from durable." + table))
                    .hasMessageContaining("DELETE on durable." + table
                            + " is refused: it would take what an open run needs"
                            + " to go on, such as order-1 (run " + run + ")")
                    .hasMessageContaining("client.handle(workflowId).terminate(\"why\")")
                    .satisfies(e -> assertThat(((SQLException) e.getCause()).getSQLState())
                            .isEqualTo("DU002"));
        }
        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "delete from durable.workflow_run"))
                .as("the owner")
                .hasMessageContaining("is refused");
        started("order-3");
        assertThatThrownBy(() -> Sql.execute(retention, "delete from durable.history_event"))
                .hasMessageContaining("what 2 open runs need to go on, such as order-1");
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
        assertThat(store.latestRun("order-2")).isPresent();
    }

    @Test
    void retention_removes_by_the_table_as_a_whole_and_by_nothing_else() {
        String partition = partition();
        Sql.execute(
                PostgresFixture.pool(), "grant all on " + partition + ", durable.history_event to durable_retention");
        try {
            for (String change : new String[] {
                "delete from " + partition,
                "truncate durable.history_event",
                "update durable.history_event set type = 'Forged'"
            }) {
                assertThatThrownBy(() -> Sql.execute(retention, change))
                        .hasMessageContaining("history is append-only")
                        .hasMessageContaining("by DELETE on durable.history_event");
            }
        } finally {
            Sql.execute(
                    PostgresFixture.pool(),
                    "revoke all on " + partition + ", durable.history_event from durable_retention;"
                            + " grant select, delete on durable.history_event to durable_retention");
        }
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted");
    }

    @Test
    void what_the_views_show_stands_in_the_catalog() {
        assertThat(Sql.column(PostgresFixture.pool(), """
                select c.relname from pg_class c where c.relnamespace = 'durable'::regnamespace and c.relkind = 'v'
                   and obj_description(c.oid, 'pg_class') is null""")).isEmpty();
    }

    @Test
    void a_worker_appends_and_reads_and_can_neither_change_history_nor_the_schema() {
        assertThat(Sql.number(worker, "select count(*) from durable.history_event"))
                .isOne();
        assertDenied(() -> Sql.execute(worker, "update durable.history_event set type = 'Forged'"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.history_event"));
        assertDenied(() -> Sql.execute(worker, "truncate durable.history_event"));
        assertDenied(() -> Sql.execute(worker, "update durable.stream_entry set value = '1'"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.stream_entry"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.workflow_stream"));
        assertDenied(() -> Sql.execute(worker, "create table durable.mine (a int)"));
        assertDenied(() -> Sql.execute(worker, "delete from durable.schema_version"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update durable.audit set actor = 'nobody'",
                "update durable.audit set actor = 'nobody' where false",
                "delete from durable.audit",
                "truncate durable.audit",
            })
    void the_audit_is_append_only_for_everyone_the_owner_and_a_superuser_too(String change) {
        audited();

        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), change))
                .hasMessageContaining("the audit is append-only: "
                        + change.substring(0, 6).toUpperCase(Locale.ROOT).trim())
                .hasMessageContaining("on durable.audit is refused")
                .hasMessageContaining(
                        "SET ROLE \"durable_retention\"; SELECT durable.purge_audit(now() - interval '1 year').")
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("DU002"));
        assertDenied(() -> Sql.execute(worker, change));
        assertDenied(() -> Sql.execute(retention, change));
        assertThat(Sql.column(PostgresFixture.pool(), "select actor from durable.audit"))
                .containsExactly("ann");
    }

    @Test
    void only_retention_removes_old_rows_of_the_audit_and_leaves_a_row_of_it() {
        audited();
        String all = "select durable.purge_audit(durable.clock() - interval '1 day')";
        assertDenied(() -> Sql.execute(worker, all));
        assertThat(Sql.number(retention, all)).as("what is younger than a day").isZero();
        assertThatThrownBy(() -> Sql.execute(retention, "select durable.purge_audit(durable.clock())"))
                .hasMessageContaining("rows of the last day stay");

        fixture.advance(Duration.ofDays(2));

        assertThat(Sql.number(retention, all)).isEqualTo(2);
        assertThat(Sql.column(
                        PostgresFixture.pool(), "select action || ' ' || (details ->> 'rows') from durable.audit"))
                .containsExactly("purge audit 2");
        assertThatThrownBy(() -> Sql.execute(PostgresFixture.pool(), "delete from durable.audit"))
                .as("the trigger is shut again")
                .hasMessageContaining("append-only");
    }

    private void audited() {
        Sql.execute(worker, """
                insert into durable.audit (id, at, actor, action, target, details)
                values (gen_random_uuid(), durable.clock(), 'ann', 'pause', 'queue mail', '{}')""");
    }

    @Test
    void a_worker_removes_no_run_and_makes_no_partitions_that_nobody_needs() {
        assertDenied(() -> Sql.execute(worker, "delete from durable.workflow_run"));
        assertDenied(() -> Sql.execute(worker, "update durable.installation set name = 'mine'"));
        assertDenied(() -> Sql.execute(worker, "select durable.purge_audit(now())"));
        for (String range :
                new String[] {"now(), now() + interval '100 years'", "'1970-01-01', now()", "null, now()"}) {
            assertThatThrownBy(() -> Sql.execute(worker, "select durable.add_history_partitions(" + range + ")"))
                    .hasMessageContaining("partitions are made for 100 days back and 400 days ahead at most");
        }
        assertThat(Sql.number(worker, "select durable.add_history_partitions(durable.clock(), durable.clock())"))
                .isZero();
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
        return as(PostgresFixture.database().dataSource(), role);
    }

    /** Connections with the rights of this role. */
    public static DataSource as(DataSource dataSource, String role) {
        PGSimpleDataSource source = (PGSimpleDataSource) dataSource;
        source.setOptions("-c role=" + role);
        return source;
    }
}
