package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.postgres.RolesTest;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The functions {@code durable.signal}, {@code cancel}, {@code terminate}, {@code pause}, {@code resume} and {@code retry}:
 * a login that has the role of operators and nothing else calls them, and a worker that runs reacts as it does to the
 * client.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OperatorsInSqlTest {
    /** What differs from run to run: ids, and the id of the workflow. */
    private static final String EVENTS = """
            select type || ' ' || replace(replace(attributes::text, run_id::text, 'RUN'), workflow_id, 'ID')
              from (select w.workflow_id, e.* from durable.workflow_run w join durable.history_event e using (run_id)
                     where w.workflow_id = '%s') e
             where type not in ('WorkflowStarted', 'ActivityScheduled', 'ActivityCompleted') order by event_id""";

    private static final String AUDIT =
            "select actor || ': ' || action || ' ' || target from durable.audit where target = '%s' order by at";

    private final Bench bench = new Bench();
    private final DataSource operator = RolesTest.as(bench.direct(), "durable_operator");

    @Activity
    interface Desk {
        String book(String traveller);
    }

    /** A trip that books, and waits until it is confirmed. */
    @Workflow(name = "Trip")
    static class Trip {
        private final Desk desk;
        private final List<String> heard = new ArrayList<>();
        private boolean confirmed;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<String> run(String traveller) {
            desk.book(traveller);
            Durable.await(() -> confirmed);
            return heard;
        }

        @Signal
        void say(String word, int number) {
            heard.add(word + " " + number);
        }

        @Signal
        void confirm() {
            confirmed = true;
        }
    }

    /** A run that stalls until it is mended. */
    @Workflow(name = "Ledger")
    static class Ledger {
        static final AtomicBoolean BROKEN = new AtomicBoolean();

        @Run
        String run() {
            if (BROKEN.get()) {
                throw new AssertionError("no rule");
            }
            return "closed";
        }
    }

    @AfterEach
    void close() throws SQLException {
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    private DurableEngine worker() {
        return bench.engine()
                .register(Trip.class, Ledger.class)
                .activity(Desk.class, traveller -> "seat of " + traveller)
                .start();
    }

    private List<String> call(String sql) {
        return Sql.column(operator, "select durable." + sql);
    }

    private WorkflowHandle<?, ?> waiting(DurableClient client, String id) {
        client.start(Trip.class, id, w -> w.run("ann"));
        WorkflowHandle<?, ?> trip = client.handle(id);
        Bench.awaitThat(trip, it -> it.historyLength() >= 3 && it.activities().isEmpty());
        return trip;
    }

    private void sameAsTheClient(
            String verb, WorkflowStatus status, BiConsumer<DurableClient, WorkflowHandle<?, ?>> byClient) {
        try (DurableEngine engine = worker()) {
            DurableClient client = engine.client();
            WorkflowHandle<?, ?> one = waiting(client, "by-client");
            WorkflowHandle<?, ?> other = waiting(client, "by-sql");

            byClient.accept(client, one);
            assertThat(call(verb + "('by-sql', 'ann', 'the customer called')"))
                    .containsExactly(other.describe().summary().runId().toString());

            for (WorkflowHandle<?, ?> trip : List.of(one, other)) {
                Bench.awaitThat(
                        trip,
                        it -> it.summary().status() == status && it.historyLength() > 3 && it.waitingMessages() == 0);
            }
        }
        assertThat(Sql.column(bench.dataSource(), EVENTS.formatted("by-sql")))
                .isEqualTo(Sql.column(bench.dataSource(), EVENTS.formatted("by-client")))
                .anyMatch(event -> event.contains("\"reason\":\"the customer called\",\"by\":\"ann\""));
        assertThat(row("by-sql")).isEqualTo(row("by-client"));
        assertThat(Sql.column(bench.dataSource(), AUDIT.formatted("by-sql")))
                .containsExactly("ann: " + verb + " run by-sql");
        assertThat(Sql.column(bench.dataSource(), AUDIT.formatted("by-client")))
                .containsExactly("ann: " + verb + " run by-client");
        assertThat(Sql.column(
                        bench.dataSource(), "select details ->> 'reason' from durable.audit where target = 'by-sql'"))
                .containsExactly("the customer called");
    }

    private List<String> row(String workflowId) {
        return Sql.column(
                bench.dataSource(),
                "select w.status || ' ' || (w.closed_at is null) || ' ' || coalesce(w.failure::text, '') || ' '"
                        + " || coalesce(s.paused::text, '') || ' ' || (select count(*) from durable.activity_job j"
                        + " where j.run_id = w.run_id) from durable.workflow_run w left join durable.run_state s"
                        + " using (run_id) where w.workflow_id = '" + workflowId + "'");
    }

    @Test
    void cancel_leaves_the_rows_that_the_clients_leaves() {
        sameAsTheClient(
                "cancel",
                WorkflowStatus.CANCELLED,
                (client, trip) -> trip.by("ann").cancel("the customer called"));
    }

    @Test
    void terminate_leaves_the_rows_that_the_clients_leaves() {
        sameAsTheClient(
                "terminate",
                WorkflowStatus.TERMINATED,
                (client, trip) -> trip.by("ann").terminate("the customer called"));
    }

    @Test
    void pause_leaves_the_rows_that_the_clients_leaves() {
        sameAsTheClient(
                "pause",
                WorkflowStatus.RUNNING,
                (client, trip) -> trip.by("ann").pause("the customer called"));
    }

    @Test
    void signals_of_a_session_arrive_in_their_order_and_end_the_run_and_stand_in_the_audit() throws SQLException {
        try (DurableEngine engine = worker();
                Connection session = operator.getConnection();
                var statement = session.createStatement()) {
            waiting(engine.client(), "trip-1");
            for (int i = 0; i < 20; i++) {
                statement.execute("select durable.signal('trip-1', 'say', '[\"it''s\", " + i + "]')");
            }
            statement.execute(
                    "select durable.signal('trip-1', 'say', jsonb_build_array('é \u20ac', n), 'ann', 'told to')"
                            + " from generate_series(20, 29) as n");
            statement.execute("select durable.signal('trip-1', 'confirm')");

            List<String> heard = engine.client().handle("trip-1").resultAs(new TypeRef<List<String>>() {}, Bench.SOON);

            assertThat(heard).hasSize(30);
            for (int i = 0; i < 30; i++) {
                assertThat(heard.get(i)).isEqualTo((i < 20 ? "it's " : "é \u20ac ") + i);
            }
        }
        assertThat(Sql.column(bench.dataSource(), """
                        select distinct actor || ': ' || action || ', ' || (details ->> 'reason') from durable.audit
                         where actor = 'ann' or actor = session_user order by 1"""))
                .hasSize(2)
                .contains("ann: signal run, told to")
                .anyMatch(row -> row.endsWith(": signal run, no reason given"));
    }

    @Test
    void a_paused_run_goes_on_when_it_is_resumed_and_a_second_pause_writes_nothing() {
        try (DurableEngine engine = worker()) {
            WorkflowHandle<?, ?> trip = waiting(engine.client(), "trip-1");
            call("pause('trip-1', 'ann', 'look at it')");
            call("pause('trip-1', 'bob')");
            call("signal('trip-1', 'confirm')");
            assertThat(Bench.awaitThat(trip, it -> it.waitingMessages() == 1)
                            .summary()
                            .status())
                    .isEqualTo(WorkflowStatus.RUNNING);

            call("resume('trip-1', actor => 'bob', reason => 'looked at it')");

            assertThat(trip.resultAs(new TypeRef<List<String>>() {}, Bench.SOON))
                    .isEmpty();
        }
        assertThat(Sql.column(bench.dataSource(), AUDIT.formatted("trip-1")))
                .filteredOn(row -> !row.contains("signal"))
                .containsExactly("ann: pause run trip-1", "bob: resume run trip-1");
        assertThat(Sql.column(bench.dataSource(), EVENTS.formatted("trip-1")))
                .contains("WorkflowResumed {\"informing\":true,\"by\":\"bob\"}");
    }

    @Test
    void a_stalled_run_is_tried_at_once_and_its_back_off_is_not_waited_for() {
        Ledger.BROKEN.set(true);
        try (DurableEngine engine = worker()) {
            engine.client().start("Ledger", StartOptions.id("ledger-1"));
            WorkflowHandle<?, ?> ledger = engine.client().handle("ledger-1");
            Bench.awaitThat(ledger, it -> it.stalledBy() != null);
            Sql.execute(
                    bench.dataSource(), "update durable.run_state set not_before = durable.clock() + interval '1 day'");
            Ledger.BROKEN.set(false);

            call("retry('ledger-1', 'ann', 'deployed')");

            assertThat(ledger.resultAs(String.class, Bench.SOON)).isEqualTo("closed");
        }
        assertThat(Sql.column(bench.dataSource(), AUDIT.formatted("ledger-1")))
                .containsExactly("ann: retry run ledger-1");
    }

    @Test
    void a_background_job_whose_cancel_is_delivered_before_it_begins_never_begins() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        try (DurableEngine clientOnly = bench.engine().clientOnly().start()) {
            clientOnly.client().enqueue(Desk.class, StartOptions.id("job-1"), d -> d.book("ann"));
            call("cancel('job-1', 'ann')");
        }
        try (DurableEngine other = bench.engine().register(Ledger.class).start()) {
            Bench.awaitThat(() -> Sql.number(bench.dataSource(), "select count(*) from durable.outbox") == 0);
            assertThat(other.healthy()).isTrue();
        }
        try (DurableEngine engine = bench.engine()
                .activity(Desk.class, traveller -> {
                    called.countDown();
                    return "";
                })
                .start()) {
            assertThatThrownBy(() -> engine.client().job("job-1").resultAs(String.class, Bench.SOON))
                    .hasMessageContaining("job job-1 was cancelled by ann");
        }
        assertThat(called.getCount()).isOne();
    }

    @Test
    void a_session_that_leaves_its_transaction_open_holds_up_no_run_and_one_that_rolls_back_orders_nothing()
            throws SQLException {
        try (DurableEngine engine = worker();
                Connection session = operator.getConnection();
                var statement = session.createStatement()) {
            waiting(engine.client(), "trip-1");
            session.setAutoCommit(false);
            statement.execute("select durable.terminate('trip-1')");

            engine.client().handle(Trip.class, "trip-1").signal(w -> w.confirm());

            assertThat(engine.client().handle("trip-1").resultAs(new TypeRef<List<String>>() {}, Bench.SOON))
                    .isEmpty();
            session.rollback();
            assertThat(Sql.column(bench.dataSource(), AUDIT.formatted("trip-1")))
                    .isEmpty();
        }
    }

    @Test
    void an_order_to_terminate_reaches_the_run_by_which_the_chain_goes_on_and_none_that_starts_later() {
        try (DurableEngine engine = bench.engine().clientOnly().start()) {
            DurableClient client = engine.client();
            client.start(Trip.class, "trip-1", w -> w.run("ann"));
            call("terminate('trip-1', 'ann', 'why')");
            client.handle("trip-1").terminate("before the order");
            client.start(Trip.class, "trip-1", w -> w.run("ann"));
        }
        try (DurableEngine engine = worker()) {
            Bench.awaitThat(() -> Sql.number(bench.dataSource(), "select count(*) from durable.outbox") == 0);
            engine.client().handle(Trip.class, "trip-1").signal(w -> w.confirm());
            assertThat(engine.client().handle("trip-1").resultAs(new TypeRef<List<String>>() {}, Bench.SOON))
                    .isEmpty();
        }
        assertThat(Sql.column(
                        bench.dataSource(),
                        "select status from durable.workflow_run where workflow_id = 'trip-1' order by started_at"))
                .containsExactly("TERMINATED", "COMPLETED");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            cancel('gone')                         | cancel('gone'): there is no open run of workflow id 'gone', and there was none | Look for it in v_workflow
            terminate('done')                      | terminate('done'): there is no open run of workflow id 'done': its latest run, | it has closed already
            cancel(null)                           | cancel: the workflow id is null | a subselect that found no row
            cancel('trip-1', ' ')                  | cancel('trip-1'): the actor ' ' is no name of 1 to 200 visible characters | Say who acts: actor => 'ann'
            cancel('trip-1', e'a\\u200bb')         | is no name of 1 to 200 visible characters | The audit shows it
            pause('trip-1', 'ann', e'a\\x01')      | pause('trip-1'): the reason is a text with control characters | Say it in a sentence
            pause('trip-1', 'ann', repeat('é', 2049)) | the reason is 4098 bytes, the limit is 4096 | Say it in a sentence
            pause('trip-1', 'ann', null)           | the reason is null | Say it in a sentence
            signal('trip-1', ' say')               | ' say' is no name of a signal | such as approve
            signal('trip-1', 'say', '{"a":1}')     | signal('trip-1', 'say'): the input is object, not a JSON array | '["ann"]'
            signal('trip-1', 'say', null)          | the input is null, not a JSON array | '["ann"]'
            signal('trip-1', 'say', concat(repeat('[', 451), repeat(']', 451))::jsonb) | nested deeper than 450 levels | send its key
            signal('trip-1', 'say', jsonb_build_array(repeat('a', 2097152))) | the limit is 2 MiB | send its key
            retry('trip-1')                        | is not stalled | client.activities() retries them
            signal('job-1', 'say')                 | it is a background job, which takes no signal | client.job(id).control()
            pause('job-1')                         | it is a background job | its pause() holds the job
            cancel('trip-1', run_id => '00000000-0000-7000-8000-000000000000') | with run id 00000000-0000-7000-8000-000000000000 | the id is another one""")
    void what_can_not_be_done_is_refused_with_the_way_out(String call, String message, String hint) {
        try (DurableEngine engine = bench.engine().clientOnly().start()) {
            engine.client().start(Trip.class, "trip-1", w -> w.run("ann"));
            engine.client().start(Trip.class, "done", w -> w.run("ann"));
            engine.client().handle("done").terminate("done");
            engine.client().enqueue(Desk.class, StartOptions.id("job-1"), d -> d.book("ann"));
        }
        assertThatThrownBy(() -> call(call)).hasMessageContaining(message).hasMessageContaining(hint);
        assertThat(Sql.number(
                        bench.dataSource(), "select count(*) from durable.audit where action <> 'name installation'"))
                .isZero();
    }

    @Test
    void a_frozen_copy_takes_no_orders() {
        try (DurableEngine engine = bench.engine().clientOnly().start()) {
            engine.client().start(Trip.class, "trip-1", w -> w.run("ann"));
        }
        Sql.execute(bench.dataSource(), "update durable.installation set frozen = true");

        assertThatThrownBy(() -> call("terminate('trip-1')"))
                .hasMessageContaining("this installation is frozen, no worker would carry it out")
                .hasMessageContaining("docs/clones.md");
    }

    @Test
    void an_operator_calls_these_functions_and_reads_the_views_and_can_do_nothing_else() {
        try (DurableEngine engine = bench.engine().clientOnly().start()) {
            engine.client().start(Trip.class, "trip-1", w -> w.run("ann"));
        }
        assertThat(Sql.column(operator, "select workflow_id from durable.v_workflow"))
                .containsExactly("trip-1");
        assertThat(Sql.column(operator, "select input from durable.v_workflow")).containsExactly("[\"ann\"]");
        Sql.column(operator, "select * from durable.v_activity, durable.v_history, durable.v_queue");
        Sql.column(operator, "select * from durable.v_dead_letter, durable.v_incident, durable.audit");
        for (String refused : List.of(
                "select * from durable.outbox",
                "select * from durable.run_state",
                "insert into durable.audit select * from durable.audit",
                "update durable.run_state set paused = true",
                "select durable.set_paused('pause', true, 'trip-1', 'ann', 'why', null)",
                "select durable.send_operated(1::smallint, 'trip-1', null, 1::smallint, 'a', '[]')",
                "select durable.note_operated('a', 'b', null, 'c', 'd', 'e')",
                "select durable.purge_audit(now() - interval '2 days')",
                "create table durable.mine (a int)")) {
            assertThatThrownBy(() -> Sql.execute(operator, refused)).hasMessageContaining("permission denied");
        }
        assertThatThrownBy(() -> Sql.column(
                        RolesTest.as(bench.direct(), "durable_retention"), "select durable.cancel('trip-1')"))
                .hasMessageContaining("permission denied");
    }
}
