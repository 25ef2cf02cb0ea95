package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.JobNotes;
import dev.durable.internal.client.access.DescriptionMapper;
import dev.durable.logs.MarkedLines;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The views are a documented interface: columns are added, never changed. */
class ReadModelTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            v_workflow    | workflow_id run_id type task_queue status stalled stalled_by started_at closed_at memo input result failure failure_message history_length waiting_messages next_wake_at owned_until last_session deadline started_by
            v_history     | workflow_id run_id event_id at type attributes message_id
            v_activity    | workflow_id run_id seq activity task_queue state scheduled_at started_at ended_at due_at attempt crashes session cancel_requested last_failure input result failure notes heartbeat_details heartbeat_at
            v_queue       | task_queue ready delayed running dead oldest_ready_at open_runs due_runs paused
            v_dead_letter | workflow_id run_id seq workflow_type activity task_queue attempt crashes last_failure scheduled_at input notes heartbeat_details""")
    void views_have_the_columns_that_are_documented(String view, String columns) {
        assertThat(String.join(
                        " ",
                        sql("select column_name from information_schema.columns where table_schema = 'durable'"
                                + " and table_name = '" + view + "' order by ordinal_position")))
                .startsWith(columns);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e131071",
                "[1e131071,1E+131071, -2.5e-16000 ,1e00000131071]",
                "{\"n\":1e999999,\"m\":[1e131071,{\"k\":1e9999}]}",
                "[1e99,1e-99,1e100,1.5e308,9e89,9e-89]",
                "{\"text\":\"a:1e131071,b\",\"id\":\"3e912345\"}",
                "{\"text\":\"\\u0000\",\"n\":1e131071}",
                "\"1e131071\""
            })
    void readable_is_never_much_larger_than_what_stands_there(String json) {
        String many = "[" + String.join(",", Collections.nCopies(100, json)) + "]";
        for (String text : List.of(json, many)) {
            assertThat(sql(
                            "select octet_length(durable.readable(x.j)::text) <= 20 * octet_length(x.j::text) from (select '"
                                    + text + "'::json as j) x"))
                    .as(text)
                    .containsExactly("t");
        }
    }

    @Test
    void readable_leaves_numbers_that_are_shown_in_full_and_texts_that_look_like_others() {
        assertThat(sql("select durable.readable('{\"a\":1e20,\"b\":\"3e912345\",\"c\":1e131071,\"d\":-1.50}')::text"))
                .containsExactly(
                        "{\"a\": 100000000000000000000, \"b\": \"3e912345\", \"c\": \"1e131071\", \"d\": -1.50}");
    }

    /** Any json that the server accepts: its depth is limited by the stack, of which a view has less than an INSERT. */
    @ParameterizedTest
    @ValueSource(strings = {"[|]", "{\"a\":|}", "[[],{\"[\":|}]"})
    void what_is_nested_too_deep_for_the_server_is_one_string_and_other_rows_are_shown(String brackets) {
        String open = brackets.substring(0, brackets.indexOf('|'));
        String close = brackets.substring(brackets.indexOf('|') + 1);
        int last = 0;
        for (int depth : new int[] {500, 3_000, 6_000, 8_000, 10_000, 13_000, 16_305, 16_307, 20_000, 25_000}) {
            String json = open.repeat(depth) + "1" + close.repeat(depth);
            if (isJson(json)) {
                last = depth;
                String id = "deep-" + brackets.hashCode() + "-" + depth;
                start(newRun(id).started("{\"input\":" + json + "}"));
                assertThat(sql("select jsonb_typeof(attributes) from durable.v_history where workflow_id = '" + id
                                + "'"))
                        .as("%d levels", depth)
                        .containsExactly(depth == 500 ? "object" : "string");
            }
        }
        assertThat(last).as("levels that the server takes").isGreaterThan(3_000);
        started("order-1");
        for (String view : List.of("v_workflow", "v_history", "v_activity")) {
            assertThat(sql("select count(v::text) > 0 from durable." + view + " v"))
                    .hasSize(1);
        }
        assertThat(sql("select input::text is null from durable.v_workflow where workflow_id = 'order-1'"))
                .hasSize(1);
    }

    @Test
    void notes_that_are_nested_too_deep_are_one_event_among_others() {
        assertThat(
                        sql(
                                "select concat_ws(' ', json_typeof(n.j -> 0), json_typeof(n.j -> 1), json_array_length(n.j)) from"
                                        + " (select durable.joined(('[' || repeat('[', 16000) || repeat(']', 16000) || ']')::json, '[{}]') as j) n"))
                .containsExactly("string object 2");
    }

    private static boolean isJson(String text) {
        try {
            Sql.execute(PostgresFixture.pool(), "select '" + text + "'::json");
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void readable_shows_what_is_wide_and_not_deep_as_it_is() {
        assertThat(
                        sql(
                                "select concat_ws(' ', jsonb_array_length(durable.readable(('[' || repeat('[{\"a\":[1,{}]}],', 20000) || '1]')::json)),"
                                        + " jsonb_typeof(durable.readable(('[\"' || repeat('\\\"[{', 20000) || '\"]')::json)))"))
                .containsExactly("20001 array");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"[1]|[2]|[1,2]", "[ 1 ] |[]|[ 1 ]", "[ ]|[2]|[2]", "5|[2]|[5,2]", "[1]|{\"a\":[]}|[1,{\"a\":[]}]"})
    void two_lists_of_notes_are_one_whatever_stands_there(String first, String second, String both) {
        assertThat(sql("select durable.joined('" + first + "', '" + second + "')"))
                .containsExactly(both);
        assertThat(JobNotes.joined(first, second)).isEqualTo(both);
    }

    @Test
    void v_workflow_shows_a_run_open_and_closed() {
        Writer writer = claimed("order-1");
        deliver("order-1", signal("approve"));
        assertThat(workflow()).containsExactly("order-1 OrderWorkflow default RUNNING f 1 1 t");

        writer.write(writer.step().consumes(waiting(writer.run()).getFirst()).staysAwake());
        writer.write(writer.closing());
        assertThat(workflow()).containsExactly("order-1 OrderWorkflow default COMPLETED f 3 0 f");
        assertThat(sql("select result ->> 'status' from durable.v_workflow where closed_at is not null"))
                .containsExactly("COMPLETED");
    }

    @Test
    void v_workflow_says_whether_a_run_is_paused() {
        claimed("order-1");
        assertThat(sql("select paused from durable.v_workflow")).containsExactly("f");
        store.pause(new RunPause(
                "order-1", null, true, UUID.randomUUID(), "WorkflowPaused", "{\"informing\":true}", "ann"));
        assertThat(sql("select paused from durable.v_workflow")).containsExactly("t");
    }

    @Test
    void v_workflow_says_why_a_run_stalls() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().stalls("it diverged", Duration.ofMinutes(1)));

        assertThat(sql("select stalled || ' ' || stalled_by from durable.v_workflow"))
                .containsExactly("true it diverged");
    }

    @Test
    void v_history_has_one_row_an_event_in_order() {
        Writer writer = claimed("order-1");
        UUID message = signalled(writer.run(), "approve").messageId();
        writer.write(writer.step().consumes(waiting(writer.run()).getFirst()));

        assertThat(
                        sql(
                                "select concat_ws(' ', workflow_id, event_id, type, message_id) from durable.v_history order by event_id"))
                .containsExactly("order-1 1 WorkflowStarted", "order-1 2 SignalReceived " + message);
        assertThat(sql("select attributes ->> 0 from durable.v_history where event_id = 2"))
                .containsExactly("approve");
    }

    @Test
    void v_activity_shows_each_activity_in_its_state() {
        Writer writer = scheduled("order-1", 4);
        List<ClaimedJob> jobs = claimJobs(session, 3);
        update(retry(jobs.get(0), Duration.ofMinutes(1)));
        update(new JobUpdate.Heartbeat(jobs.get(1).key(), jobs.get(1).lease(), "{\"row\":7}"));
        update(completed(jobs.get(2)));
        writer = claimed(writer.run());
        writer.write(writer.step().consumes(waiting(writer.run()).getFirst()));

        assertThat(
                        sql(
                                "select concat_ws(' ', seq, state, attempt, last_failure, heartbeat_details, result) from durable.v_activity order by seq"))
                .containsExactly(
                        "1 delayed 2 declined",
                        "2 running 1 {\"row\": 7}",
                        "3 completed 1 \"" + MarkedLines.MARKER + "\"",
                        "4 ready 1");
        assertThat(sql("select count(*) from durable.v_activity where (state = 'running') = (session is not null)"))
                .containsExactly("4");
    }

    @Test
    void v_activity_goes_on_telling_what_happened_when_a_run_has_closed_over_its_activities() {
        Writer writer = scheduled("order-1", 2);
        List<ClaimedJob> jobs = claimJobs(session);
        ClaimedJob first =
                jobs.stream().filter(job -> job.key().seq() == 1).findFirst().orElseThrow();
        update(new JobUpdate.Retry(
                first.key(),
                first.lease(),
                Duration.ofMinutes(1),
                2,
                "[{\"type\":\"ActivityAttemptFailed\",\"at\":\"2026-01-01T00:00:00Z\",\"attributes\":{\"informing\":true,\"seq\":1,"
                        + "\"attempt\":1,\"reason\":\"failed\",\"failure\":{\"type\":\"Declined\",\"message\":\"no money\"}}}]",
                "Declined: no money",
                "{\"row\":7}",
                null));
        String told = "select concat_ws(' ', seq, state, attempt, last_failure, heartbeat_details,"
                + " notes -> 0 ->> 'type', notes -> 0 -> 'attributes' -> 'failure' ->> 'message') from durable.v_activity"
                + " order by seq";
        assertThat(sql(told))
                .containsExactly(
                        "1 delayed 2 Declined: no money {\"row\": 7} ActivityAttemptFailed no money", "2 running 1");

        terminated(writer.run());

        assertThat(sql(told))
                .containsExactly(
                        "1 abandoned 2 Declined: no money {\"row\": 7} ActivityAttemptFailed no money", "2 abandoned");
    }

    @Test
    void v_queue_counts_what_waits_and_shows_a_pause() {
        scheduled("order-1", 3);
        claimJobs(session, 1);
        started("order-2");
        Sql.execute(PostgresFixture.pool(), "insert into durable.queue (task_queue, paused) values ('slow', true)");
        try {
            assertThat(sql(
                            "select concat_ws(' ', task_queue, ready, delayed, running, dead, open_runs, due_runs, paused,"
                                    + " oldest_ready_at is not null) from durable.v_queue order by task_queue"))
                    .containsExactly("default 2 0 1 0 2 1 f t", "slow 0 0 0 0 0 0 t f");
        } finally {
            Sql.execute(PostgresFixture.pool(), "delete from durable.queue");
        }
    }

    @Test
    void v_dead_letter_shows_jobs_whose_workers_died_too_often() {
        RunKey run = scheduled("order-1", 1).run();
        for (int crash = 0; crash <= 2; crash++) {
            UUID worker = openSession();
            claimJob(worker);
            assertThat(sql("select 1 from durable.v_dead_letter")).isEmpty();
            store.markDead(worker, 0);
            store.requeueOrphans(10);
        }

        assertThat(
                        sql(
                                "select concat_ws(' ', workflow_id, seq, activity, attempt, crashes, input) from durable.v_dead_letter"))
                .containsExactly("order-1 1 Payments.charge 1 3 [1, \"" + MarkedLines.MARKER + "\"]");
        assertThat(jobStates(run)).containsEntry(1, "dead");
    }

    @Test
    void v_dead_letter_and_v_incident_show_the_attempt_that_was_made_last() {
        scheduled("order-1", 2);
        for (ClaimedJob job : claimJobs(session, 2)) {
            update(new JobUpdate.Bury(
                    job.key(),
                    job.lease(),
                    job.key().seq() == 1,
                    job.attempt() + 1,
                    "f",
                    "[]",
                    "no money",
                    null,
                    null));
        }
        assertThat(sql("select attempt from durable.v_incident")).containsExactly("1");
        assertThat(sql("select attempt from durable.v_dead_letter")).containsExactly("1");
    }

    @Test
    void why_waiting_has_the_words_of_the_client_and_twenty_reasons_at_most() {
        RunKey run = scheduled("order-1", 22).run();

        List<String> said = sql("select durable.why_waiting('order-1')");

        assertThat(said).containsExactly(words(run));
        assertThat(said.getFirst().lines())
                .hasSize(22)
                .startsWith("workflow order-1 (" + type(run) + ", run " + run.runId() + ") waits for:")
                .endsWith("- and 2 more");
    }

    @Test
    void why_waiting_says_that_a_run_is_closed_or_was_never_there() {
        Writer writer = claimed("order-1");
        writer.write(writer.closing());

        List<String> said = sql("select durable.why_waiting('order-1')");

        assertThat(said).containsExactly(words(writer.run()));
        assertThat(said.getFirst())
                .startsWith("workflow order-1 (" + type(writer.run()) + ", run "
                        + writer.run().runId() + ") waits for nothing: it is COMPLETED since ");
        assertThat(sql("select durable.why_waiting('order-2')")).containsExactly("there is no workflow order-2");
    }

    private String type(RunKey run) {
        return store.run(run.runId()).orElseThrow().type();
    }

    /** What the client says, where it does not know the code of the run. */
    private String words(RunKey run) {
        return DescriptionMapper.why(store.run(run.runId()).orElseThrow(), store.waitingReasons(run.runId()), List.of())
                .text();
    }

    private static List<String> workflow() {
        return sql(
                "select concat_ws(' ', workflow_id, type, task_queue, status, stalled, history_length, waiting_messages,"
                        + " owned_until is not null) from durable.v_workflow");
    }

    private static List<String> sql(String query) {
        return Sql.column(PostgresFixture.pool(), query);
    }
}
