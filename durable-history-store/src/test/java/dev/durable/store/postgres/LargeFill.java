package dev.durable.store.postgres;

/** Closed runs with their histories, half as many open ones, and five jobs of each that wait, a third of them for later; a tenth has an incident or a dead letter. */
final class LargeFill {
    private LargeFill() {}

    static String sql(int runs, int eventsARun) {
        return """
                set synchronous_commit = off;
                create temp table key as
                    select ((substr(durable.run_id_at(now())::text, 1, 18) || '-' || substr(md5(i::text), 1, 4) || '-'
                             || substr(md5(i::text), 5, 12))::uuid) as run_id, i as n, (i %% 1024)::smallint as shard
                      from generate_series(1, %1$d) i;
                insert into durable.workflow_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status)
                    select run_id, now(), now(), shard, 'w-' || n, 'T', 'q', 'COMPLETED' from key;
                insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                    select run_id, e, now(), shard, 'ActivityCompleted', '{}' from key, generate_series(1, %2$d) e;
                insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                    select run_id_of_open, now(), shard, 'open-' || n, 'T', 'q', 'RUNNING'
                      from (select md5('o' || n)::uuid as run_id_of_open, n, shard from key where n %% 2 = 0) o;
                insert into durable.run_state (run_id, fence, next_event_id, wake_at, shard, workflow_id, type, task_queue)
                    select md5('o' || n)::uuid, run_id, 2, case when n %% 50 = 0 then now() end, shard, 'open-' || n, 'T', 'q'
                      from key where n %% 2 = 0;
                insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)
                    select md5('o' || n)::uuid, run_id, now(), 1, 1, shard, true, 'q', 'n', '[]' from key where n %% 100 = 0;
                insert into durable.activity_job (run_id, seq, shard, rank, visible_at, scheduled_at, max_crashes, priority,
                        state, session, lease, workflow_id, workflow_type, task_queue, activity, input, options, headers)
                    select md5('o' || n)::uuid, j, shard, now() - n * interval '1 ms',
                           case when n %% 3 = 1 then now() + n * interval '1 s' end, now(), 3, 0,
                           case when n %% 1000 = 0 then 2 when n %% 3 = 1 then 1 else 0 end,
                           case when n %% 1000 = 0 then run_id end, run_id,
                           'open-' || n, 'T', 'q', 'a', '[]', '{}', '{}' from key, generate_series(1, 5) j where n %% 2 = 0;
                insert into durable.activity_job (run_id, seq, shard, rank, buried_at, fingerprint, scheduled_at, max_crashes,
                        priority, state, workflow_id, workflow_type, task_queue, activity, input, options, headers)
                    select md5('o' || n)::uuid, 6, shard, now(), now() - n * interval '1 s', 'f ' || n %% 7, now(), 3, 0,
                           case when n %% 40 = 0 then 3 else 6 end, 'open-' || n, 'T', 'q', 'a', '[]', '{}', '{}'
                      from key where n %% 20 = 0;
                insert into durable.activity_heartbeat (run_id, at, seq, shard, details)
                    select md5('o' || n)::uuid, now(), 1, shard, '1' from key where n %% 1000 = 0;
                insert into durable.session (id, beat, started_at, dead, lease, identity)
                    select run_id, 1, now(), false, '30 s', 'i' from key where n %% 1000 = 0;
                analyze""".formatted(runs, eventsARun);
    }
}
