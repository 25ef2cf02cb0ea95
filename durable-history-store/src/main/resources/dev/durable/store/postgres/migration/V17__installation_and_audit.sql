-- Whose work stands here, and an audit that only grows.
-- Why: workers of a copy of a database did production's work; who could write the audit could change it. Locks: SHARE ROW EXCLUSIVE on audit for a moment, as its triggers are made.
-- Who may do what stands in grants.sql from here on, for all tables; it is run after the migrations.

-- The database that this is, as it can be known. system_id: null where the server does not tell it. A failover, another
-- address and another timeline change nothing of it; a copy by CREATE DATABASE has another database_id, a restored dump
-- another system_id. pg_upgrade makes a new system_id, and keeps database_id and table_ids
-- (a restored dump makes its tables in another order).
create function ${schema}.this_database(out system_id text, out database_id bigint, out table_ids text, out server integer,
                              out database text)
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    begin
        select s.system_identifier::text into system_id from pg_control_system() s;
    exception when insufficient_privilege or undefined_function or feature_not_supported then
        system_id := null;
    end;
    select d.oid::bigint, d.datname into database_id, database from pg_database d where d.datname = current_database();
    table_ids := concat_ws(' ', '${schema}.schema_version'::regclass::oid, '${schema}.activity_job'::regclass::oid);
    server := current_setting('server_version_num')::integer / 10000;
end $$;

-- One row. name: as processes call their installation; null where none has said one yet. The rest: the database in which
-- it was made, or was adopted, or to which its name has gone. frozen: nobody works.
create table ${schema}.installation (
    only_one    boolean     not null primary key check (only_one),
    name        text,
    system_id   text,
    database_id bigint      not null,
    table_ids   text        not null,
    server      integer     not null,
    database    text        not null,
    since       timestamptz not null,
    frozen      boolean     not null default false
);
insert into ${schema}.installation (only_one, system_id, database_id, table_ids, server, database, since)
select true, h.system_id, h.database_id, h.table_ids, h.server, h.database, ${schema}.clock() from ${schema}.this_database() h;

-- Whether a process that calls its installation so may work here: OWN, or why not. A name decides alone; without one the
-- database does. The first name that is said in the database where the installation was made becomes its own; where the
-- name is right and the database another one, that one is written down. Both stand in the audit.
-- A copy in which no run ever was is nobody's work: a template for databases of tests, say. It becomes its own.
create function ${schema}.belongs(as_name text, out verdict text, out name text, out made_in text, out since timestamptz)
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    i    installation;
    here record;
    same boolean;
begin
    loop
        select * into i from installation;
        select * into here from this_database();
        same := i.database_id = here.database_id
            and (i.system_id = here.system_id or i.system_id is null or here.system_id is null
                 or (i.table_ids = here.table_ids and i.server < here.server));
        name := i.name;
        made_in := i.database;
        since := i.since;
        same := same or (i.name is null and not exists (select from workflow_run) and not exists (select from outbox));
        verdict := case when i.frozen then 'FROZEN'
                        when i.name is null and not same then 'COPY'
                        when as_name is null and not same then 'COPY'
                        when as_name is null and i.name is not null then 'NAMELESS'
                        when i.name <> as_name then 'NAME'
                        else 'OWN' end;
        exit when verdict <> 'OWN'
               or (i.name is not distinct from as_name and i.database_id = here.database_id
                   and i.system_id is not distinct from here.system_id and i.server = here.server);
        update installation x
           set name = as_name, system_id = here.system_id, database_id = here.database_id, table_ids = here.table_ids,
               server = here.server, database = here.database
         where x.name is not distinct from i.name and x.database_id = i.database_id
           and x.system_id is not distinct from i.system_id and x.server = i.server and not x.frozen;
        if found then
            insert into audit (id, at, actor, action, target, details)
            values (gen_random_uuid(), clock(), session_user,
                    case when i.name is distinct from as_name then 'name installation' else 'move installation' end,
                    coalesce(as_name, ''),
                    json_build_object('from', i.database, 'fromServer', i.server, 'to', here.database,
                                      'toServer', here.server));
        end if;
    end loop;
end $$;
revoke execute on function ${schema}.belongs(text) from public;

-- The audit only grows. Its retention is purge_audit, which says what it is to the trigger.
create function ${schema}.refuse_audit_change() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if coalesce(current_setting('durable.purging', true), '') <> format('%I.%I', tg_table_schema, tg_table_name) then
        raise exception using
            errcode = 'DU002',
            message = format('the audit is append-only: %s on %I.%I is refused', tg_op, tg_table_schema, tg_table_name),
            hint = format('The role ${name}_retention may remove old rows: SET ROLE "${name}_retention";'
                          ' SELECT %I.purge_audit(now() - interval ''1 year'').', tg_table_schema);
    end if;
    return null;
end $$;
create trigger append_only before update or delete or truncate on ${schema}.audit
    for each statement execute function ${schema}.refuse_audit_change();

-- Removes what is older, and says so in the audit; gives how many rows went. Nothing younger than a day goes: by its rows
-- the holder of a token that tells the same failure again is known.
create function ${schema}.purge_audit(before timestamptz) returns bigint
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    gone bigint;
begin
    if before is null or before > clock() - interval '1 day' then
        raise exception using
            errcode = '22023',
            message = format('purge_audit(%L): rows of the last day stay', before),
            hint = 'Say a time that is at least a day ago.';
    end if;
    perform set_config('durable.purging', format('%I.audit', (select n.nspname from pg_namespace n
        where n.oid = '${schema}'::regnamespace)), true);
    delete from audit a where a.at < before;
    get diagnostics gone = row_count;
    perform set_config('durable.purging', '', true);
    insert into audit (id, at, actor, action, target, details)
    values (gen_random_uuid(), clock(), session_user, 'purge audit', before::text, json_build_object('rows', gone));
    return gone;
end $$;
revoke execute on function ${schema}.purge_audit(timestamptz) from public;

insert into ${schema}.schema_version (version, min_library) values (17, '0.1.0');
