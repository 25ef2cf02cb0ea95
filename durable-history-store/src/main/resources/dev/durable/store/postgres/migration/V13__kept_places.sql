-- Places under limits that are still taken although their jobs run no longer.
-- Why: a body may go on when its attempt has timed out or its run was ended; a queue or key of concurrency 1 must not run
-- another beside it. Locks: nothing that exists (a new table only).

-- One row for each body that may go on, under the lease of its attempt; only for jobs with a limit key, and of queues with
-- a concurrency. It counts while its session lives and until kept_until; its worker deletes it when the body has ended.
create table ${schema}.kept_place (
    lease      uuid        not null primary key,
    session    uuid        not null,
    kept_until timestamptz not null,
    task_queue text collate "C" not null,
    limit_key  text collate "C"
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);
create index kept_place_queue on ${schema}.kept_place (task_queue, limit_key);

do $roles$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant select, insert, update, delete on ${schema}.kept_place to %I', '${name}_worker');
    end if;
end $roles$;

insert into ${schema}.schema_version (version, min_library) values (13, '0.1.0');
