package dev.durable.store.postgres;

import static dev.durable.store.JobUpdate.Outcome.ACCEPTED;
import static dev.durable.store.JobUpdate.Outcome.DUPLICATE;
import static dev.durable.store.JobUpdate.Outcome.FULL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.internal.text.Bounds;
import dev.durable.store.ClaimedJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import dev.durable.store.Transition;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The bounds of streams by their tables, and the invariants that find broken rows in these tables. */
class StreamsInSqlTest extends StoreContract {
    /** A stream with an entry of a run's code and two of its activity. */
    private static final String STREAM = """
            delete from durable.workflow_stream;
            delete from durable.stream_entry;
            delete from durable.stream_source;
            insert into durable.workflow_stream (chain_id, next_offset, bytes, shard, name)
                select run_id, 3, 3, 1, 'tokens' from durable.workflow_run;
            insert into durable.stream_entry (chain_id, run_id, entry_offset, bytes_before, written_at, seq, attempt, shard, name, value)
                select run_id, run_id, n, n, now(), case when n > 0 then 1 end, 1, 1, 'tokens', to_json(n)
                  from durable.workflow_run, generate_series(0, 2) n;
            insert into durable.stream_source (run_id, lease, number, before, seq, shard, name)
                select run_id, run_id, 1, 0, 1, 1, 'tokens' from durable.workflow_run""";

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private static JobUpdate.Append append(ClaimedJob job, long number) {
        return new JobUpdate.Append(job.key(), job.lease(), job.attempt(), number, new NewEntry("tokens", "1"));
    }

    @Test
    void a_stream_at_one_of_its_bounds_takes_no_entry_of_an_activity() {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        assertThat(update(append(job, 0))).isEqualTo(ACCEPTED);
        for (String bound : List.of("next_offset = " + Bounds.STREAM_ENTRIES, "bytes = " + Bounds.STREAM_BYTES)) {
            Sql.execute(PostgresFixture.pool(), "update durable.workflow_stream set " + bound);
            assertThat(update(append(job, 1))).as(bound).isEqualTo(FULL);
            Sql.execute(PostgresFixture.pool(), "update durable.workflow_stream set next_offset = 1, bytes = 1");
        }
        assertThat(update(append(job, 1))).isEqualTo(ACCEPTED);
    }

    /** Retention removes by conditions of its own, for example all runs of a type, so it may begin at the end of a chain. */
    @Test
    void a_stream_whose_last_run_was_removed_before_the_others_is_read_to_its_end_and_goes_with_its_last_entry() {
        Writer first = claimed("order-1");
        NewRun second = newRun("order-1").build();
        StepBuilder step = first.step();
        IntStream.range(0, 600).forEach(i -> step.appends("tokens", "1"));
        first.write(step.continuesAs(second));
        terminated(second.run());
        remove(second.run());

        StreamPage page = page(first.run(), 0);
        assertThat(page.entries()).hasSize(500);
        assertThat(page.isLast()).isFalse();
        assertThat(page(first.run(), page.next()).entries()).hasSize(100);
        remove(first.run());
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select name from durable.workflow_stream union all select name from durable.stream_entry"))
                .isEmpty();
    }

    @Test
    void a_stream_of_an_open_chain_goes_on_with_its_offsets_where_its_first_run_was_removed() {
        Writer first = claimed("order-1");
        NewRun second = newRun("order-1").build();
        first.write(first.step().appends("tokens", "1").continuesAs(second));
        remove(first.run());

        Writer next = claimed(second.run());
        next.write(next.step().ofChain(first.run()).appends("tokens", "2"));

        assertThat(page(first.run(), 0).entries())
                .extracting(StreamPage.Entry::offset)
                .containsExactly(1L);
        terminated(second.run());
        remove(second.run());
    }

    private StreamPage page(RunKey chain, long from) {
        return store.streams(List.of(new StreamPage.Question(chain, "tokens", from, 500)), 1 << 20)
                .getFirst();
    }

    private static void remove(RunKey run) {
        String its = " where run_id = '" + run.runId() + "'";
        Sql.execute(
                PostgresFixture.pool(),
                "set role durable_retention; delete from durable.history_event" + its
                        + "; delete from durable.workflow_run" + its + "; reset role");
    }

    @Test
    void an_entry_whose_commit_was_not_answered_is_told_at_once_and_written_once() throws Exception {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        List<Nudges.Nudge> heard = new CopyOnWriteArrayList<>();
        WatchedStatements statements = new WatchedStatements();
        try (PostgresHistoryStore losing = watched(statements);
                AutoCloseable listening = losing.nudges().listen(heard::add)) {
            assertThat(listening).isNotNull();
            statements.loseAnswerTo("stream_entry");
            assertThatThrownBy(() -> losing.update(List.of(append(job, 0)))).isInstanceOf(CommitUnknownException.class);

            assertThat(heard)
                    .containsExactly(new Nudges.StreamWritten(job.key().run().runId()));
            assertThat(losing.update(List.of(append(job, 0)))).containsExactly(DUPLICATE);
            assertThat(heard).hasSize(2);
        }
        assertThat(page(job.key().run(), 0).entries()).hasSize(1);
    }

    @Test
    void the_careful_path_locks_streams_after_all_other_rows() {
        Writer writer = scheduled("order-1", 2);
        claimJobs(session, 1);
        WatchedStatements statements = new WatchedStatements();
        try (PostgresHistoryStore watched = watched(statements)) {
            assertThat(watched.commit(List.of(writer.step()
                            .cancels(1)
                            .cancels(2)
                            .appends("tokens", "1")
                            .build())))
                    .allMatch(Transition.Outcome::isApplied);
        }

        assertThat(statements.seen())
                .filteredOn(script -> script.contains("workflow_stream"))
                .singleElement()
                .asString()
                .contains("insert into durable.inbox", "update durable.activity_job")
                .satisfies(script -> assertThat(script.substring(script.indexOf("workflow_stream")))
                        .doesNotContain("durable.inbox", "durable.activity_job", "durable.activity_heartbeat"));
    }

    private static PostgresHistoryStore watched(WatchedStatements statements) {
        PostgresHistoryStore store = PostgresHistoryStore.builder(statements.over(PostgresFixture.pool()))
                .schemaMode(SchemaMode.NONE)
                .notify(false)
                .build();
        store.open();
        return store;
    }

    /** Here are partitions of the last months and of the coming year. */
    @Test
    void a_page_opens_the_partitions_of_the_months_about_which_its_chain_runs() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            Sql.execute(
                    database.dataSource(),
                    "select durable.add_history_partitions(now() - interval '99 days', now() + interval '390 days'); "
                            + Fill.SQL);
            Iterator<String> values = List.of(
                            "array[(select k.chain_id from durable.workflow_stream k limit 1)]",
                            "array['w-2']",
                            "array[(select k.shard from durable.workflow_stream k limit 1)]",
                            "array['tokens']",
                            "array[0]",
                            "array[10]",
                            "1000")
                    .iterator();
            String pages = PlanTest.statements()
                    .filter(statement -> statement[0].equals("StreamSql.PAGES for 0"))
                    .map(statement -> (String) statement[1])
                    .findFirst()
                    .orElseThrow();
            String sql = Pattern.compile("\\?")
                    .matcher(pages)
                    .replaceAll(question -> Matcher.quoteReplacement(values.next()));

            String plan = Explained.sql(database.dataSource(), sql).plan();

            List<String> opened = plan.lines()
                    .filter(line -> line.contains("stream_entry_") && !line.contains("never executed"))
                    .toList();
            assertThat(opened).as(plan).hasSizeBetween(3, 4).anyMatch(line -> line.contains("rows=4"));
        }
    }

    @Test
    void invariants_find_what_is_wrong_in_a_stream() throws SQLException {
        Map<String, String> wrong = Map.of(
                "delete from durable.stream_entry where entry_offset = 1", "8: stream tokens of chain ",
                "update durable.workflow_stream set next_offset = 4", "8: stream tokens of chain ",
                "update durable.workflow_stream set bytes = 4", "8: entry 2 of stream tokens of chain ",
                "delete from durable.workflow_stream", "8: entry 0 of stream tokens of chain ",
                "update durable.stream_source set number = 2", "8: activity 1 of run ",
                "update durable.stream_entry set value = '7' where seq is null", "8: entry 1 of the code of run ",
                "delete from durable.stream_entry where seq is null", "8: entry 1 of the code of run ");
        try (TestDatabase database = TestDatabase.migrated()) {
            Sql.execute(database.dataSource(), """
                    insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                        select durable.run_id_at(now()), now(), 1, 'w', 'T', 'q', 'RUNNING';
                    insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                        select run_id, 1, now(), 1, 'StreamAppended', '{"stream":"tokens","value":0}' from durable.workflow_run""");
            Sql.execute(database.dataSource(), STREAM);
            assertThat(ofStreams(database)).isEmpty();
            for (Map.Entry<String, String> each : wrong.entrySet()) {
                Sql.execute(database.dataSource(), STREAM);
                Sql.execute(database.dataSource(), each.getKey());
                assertThat(ofStreams(database))
                        .as(each.getKey())
                        .anySatisfy(said -> assertThat(said).startsWith(each.getValue()));
            }
        }
    }

    private static List<String> ofStreams(TestDatabase database) throws SQLException {
        return SqlInvariants.check(database.dataSource()).stream()
                .filter(said -> said.startsWith("8: "))
                .toList();
    }
}
