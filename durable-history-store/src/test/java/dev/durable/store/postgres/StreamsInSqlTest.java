package dev.durable.store.postgres;

import static dev.durable.store.JobUpdate.Outcome.ACCEPTED;
import static dev.durable.store.JobUpdate.Outcome.FULL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.text.Bounds;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the tables of streams say: their bounds, and the invariants that find what is wrong in them. */
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
