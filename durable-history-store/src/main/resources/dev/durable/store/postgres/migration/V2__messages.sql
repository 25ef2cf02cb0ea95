-- What goes to runs from elsewhere, and from them.
-- Why: the first version. Locks: nothing that exists (new tables only).

-- Messages to a run, until the transition that turns them into events. In order of (at, ord).
create table ${schema}.inbox (
    run_id     uuid        not null,
    message_id uuid        not null,
    at         timestamptz not null,
    ord        integer     not null,
    kind       smallint    not null,
    shard      smallint    not null,
    wakes      boolean     not null,
    task_queue text        not null,
    name       text        not null,
    payload    json        not null,
    notes      json,
    primary key (run_id, message_id, shard)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

-- Claims skip from run to run in this index: a run with 20,000 messages costs one probe.
create index inbox_waking on ${schema}.inbox (task_queue, run_id) where wakes;

-- Effects of a transition, or of a caller's own transaction (then run_id is its process), on other runs. In order of
-- event id within a run.
create table ${schema}.outbox (
    run_id             uuid        not null,
    event_id           bigint      not null,
    target_run_id      uuid,
    at                 timestamptz not null,
    kind               smallint    not null,
    shard              smallint    not null,
    target_workflow_id text collate "C" not null,
    name               text        not null,
    payload            json        not null,
    primary key (run_id, event_id, shard)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Messages of the outbox that the database refuses, with its reason, out of the way of the others. Somebody should look:
-- resend_refused sends one again when its cause is mended; one that is not wanted any more is deleted.
create table ${schema}.outbox_refused (
    run_id             uuid        not null,
    event_id           bigint      not null,
    target_run_id      uuid,
    at                 timestamptz not null,
    refused_at         timestamptz not null,
    kind               smallint    not null,
    shard              smallint    not null,
    target_workflow_id text collate "C" not null,
    name               text        not null,
    payload            json        not null,
    sqlstate           text        not null,
    error              text        not null,
    primary key (run_id, event_id, shard)
);

create function ${schema}.resend_refused(source uuid, event bigint) returns boolean
    language sql as $$
with gone as (delete from ${schema}.outbox_refused r where r.run_id = source and r.event_id = event returning r.*),
back as (
    insert into ${schema}.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload)
    select g.run_id, g.event_id, g.target_run_id, g.at, g.kind, g.shard, g.target_workflow_id, g.name, g.payload from gone g
    returning true)
select exists (select from back)
$$;

-- Answers to updates, for an hour.
create table ${schema}.reply (
    message_id uuid        not null,
    at         timestamptz not null,
    shard      smallint    not null,
    result     json,
    failure    json,
    primary key (message_id, shard)
);
create index reply_by_age on ${schema}.reply (at);

insert into ${schema}.schema_version (version, min_library) values (2, '0.1.0');
