package dev.durable.store.postgres;

/**
 * Fills the tables as they are after a long time. Runs are spread over three weeks, their ids by their times. Of the
 * closed runs two in a hundred failed, one in a hundred took hours, a few are of a rare type, on a rare queue, or have
 * a rare prefix, and one type is no longer used; the latest million have histories of so many events. Each open run has
 * five jobs that wait, a third of them delayed; a tenth has an incident or a dead letter, one in a thousand is stalled.
 */
final class LargeFill {
    static final int MOST_HISTORIES = 1_000_000;

    private LargeFill() {}

    static String sql(int closed, int open, int eventsARun) {
        return """
                set synchronous_commit = off;
                create function pg_temp.id(at timestamptz, n bigint) returns uuid language sql as $$
                    select (substr(durable.run_id_at(at)::text, 1, 14) || '7' || substr(md5(n::text), 1, 3) || '-8'
                            || substr(md5(n::text), 4, 3) || '-' || substr(md5(n::text), 7, 12))::uuid $$;
                select durable.add_history_partitions(now() - interval '21 days', now());
                create temp table key as
                    select pg_temp.id(at, i) as run_id, i as n, (i %% 1024)::smallint as shard, at
                      from (select i, now() - interval '21 days' * (%1$d - i) / %1$d - interval '1 s' as at
                              from generate_series(1, %1$d) i) i;
                insert into durable.workflow_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status,
                        result)
                    select run_id, at, at + case when n %% 100 = 7 then interval '5 h' else interval '20 s' end, shard,
                           case when n %% 20000 = 3 then 'vip-' else 'order-' end || n,
                           case when n %% 40000 = 9 then 'Rare' when n < %1$d / 100 and n %% 100 = 5 then 'Old'
                                when n %% 1000 = 11 then 'durable.job' else 'T' || n %% 7 end,
                           case when n %% 50000 = 10 then 'rare' else 'q' || n %% 3 end,
                           case when n %% 50 = 0 then 'FAILED' when n %% 5000 = 1 then 'TIMED_OUT' else 'COMPLETED' end, '"ok"'
                      from key;
                insert into durable.notable_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status,
                        activity)
                    select run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status,
                           case when type = 'durable.job' then 'A.a' end
                      from durable.workflow_run where status <> 'COMPLETED' or closed_at > started_at + interval '1 h';
                insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                    select run_id, e, at, shard,
                           case when e = 1 then 'WorkflowStarted' when e = %3$d then 'WorkflowCompleted'
                                when e %% 2 = 0 then 'ActivityScheduled' else 'ActivityCompleted' end,
                           case when e = 1 then '{"input":["A.a"]}' when e = %3$d then '{}'
                                else '{"seq":' || e / 2 || ',"activity":"A.a' || e / 2 || '"}' end::json
                      from key, generate_series(1, %3$d) e where n > %1$d - %4$d;
                create temp table open as
                    select pg_temp.id(at, -i) as run_id, i as n, (i %% 1024)::smallint as shard, at
                      from (select i, now() - interval '21 days' * (%2$d - i) / %2$d - interval '1 s' as at
                              from generate_series(1, %2$d) i) i;
                insert into durable.workflow_run (run_id, started_at, shard, workflow_id, type, task_queue, status)
                    select run_id, at, shard, 'open-' || n, 'T' || n %% 7, 'q' || n %% 3, 'RUNNING' from open;
                insert into durable.run_state (run_id, fence, next_event_id, wake_at, shard, workflow_id, type, task_queue,
                        stalled_by)
                    select run_id, run_id, 2, case when n %% 50 = 0 then now() end, shard, 'open-' || n, 'T' || n %% 7,
                           'q' || n %% 3, case when n %% 1000 = 0 then 'it differs' end
                      from open;
                insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                    select run_id, 1, at, shard, 'WorkflowStarted', '{}' from open;
                insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)
                    select run_id, run_id, now(), 1, 1, shard, true, 'q' || n %% 3, 'n', '[]' from open where n %% 50 = 0;
                insert into durable.activity_job (run_id, seq, shard, rank, visible_at, scheduled_at, max_crashes, priority,
                        state, session, lease, attempt, workflow_id, workflow_type, task_queue, activity, input, options,
                        headers)
                    select run_id, j, shard, now() - n * interval '1 ms',
                           case when n %% 3 = 1 then now() + n * interval '1 s' end, now(), 3, 0,
                           case when n %% 500 = 0 then 2 when n %% 3 = 1 then 1 else 0 end,
                           case when n %% 500 = 0 then run_id end, run_id, case when n %% 300 = 4 then 3 else 1 end,
                           'open-' || n, 'T' || n %% 7, 'q' || n %% 3, 'A.a' || j, '[]', '{}', '{}'
                      from open, generate_series(1, 5) j;
                insert into durable.activity_job (run_id, seq, shard, rank, buried_at, fingerprint, scheduled_at, max_crashes,
                        priority, state, workflow_id, workflow_type, task_queue, activity, input, options, headers)
                    select run_id, 6, shard, now(), now() - n * interval '1 s', 'f ' || n %% 7, now(), 3, 0,
                           case when n %% 20 = 0 then 3 else 6 end, 'open-' || n, 'T' || n %% 7, 'q' || n %% 3,
                           'A.a' || n %% 5, '[]', '{}', '{}'
                      from open where n %% 10 = 0;
                insert into durable.activity_heartbeat (run_id, at, seq, shard, details)
                    select run_id, now(), 1, shard, '1' from open where n %% 500 = 0;
                insert into durable.session (id, beat, started_at, dead, lease, identity)
                    select run_id, 1, now(), false, '30 s', 'i' from open where n %% 500 = 0;
                select brin_summarize_new_values('durable.workflow_run_names');
                analyze""".formatted(closed, open, eventsARun, MOST_HISTORIES);
    }
}
