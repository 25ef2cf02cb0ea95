-- Views answer under parallel plans on every version of PostgreSQL, and a month whose partition was detached gets another.
-- Why: readable has a block with an exception handler, which PostgreSQL before 16 refuses in a parallel plan ("cannot start
-- subtransactions during a parallel operation"), so that a query of a large history failed; and partitions were looked for by
-- their name, so that after a DETACH without a DROP no run could start; who could add them could add a hundred thousand. Locks: none (functions only).

-- json for reading with jsonb's operators. Payloads may hold what jsonb and ->> refuse (\u0000, unpaired surrogates,
-- numbers out of range): a view that fails on one row is no view, so those characters become \ufffd, and what is still
-- refused comes as one string. PostgreSQL 16 can ask whether a text is refused, without a handler.
create or replace function ${schema}.readable(value json) returns jsonb
    language plpgsql immutable strict parallel unsafe as $$
declare
    mended text;
begin
    if current_setting('server_version_num')::integer >= 160000 then
        if pg_input_is_valid(value::text, 'jsonb') then
            return value::jsonb;
        end if;
        mended := regexp_replace(value::text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g');
        return case when pg_input_is_valid(mended, 'jsonb') then mended::jsonb else to_jsonb(value::text) end;
    end if;
    begin
        return value::jsonb;
    exception when others then
        begin
            return regexp_replace(value::text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
        exception when others then
            return to_jsonb(value::text);
        end;
    end;
end $$;

-- What reads by it is as safe as it is. A server that was upgraded from 14 or 15 goes on without parallel plans there.
do $parallel$
declare
    safety text := case when current_setting('server_version_num')::integer >= 160000 then 'safe' else 'unsafe' end;
begin
    execute 'alter function ${schema}.readable(json) parallel ' || safety;
    execute 'alter function ${schema}.seq_of(json) parallel ' || safety;
    execute 'alter function ${schema}.told_of(uuid, smallint, integer) parallel ' || safety;
end $parallel$;

-- Creates the monthly partitions from one time to another that are missing; says how many it made. Workers call it at
-- start, every hour, and when a run finds none, so it is SECURITY DEFINER: they need no right to create tables.
-- Not far from now, whoever asks. A month has its partition when one is attached: a table that was detached keeps its name, and the new one gets another.
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
            -- Two processes that start at once: the second waits here, then finds the partition.
            perform pg_advisory_xact_lock(hashtextextended('durable history partitions ${schema}', 0));
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

-- Whether a partition with these bounds takes rows: one that is being detached does not.
create function ${schema}.has_history_partition(lowest uuid, beyond uuid) returns boolean
    language sql stable as $$
select exists (select from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
                where i.inhparent = '${schema}.history_event'::regclass and not i.inhdetachpending
                  and pg_catalog.pg_get_expr(c.relpartbound, c.oid)
                      = format('FOR VALUES FROM (%L) TO (%L)', lowest, beyond))
$$;

insert into ${schema}.schema_version (version, min_library) values (19, '0.1.0');
