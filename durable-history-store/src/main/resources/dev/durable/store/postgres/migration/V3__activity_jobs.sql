-- Activities that have not ended.
-- Why: the first version. Locks: nothing that exists (new tables only).

-- Two arrays of informing events as one: what the job's worker noted, and what orders have added since its claim. Text in,
-- text out: nothing of the events is read. Empty or null is nothing.
create function ${schema}.joined(first json, second json) returns json
    language sql immutable parallel safe as $$
select case when first is null or first::text = '[]' then second
            when second is null or second::text = '[]' then first
            else (left(first::text, -1) || ',' || substr(second::text, 2))::json end
$$;

-- state: 0 ready, 1 delayed, 2 running, 3 dead, 4 paused (held, and claimed by nobody), 5 external (left to the holder of
-- its token: it keeps its lease, no session has it), 6 incident, 7 waiting
-- until its limit key lets it through. Dead letters and incidents have buried_at and a fingerprint,
-- and wait for an operator. A finished job is deleted in the completing transition: history is the
-- record. rank = when it became ready, less its priority: aging priority as a plain index order.
create table ${schema}.activity_job (
    run_id                     uuid        not null,
    lease                      uuid,
    claim                      uuid,
    session                    uuid,
    rank                       timestamptz not null,
    visible_at                 timestamptz,
    claimed_at                 timestamptz,
    scheduled_at               timestamptz not null,
    schedule_to_start_deadline timestamptz,
    schedule_to_close_deadline timestamptz,
    deadline                   timestamptz,
    silent_until               timestamptz,
    buried_at                  timestamptz,
    seq                        integer     not null,
    attempt                    integer     not null default 1,
    crashes                    integer     not null default 0,
    max_crashes                integer     not null,
    priority                   integer     not null,
    revision                   integer     not null default 0,
    state                      smallint    not null,
    shard                      smallint    not null,
    cancel_requested           boolean     not null default false,
    begun                      boolean     not null default false,
    paused                     boolean     not null default false,
    workflow_id                text collate "C" not null,
    workflow_type              text        not null,
    task_queue                 text        not null,
    activity                   text        not null,
    last_failure               text,
    fingerprint                text,
    limit_key                  text collate "C",
    input                      json        not null,
    options                    json        not null,
    headers                    json        not null,
    notes                      json,
    operator_notes             json,
    primary key (run_id, seq, shard)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

-- Each claim is one of these two orders, and matches it exactly.
create index activity_job_ready on ${schema}.activity_job (task_queue, rank) where state = 0;
create index activity_job_delayed on ${schema}.activity_job (task_queue, visible_at) where state = 1;
-- Jobs with a limit key only: those that wait by key, those that have been let through, those whose delay has to end.
create index activity_job_waiting on ${schema}.activity_job (task_queue, limit_key, rank) where state = 7;
create index activity_job_admitted on ${schema}.activity_job (task_queue, limit_key) where limit_key is not null and state in (0, 2, 5);
create index activity_job_delayed_key on ${schema}.activity_job (task_queue, visible_at) where state = 1 and limit_key is not null;
-- The claims of a session, and the sessions that have claims.
create index activity_job_running on ${schema}.activity_job (session) where state = 2;
-- Those in the hands of others, by when their time is over. Queries repeat this expression word for word.
create index activity_job_external on ${schema}.activity_job (least(deadline, silent_until, schedule_to_close_deadline))
    where state = 5;
-- Dead letters and incidents: page by page, what failed alike, and the oldest dead letters.
create index activity_job_buried_key on ${schema}.activity_job (run_id, seq) where state in (3, 6);
create index activity_job_buried on ${schema}.activity_job (fingerprint, buried_at) where state in (3, 6);
create index activity_job_dead on ${schema}.activity_job (buried_at) where state = 3;

-- How far a running attempt is. Its own narrow table: updates stay HOT and never touch the job.
create table ${schema}.activity_heartbeat (
    run_id  uuid        not null,
    at      timestamptz not null,
    seq     integer     not null,
    shard   smallint    not null,
    details json        not null,
    primary key (run_id, seq, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);

insert into ${schema}.schema_version (version, min_library) values (3, '0.1.0');
