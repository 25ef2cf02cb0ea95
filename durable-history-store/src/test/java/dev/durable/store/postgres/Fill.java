package dev.durable.store.postgres;

/** Fills tables with enough rows that statistics matter. */
final class Fill {
    private Fill() {}

    static final String SQL = """
            create temp table key as
                select ((substr(durable.run_id_at(now())::text, 1, 18) || '-' || substr(md5(i::text), 1, 4) || '-'
                         || substr(md5(i::text), 5, 12))::uuid) as run_id, i as n, (i % 1024)::smallint as shard
                  from generate_series(1, 5000) i;
            insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                select run_id, now(), shard, 'w-' || n, 'T', 'q', case when n % 2 = 0 then 'RUNNING' else 'COMPLETED' end from key;
            insert into durable.run_state (run_id, fence, next_event_id, wake_at, shard, workflow_id, type, task_queue, deadline, expires_at)
                select run_id, run_id, 2, now(), shard, 'w-' || n, 'T', 'q', now(), now() from key where n % 2 = 0;
            insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                select run_id, e, now(), shard, 'WorkflowStarted', '{}' from key, generate_series(1, 4) e;
            insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)
                select run_id, run_id, now(), 1, 1, shard, true, 'q', 'n', '[]' from key where n % 4 = 0;
            insert into durable.activity_job (run_id, seq, shard, rank, visible_at, scheduled_at, max_crashes, priority, state,
                    session, lease, workflow_id, workflow_type, task_queue, activity, input, options, headers)
                select run_id, 1, shard, now(), now(), now(), 3, 0, n % 3, case when n % 3 = 2 then run_id end, run_id,
                       'w-' || n, 'T', 'q', 'a', '[]', '{}', '{}' from key;
            insert into durable.activity_job (run_id, seq, shard, rank, buried_at, fingerprint, scheduled_at, max_crashes, priority,
                    state, workflow_id, workflow_type, task_queue, activity, input, options, headers)
                select run_id, 2, shard, now(), now(), 'f ' || n % 7, now(), 3, 0, case when n % 20 = 0 then 3 else 6 end,
                       'w-' || n, 'T', 'q', 'a', '[]', '{}', '{}' from key where n % 10 = 0;
            insert into durable.activity_heartbeat (run_id, at, seq, shard, details) select run_id, now(), 1, shard, '1' from key;
            insert into durable.workflow_stream (chain_id, next_offset, bytes, shard, name)
                select run_id, 4, 4, shard, 'tokens' from key where n % 2 = 0;
            insert into durable.stream_entry (chain_id, run_id, entry_offset, bytes_before, written_at, seq, attempt, shard, name, value)
                select run_id, run_id, e, e, now(), 1, 1, shard, 'tokens', '1' from key, generate_series(0, 3) e where n % 2 = 0;
            insert into durable.stream_source (run_id, lease, number, before, seq, shard, name)
                select run_id, run_id, 3, 0, 1, shard, 'tokens' from key where n % 2 = 0;
            insert into durable.session (id, beat, started_at, dead, lease, identity) select run_id, 1, now(), false, '30 s', 'i' from key;
            analyze""";
}
