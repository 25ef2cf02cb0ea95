-- Partitions of the history that a DBA made with bounds of his own are left as they are, and what they leave of a month gets
-- partitions.
-- Why: beside one that has a part of a month no partition of any month was made any more, and no process could start; beside
-- a DEFAULT partition with rows the same. Locks: none.

-- A bound of a partition, from what pg_get_expr says of it; null of a DEFAULT partition, which has none.
create function ${schema}.history_bound(bounds text, of_end boolean) returns uuid
    language sql immutable strict parallel safe
    return case when of_end and bounds like '%TO (MAXVALUE)' then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
                when not of_end and bounds like '%FROM (MINVALUE)%' then '00000000-0000-0000-0000-000000000000'
                when of_end then substring(bounds from 'TO \(''([0-9a-f-]{36})''\)')
                else substring(bounds from 'FROM \(''([0-9a-f-]{36})''\)') end::uuid;

-- Whether partitions take every row from one id to another: one that is being detached does not. Each but the last ends
-- where another begins.
create or replace function ${schema}.has_history_partition(lowest uuid, beyond uuid) returns boolean
    language sql stable
    return not exists (
        with taken as (
            select ${schema}.history_bound(b.bounds, false) as first, ${schema}.history_bound(b.bounds, true) as after
              from pg_inherits i join pg_class c on c.oid = i.inhrelid
              cross join pg_get_expr(c.relpartbound, c.oid) b(bounds)
             where i.inhparent = '${schema}.history_event'::regclass and not i.inhdetachpending)
        select from (select lowest as id union all select t.after from taken t where t.after > lowest and t.after < beyond) p
         where not exists (select from taken t where t.first <= p.id and t.after > p.id));

-- Creates what is missing of the monthly partitions from one time to another; says how many it made. Workers call it at
-- start, every hour, and when a run finds none, so it is SECURITY DEFINER: they need no right to create tables.
-- Not far from now, whoever asks. A table that was detached keeps its name, and the new one gets another. Beside a DEFAULT
-- partition that has rows none is made: the server would read it whole, under a lock that keeps everybody from it.
-- Locks: SHARE UPDATE EXCLUSIVE on history_event (ATTACH, not CREATE … PARTITION OF: reads and writes go on).
create or replace function ${schema}.add_history_partitions(from_at timestamptz, until_at timestamptz) returns integer
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    month     timestamp := date_trunc('month', from_at at time zone 'UTC');
    lowest    uuid;
    beyond    uuid;
    free      uuid;
    taken     record;
    name      text;
    other     text;
    has_rows  boolean;
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
            -- One whose DETACH CONCURRENTLY did not come to its end still takes the place of another.
            for other in
                select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent = '${schema}.history_event'::regclass and i.inhdetachpending
                   and history_bound(pg_get_expr(c.relpartbound, c.oid), false) < beyond
                   and history_bound(pg_get_expr(c.relpartbound, c.oid), true) > lowest loop
                execute format('alter table ${schema}.history_event detach partition ${schema}.%I finalize', other);
            end loop;
            for other in
                select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent = '${schema}.history_event'::regclass
                   and pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' loop
                execute format('select exists (select from %s)', other) into has_rows;
                if has_rows then
                    return made;
                end if;
            end loop;
            free := lowest;
            for taken in
                select b.first, b.after
                  from (select history_bound(pg_get_expr(c.relpartbound, c.oid), false) as first,
                               history_bound(pg_get_expr(c.relpartbound, c.oid), true) as after
                          from pg_inherits i join pg_class c on c.oid = i.inhrelid
                         where i.inhparent = '${schema}.history_event'::regclass
                        union all select beyond, beyond) b
                 where b.first <= beyond and b.after > lowest order by 1, 2 loop
                if free < taken.first then
                    name := 'history_event_' || to_char(month, 'YYYY_MM');
                    other := name;
                    for copy in 2 .. 1000 loop
                        exit when not exists (select from pg_class c
                                               where c.relname = name and c.relnamespace = '${schema}'::regnamespace);
                        name := other || '_' || copy;
                    end loop;
                    execute format('create table ${schema}.%I (like ${schema}.history_event including defaults)'
                        ' with (autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1)', name);
                    execute format('create trigger append_only before update or delete or truncate on ${schema}.%I'
                        ' for each statement execute function ${schema}.refuse_history_change()', name);
                    execute format('alter table ${schema}.history_event attach partition ${schema}.%I'
                        ' for values from (%L) to (%L)', name, free, taken.first);
                    made := made + 1;
                end if;
                free := greatest(free, taken.after);
            end loop;
        end if;
        month := month + interval '1 month';
    end loop;
    return made;
end $$;

insert into ${schema}.schema_version (version, min_library) values (26, '0.1.0');
