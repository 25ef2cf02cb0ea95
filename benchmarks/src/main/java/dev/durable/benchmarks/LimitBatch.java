package dev.durable.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Rows of many runs in one round trip and one commit: several statements in one string, as a server in autocommit takes
 * them. The forms are those of the store, without what only matters when others write too.
 */
final class LimitBatch {
    private static final String SETUP =
            "select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),"
                    + " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),"
                    + " set_config('enable_memoize', 'off', true), set_config('enable_bitmapscan', 'off', true),"
                    + " set_config('plan_cache_mode', 'force_generic_plan', true)";
    private static final String STATES = """
            insert into durable.run_state (run_id, shard, workflow_id, type, task_queue, fence, next_event_id)
            select u.run_id, u.shard, u.workflow_id, 'Sequence', 'default', u.fence, u.next_event_id
              from unnest(?::uuid[], ?::int2[], ?::text[], ?::uuid[], ?::int8[]) as u(run_id, shard, workflow_id, fence, next_event_id)""";
    private static final String RUNS = """
            insert into durable.workflow_run (run_id, shard, workflow_id, type, task_queue, status, started_at)
            select u.run_id, u.shard, u.workflow_id, 'Sequence', 'default', 'RUNNING', statement_timestamp()
              from unnest(?::uuid[], ?::int2[], ?::text[]) as u(run_id, shard, workflow_id)""";
    private static final String ADVANCE = """
            with x as (update durable.run_state s set fence = u.new_fence, next_event_id = s.next_event_id + u.events
                  from (select u.* from unnest(?::uuid[], ?::int2[], ?::uuid[], ?::int8[], ?::uuid[], ?::int4[])
                            as u(run_id, shard, fence, next_event_id, new_fence, events) offset 0) u
                 where s.run_id = any(array[u.run_id]) and +s.shard = u.shard and s.fence = u.fence
                   and s.next_event_id = u.next_event_id returning 1) select durable.must(count(*) = ?, 'fence') from x""";
    private static final String LOCK = """
            with x as (select 1 from unnest(?::uuid[], ?::int2[], ?::uuid[]) as u(run_id, shard, fence)
                cross join lateral (select 1 from durable.run_state s where s.run_id = u.run_id and +s.shard = u.shard
                       and s.fence = u.fence for update) s) select durable.must(count(*) = ?, 'closing fence') from x""";
    private static final String SETTLE = """
            with x as (delete from durable.activity_job where ctid = any(array(select j.c
                  from unnest(?::uuid[], ?::int2[], ?::int4[], ?::uuid[]) as u(run_id, shard, seq, lease)
                 cross join lateral (select j.ctid as c from durable.activity_job j where j.run_id = u.run_id
                        and j.shard = u.shard and j.seq = u.seq and j.lease = u.lease for update) j)) returning 1)
            select durable.must(count(*) = ?, 'lease') from x""";
    private static final String NOTHING_WAITS = """
            select durable.must(not exists (select 1 from durable.inbox i where i.run_id = any(?::uuid[])
                   and i.shard = any(?::int2[]) and i.wakes::int = 1), 'close')""";
    private static final String EVENTS = """
            insert into durable.history_event (run_id, event_id, at, message_id, fence, shard, type, attributes)
            select u.run_id, u.event_id, u.at, u.message_id, u.fence, u.shard, u.type, u.attributes::json
              from unnest(?::uuid[], ?::int8[], ?::timestamptz[], ?::uuid[], ?::uuid[], ?::int2[], ?::text[], ?::text[])
                   as u(run_id, event_id, at, message_id, fence, shard, type, attributes)""";
    private static final String JOBS = """
            insert into durable.activity_job (run_id, seq, shard, workflow_id, workflow_type, task_queue, activity,
                   priority, rank, state, lease, session, claimed_at, scheduled_at, max_crashes, input, options, headers)
            select u.run_id, u.seq, u.shard, u.workflow_id, 'Sequence', 'default', 'Counter.next', 0,
                   statement_timestamp(), 2, u.lease, u.run_id, statement_timestamp(), statement_timestamp(), 3,
                   u.input::json, u.options::json, '{}'
              from unnest(?::uuid[], ?::int4[], ?::int2[], ?::text[], ?::uuid[], ?::text[], ?::text[])
                   as u(run_id, seq, shard, workflow_id, lease, input, options)""";
    private static final String CLOSE = """
            update durable.workflow_run w set status = 'COMPLETED', result = u.result::json,
                   closed_at = statement_timestamp(), close_fence = u.fence
              from (select j.c, u.* from unnest(?::uuid[], ?::int2[], ?::uuid[], ?::text[]) as u(run_id, shard, fence, result)
                     cross join lateral (select w.ctid as c from durable.workflow_run w
                            where w.run_id = u.run_id and +w.shard = u.shard offset 0) j) u
             where w.ctid = u.c""";
    private static final String DROP = """
            delete from durable.run_state s where s.run_id = any(?::uuid[]) and +s.shard = any(?::int2[])""";

    private final Connection connection;
    private final List<LimitRun.Write> writes;
    private final List<String> statements = new ArrayList<>(List.of(SETUP));
    private final List<Object> parameters = new ArrayList<>();

    LimitBatch(Connection connection, List<LimitRun.Write> writes) {
        this.connection = connection;
        this.writes = writes;
    }

    void commit() throws SQLException {
        start(writes.stream().filter(LimitRun.Write::start).toList());
        List<LimitRun.Write> closing =
                writes.stream().filter(LimitRun.Write::close).toList();
        if (!closing.isEmpty()) {
            then(LOCK, runs(closing), shards(closing), uuids(closing, LimitRun.Write::fence), closing.size());
        }
        advance(writes.stream().filter(w -> !w.start() && !w.close()).toList());
        endJobs();
        events();
        insertJobs();
        close(closing);
        send();
    }

    private void start(List<LimitRun.Write> all) throws SQLException {
        if (!all.isEmpty()) {
            then(
                    STATES,
                    runs(all),
                    shards(all),
                    ids(all),
                    uuids(all, LimitRun.Write::newFence),
                    array("int8", all, w -> w.eventId() + w.events().size()));
            then(RUNS, runs(all), shards(all), ids(all));
        }
    }

    private void advance(List<LimitRun.Write> all) throws SQLException {
        if (!all.isEmpty()) {
            then(
                    ADVANCE,
                    runs(all),
                    shards(all),
                    uuids(all, LimitRun.Write::fence),
                    array("int8", all, LimitRun.Write::eventId),
                    uuids(all, LimitRun.Write::newFence),
                    array("int4", all, w -> w.events().size()),
                    all.size());
        }
    }

    private void endJobs() throws SQLException {
        List<JobOf> all = writes.stream()
                .flatMap(w -> w.endedJobs().stream().map(j -> new JobOf(w, j)))
                .toList();
        if (!all.isEmpty()) {
            then(
                    SETTLE,
                    array("uuid", all, j -> j.of().run().runId),
                    array("int2", all, j -> shard(j.of())),
                    array("int4", all, j -> j.job().seq()),
                    array("uuid", all, j -> j.job().lease()),
                    all.size());
        }
    }

    private void events() throws SQLException {
        List<EventOf> all = new ArrayList<>();
        for (LimitRun.Write write : writes) {
            for (int i = 0; i < write.events().size(); i++) {
                all.add(new EventOf(write, i, write.events().get(i)));
            }
        }
        String now = Instant.now().toString();
        then(
                EVENTS,
                array("uuid", all, e -> e.of().run().runId),
                array("int8", all, e -> e.of().eventId() + e.index()),
                array("timestamptz", all, e -> now),
                array("uuid", all, e -> e.event().message()),
                array("uuid", all, e -> e.index() == 0 ? e.of().newFence() : null),
                array("int2", all, e -> shard(e.of())),
                array("text", all, e -> e.event().type()),
                array("text", all, e -> e.event().attributes()));
    }

    private void insertJobs() throws SQLException {
        List<JobOf> all = writes.stream()
                .flatMap(w -> w.newJobs().stream().map(j -> new JobOf(w, j)))
                .toList();
        if (!all.isEmpty()) {
            then(
                    JOBS,
                    array("uuid", all, j -> j.of().run().runId),
                    array("int4", all, j -> j.job().seq()),
                    array("int2", all, j -> shard(j.of())),
                    array("text", all, j -> j.of().run().workflowId),
                    array("uuid", all, j -> j.job().lease()),
                    array("text", all, j -> "[" + (j.job().seq() - 1) + "]"),
                    array("text", all, j -> LimitRun.options()));
        }
    }

    private void close(List<LimitRun.Write> all) throws SQLException {
        if (!all.isEmpty()) {
            then(NOTHING_WAITS, runs(all), shards(all));
            then(CLOSE, runs(all), shards(all), uuids(all, LimitRun.Write::newFence), array("text", all, w -> "1"));
            then(DROP, runs(all), shards(all));
        }
    }

    private void then(String statement, Object... values) {
        statements.add(statement);
        parameters.addAll(List.of(values));
    }

    private void send() throws SQLException {
        try (PreparedStatement all = connection.prepareStatement(String.join(";\n", statements))) {
            all.unwrap(PGStatement.class).setPrepareThreshold(1);
            for (int i = 0; i < parameters.size(); i++) {
                all.setObject(i + 1, parameters.get(i));
            }
            all.execute();
        }
    }

    private java.sql.Array runs(List<LimitRun.Write> all) throws SQLException {
        return uuids(all, w -> w.run().runId);
    }

    private java.sql.Array shards(List<LimitRun.Write> all) throws SQLException {
        return array("int2", all, LimitBatch::shard);
    }

    private java.sql.Array ids(List<LimitRun.Write> all) throws SQLException {
        return array("text", all, w -> w.run().workflowId);
    }

    private java.sql.Array uuids(List<LimitRun.Write> all, Function<LimitRun.Write, UUID> column) throws SQLException {
        return array("uuid", all, column);
    }

    private static Short shard(LimitRun.Write write) {
        return (short) dev.durable.store.RunIds.shard(write.run().runId);
    }

    private <T> java.sql.Array array(String type, List<T> rows, Function<T, ? extends @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    private record JobOf(LimitRun.Write of, LimitRun.Job job) {}

    private record EventOf(LimitRun.Write of, int index, LimitRun.Event event) {}
}
