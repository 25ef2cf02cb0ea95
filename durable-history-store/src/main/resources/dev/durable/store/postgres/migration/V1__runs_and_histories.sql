-- Runs, their histories, and the clock that everything reads.
-- Why: the first version. Locks: nothing that exists (new tables and functions only).
-- Additive within a major version: a later migration adds columns with defaults and indexes, it never rewrites a table.
--
-- Every key of per-run data ends in shard (0..1023, carried by run id and workflow id alike, free in the alignment of
-- the rows); there are no foreign keys, sequences or server-made key values: the schema can be distributed by shard.
-- Payloads and event attributes are json, not jsonb: kept as written (number text, key order, \u0000).

-- What a library needs to work with this schema. A library accepts any schema whose min_library it meets.
create table ${schema}.schema_version (
    version     integer     not null primary key,
    min_library text        not null,
    applied_at  timestamptz not null default now()
);

-- The only source of time. SQL and STABLE, so that it is inlined and index conditions stay index conditions; tests
-- replace it by one that adds an offset.
create function ${schema}.clock() returns timestamptz
    language sql stable parallel safe
    as $$ select statement_timestamp() $$;

-- Aborts the transaction of a batch that does not find what it counted on; the library then finds the culprit.
create function ${schema}.must(ok boolean, what text) returns void
    language plpgsql as $$
begin
    if ok is not true then
        raise exception using errcode = 'DU001', message = what;
    end if;
end $$;

-- The business record of a run: written at its start and at its close, read by listings.
create table ${schema}.workflow_run (
    run_id        uuid        not null,
    parent_run_id uuid,
    close_fence   uuid,
    started_at    timestamptz not null,
    closed_at     timestamptz,
    shard         smallint    not null,
    workflow_id   text collate "C" not null,
    type          text        not null,
    task_queue    text        not null,
    status        text        not null,
    result        json,
    failure       json,
    memo          json,
    attributes    jsonb       not null default '{}',
    primary key (run_id, shard)
) with (fillfactor = 85);

-- The latest run of a workflow id. By the server's time, not by run id: a client may make an id long before it is used.
create index workflow_run_by_workflow_id on ${schema}.workflow_run (workflow_id, started_at, shard);
-- Search attributes; runs without any cost nothing here.
create index workflow_run_by_attributes on ${schema}.workflow_run using gin (attributes jsonb_path_ops) where attributes <> '{}';

-- The hot half of an open run: one narrow row, updated by each transition, deleted at the close.
-- No index names fence, owned_until or anything else that each transition changes: those updates stay HOT.
create table ${schema}.run_state (
    run_id        uuid        not null,
    fence         uuid        not null,
    last_session  uuid,
    next_event_id bigint      not null,
    owned_until   timestamptz,
    wake_at       timestamptz,
    not_before    timestamptz,
    deadline      timestamptz,
    expires_at    timestamptz,
    needs         integer     not null default 0,
    stalls        integer     not null default 0,
    shard         smallint    not null,
    paused        boolean     not null default false,
    closing       boolean     not null default false,
    workflow_id   text collate "C" not null,
    type          text        not null,
    task_queue    text        not null,
    stalled_by    text,
    primary key (run_id, shard),
    unique (workflow_id, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create index run_state_due on ${schema}.run_state (task_queue, wake_at) where wake_at is not null;
create index run_state_deadline on ${schema}.run_state (deadline) where deadline is not null;
create index run_state_expiry on ${schema}.run_state (expires_at) where expires_at is not null;

-- The only truth about a run. Append-only (see below); partitioned by run id, which is by start time, so that old
-- histories go by dropping a table. There is no default partition: a row that fits nowhere is refused, never misplaced.
-- fence stands on the first event of each transition: it answers whether a commit whose reply was lost happened.
create table ${schema}.history_event (
    run_id     uuid        not null,
    event_id   bigint      not null,
    at         timestamptz not null,
    message_id uuid,
    fence      uuid,
    shard      smallint    not null,
    type       text        not null,
    attributes json        not null,
    primary key (run_id, event_id, shard)
) partition by range (run_id);

create function ${schema}.refuse_history_change() returns trigger
    language plpgsql as $$
begin
    if current_user <> '${name}_retention' then
        raise exception using
            errcode = 'DU002',
            message = format('history is append-only: %s on %I.%I is refused', tg_op, tg_table_schema, tg_table_name),
            hint = 'Only the role ${name}_retention may remove history (SET ROLE ${name}_retention).';
    end if;
    return null;
end $$;

create trigger append_only before update or delete or truncate on ${schema}.history_event
    for each statement execute function ${schema}.refuse_history_change();

-- The lowest UUIDv7 of a millisecond.
create function ${schema}.run_id_at(at timestamptz) returns uuid
    language sql stable strict as $$
select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Creates the monthly partitions from one time to another that are missing; says how many it made. Workers call it at
-- start and every hour, so it is SECURITY DEFINER: they need no right to create tables.
-- Locks: SHARE UPDATE EXCLUSIVE on history_event (ATTACH, not CREATE … PARTITION OF: reads and writes go on).
create function ${schema}.add_history_partitions(from_at timestamptz, until_at timestamptz) returns integer
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    month timestamp := date_trunc('month', from_at at time zone 'UTC');
    name  text;
    made  integer := 0;
begin
    while month at time zone 'UTC' <= until_at loop
        name := 'history_event_' || to_char(month, 'YYYY_MM');
        if to_regclass(format('${schema}.%I', name)) is null then
            -- Two processes that start at once: the second waits here, then finds the partition. In the table: to_regclass
            -- answers from this session's memory, in which there is none until it locks some relation.
            perform pg_advisory_xact_lock(hashtextextended('durable history partitions ${name}', 0));
            if not exists (select 1 from pg_catalog.pg_class c
                            where c.relname = name and c.relnamespace = '${schema}'::regnamespace) then
                execute format('create table ${schema}.%I (like ${schema}.history_event including defaults)'
                    ' with (autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1)', name);
                execute format('create trigger append_only before update or delete or truncate on ${schema}.%I'
                    ' for each statement execute function ${schema}.refuse_history_change()', name);
                execute format('alter table ${schema}.history_event attach partition ${schema}.%I'
                    ' for values from (%L) to (%L)', name,
                    ${schema}.run_id_at(month at time zone 'UTC'),
                    ${schema}.run_id_at((month + interval '1 month') at time zone 'UTC'));
                made := made + 1;
            end if;
        end if;
        month := month + interval '1 month';
    end loop;
    return made;
end $$;
revoke execute on function ${schema}.add_history_partitions(timestamptz, timestamptz) from public;

insert into ${schema}.schema_version (version, min_library) values (1, '0.1.0');
