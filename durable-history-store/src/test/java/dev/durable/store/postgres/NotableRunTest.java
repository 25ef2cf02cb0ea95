package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs that listings have to find among any number of completed ones, and the cost of these for the other runs. */
@Tag("slow")
class NotableRunTest extends StoreContract {
    private static final int RUNS = 50;

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void a_run_that_fails_is_noted_with_its_close_and_forgotten_with_the_run() {
        RunKey terminated = started("order-1");
        Writer completed = claimed("order-2");
        completed.write(completed.closing());
        terminated(terminated);

        assertThat(sql("select workflow_id || ' ' || status from durable.notable_run"))
                .containsExactly("order-1 TERMINATED");

        Sql.execute(PostgresFixture.pool(), "delete from durable.workflow_run where workflow_id = 'order-1'");
        assertThat(sql("select workflow_id from durable.notable_run")).isEmpty();
        Sql.execute(
                PostgresFixture.pool(),
                "set session_replication_role = replica; delete from durable.history_event" + " where run_id = '"
                        + terminated.runId() + "'; reset session_replication_role");
    }

    @Test
    void a_run_that_takes_more_than_an_hour_is_noted() {
        Writer quick = claimed("order-1");
        quick.write(quick.closing());
        Writer slow = claimed("order-2");
        advance(Duration.ofMinutes(61));
        slow.write(slow.closing());

        assertThat(sql("select workflow_id || ' ' || status from durable.notable_run"))
                .containsExactly("order-2 COMPLETED");
        assertThat(store.runs(RunFilter.ALL.closedAfter(store.now().minusSeconds(60)), 10))
                .extracting(run -> run.run().workflowId())
                .containsExactly("order-2");
    }

    @Test
    void a_background_job_that_ends_without_a_result_is_noted_with_its_activity() {
        terminated(started(newRun("mail-1")
                .type("durable.job")
                .started("{\"workflowId\":\"mail-1\",\"input\":[\"Emails.send\",[\"a\"],{}]}")));

        assertThat(sql("select activity from durable.notable_run")).containsExactly("Emails.send");
        assertThat(store.count(
                        RunFilter.ALL
                                .types(Set.of("durable.job"))
                                .activity("Emails.send")
                                .statuses(Set.of(WorkflowStatus.TERMINATED)),
                        10))
                .isOne();
    }

    /** A run is started in a transaction that stays open, or by a client whose clock is off. */
    @Test
    void a_run_whose_id_is_older_than_its_start_is_found_by_the_time_of_its_start() {
        NewRunBuilder old = newRun("order-1");
        advance(Duration.ofHours(2));
        started(old);
        started("order-2");

        assertThat(store.runs(RunFilter.ALL.startedAfter(store.now().minusSeconds(60)), 10))
                .extracting(run -> run.run().workflowId())
                .containsExactlyInAnyOrder("order-1", "order-2");
        assertThat(store.runs(RunFilter.ALL.startedBefore(store.now().minusSeconds(60)), 10))
                .isEmpty();
    }

    /** B-trees are meant: the BRIN index of types and queues is read, and not written. */
    @Test
    void a_run_that_completes_touches_no_index_more_and_its_updates_stay_hot() {
        assertThat(sql("""
                select distinct i.relname from pg_index x join pg_class i on i.oid = x.indexrelid
                  join pg_attribute a on a.attrelid = x.indrelid and pg_get_indexdef(x.indexrelid) ~ ('\\m' || a.attname || '\\M')
                 where x.indrelid = 'durable.workflow_run'::regclass
                   and a.attname in ('status', 'result', 'failure', 'closed_at', 'close_fence')"""))
                .as("a column that a close changes is in an index, which ends HOT updates")
                .isEmpty();
        long updates = statistics("n_tup_upd");
        long cold = statistics("n_tup_upd - n_tup_hot_upd");
        for (int i = 0; i < RUNS; i++) {
            Writer writer = claimed("order-" + i);
            writer.write(writer.step().staysAwake());
            writer.write(writer.closing());
        }
        PostgresFixture.evict();

        assertThat(Sql.await(Duration.ofSeconds(20), () -> statistics("n_tup_upd") >= updates + RUNS))
                .isTrue();
        assertThat(statistics("n_tup_upd - n_tup_hot_upd"))
                .as("updates that were not HOT")
                .isEqualTo(cold);
        assertThat(sql("select run_id from durable.notable_run")).isEmpty();
        assertThat(sql("""
                select relname from pg_class where relname in ('workflow_run_odd_ids', 'run_state_stalled',
                       'activity_job_retried', 'activity_job_paused', 'notable_run_by_status')
                   and pg_relation_size(oid) > 8192""")).as("indexes that have something in them").isEmpty();
    }

    private static long statistics(String counter) {
        return Sql.number(
                PostgresFixture.pool(),
                "select " + counter
                        + " from pg_stat_user_tables where schemaname = 'durable' and relname = 'workflow_run'");
    }

    private static List<String> sql(String query) {
        return Sql.column(PostgresFixture.pool(), query);
    }
}
