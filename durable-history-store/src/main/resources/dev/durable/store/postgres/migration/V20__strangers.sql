-- The schema can be shared with strangers: a login of the same database that has no right in it can neither have its own
-- functions called in the name of those who use it, nor hold them up, nor hear or say anything among them.
-- Why: functions and operators were looked up by the search_path of the session, so that a better-matching one in a schema
-- that others may write (public, up to PostgreSQL 14) was called; turns were advisory locks, and the channel of hints had a
-- name that everybody knows, and both are anybody's. Partitions were looked for by their name, so that after a DETACH without
-- a DROP no run could start, and who could add them could add a hundred thousand. Locks: ACCESS EXCLUSIVE on installation for a moment.

-- Bodies of SQL functions that are part of plans are bound when they are made (RETURN), so that they can still be inlined.
create or replace function ${schema}.clock() returns timestamptz
    language sql stable parallel safe
    return statement_timestamp();

create or replace function ${schema}.run_id_at(at timestamptz) returns uuid
    language sql stable strict
    return (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Every start computes it for an index: without numeric, without the text of the id, and naming its argument once, as a
-- function that names it twice is not inlined and costs five times as much.
create or replace function ${schema}.run_id_time(run_id uuid) returns timestamptz
    language sql immutable strict parallel safe
    return to_timestamp(('x' || encode(substr(uuid_send(run_id), 1, 6), 'hex'))::bit(48)::bigint::float8 / 1000);

-- Whether a partition with these bounds takes rows: one that is being detached does not.
create function ${schema}.has_history_partition(lowest uuid, beyond uuid) returns boolean
    language sql stable
    return exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                    where i.inhparent = '${schema}.history_event'::regclass and not i.inhdetachpending
                      and pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (%L)', lowest, beyond));

-- The others look their names up in PostgreSQL's own schema. (must names none.)
alter function ${schema}.note_run() set search_path = pg_catalog, pg_temp;
alter function ${schema}.refuse_history_change() set search_path = pg_catalog, pg_temp;
alter function ${schema}.resend_refused(uuid, bigint) set search_path = pg_catalog, pg_temp;
alter function ${schema}.bear_delayed_jobs() set search_path = pg_catalog, pg_temp;

-- One row a task queue with limit keys, made when it is first needed: who has it locked lets the jobs through that wait for
-- their keys. That takes a right; an advisory lock takes none.
create table ${schema}.admission (
    task_queue text collate "C" not null primary key
);

-- The name of the channel on which processes of this schema tell each other what there is to do. Whoever may read it may
-- speak and listen there. It may be changed at any time: processes read it every ten seconds.
alter table ${schema}.installation add column channel text not null default 'durable_' || replace(gen_random_uuid()::text, '-', '');

-- Creates the monthly partitions from one time to another that are missing; says how many it made. Workers call it at
-- start, every hour, and when a run finds none, so it is SECURITY DEFINER: they need no right to create tables.
-- Not far from now, whoever asks. A month has its partition when one is attached: a table that was detached keeps its name,
-- and the new one gets another.
-- Locks: SHARE UPDATE EXCLUSIVE on history_event (ATTACH, not CREATE … PARTITION OF: reads and writes go on).
create or replace function ${schema}.add_history_partitions(from_at timestamptz, until_at timestamptz) returns integer
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    month     timestamp := date_trunc('month', from_at at time zone 'UTC');
    lowest    uuid;
    beyond    uuid;
    name      text;
    wanted    text;
    detaching text;
    made      integer := 0;
begin
    if from_at is null or until_at is null or from_at < clock() - interval '100 days'
        or until_at > clock() + interval '400 days' then
        raise exception using
            errcode = '22023',
            message = format('add_history_partitions(%L, %L): partitions are made for 100 days back and 400 days ahead at'
                             ' most', from_at, until_at);
    end if;
    while month at time zone 'UTC' <= until_at loop
        lowest := run_id_at(month at time zone 'UTC');
        beyond := run_id_at((month + interval '1 month') at time zone 'UTC');
        if not has_history_partition(lowest, beyond) then
            -- Two processes that start at once: the second waits here, then finds the partition. ATTACH takes the same lock.
            lock table only ${schema}.history_event in share update exclusive mode;
            if not has_history_partition(lowest, beyond) then
                -- One whose DETACH CONCURRENTLY did not come to its end still takes the place of another.
                for detaching in
                    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                     where i.inhparent = '${schema}.history_event'::regclass and i.inhdetachpending
                       and pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (%L)', lowest, beyond) loop
                    execute format('alter table ${schema}.history_event detach partition ${schema}.%I finalize', detaching);
                end loop;
                name := 'history_event_' || to_char(month, 'YYYY_MM');
                wanted := name;
                for copy in 2 .. 1000 loop
                    exit when not exists (select from pg_class c
                                           where c.relname = name and c.relnamespace = '${schema}'::regnamespace);
                    name := wanted || '_' || copy;
                end loop;
                execute format('create table ${schema}.%I (like ${schema}.history_event including defaults)'
                    ' with (autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1)', name);
                execute format('create trigger append_only before update or delete or truncate on ${schema}.%I'
                    ' for each statement execute function ${schema}.refuse_history_change()', name);
                execute format('alter table ${schema}.history_event attach partition ${schema}.%I'
                    ' for values from (%L) to (%L)', name, lowest, beyond);
                made := made + 1;
            end if;
        end if;
        month := month + interval '1 month';
    end loop;
    return made;
end $$;

insert into ${schema}.schema_version (version, min_library) values (20, '0.1.0');
