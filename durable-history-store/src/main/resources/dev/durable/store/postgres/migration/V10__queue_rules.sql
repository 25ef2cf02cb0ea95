-- Activities that nobody begins anywhere, in whatever queue their jobs stand.
-- Why: an operator stops one kind of work without stopping its queue. Locks: nothing that exists (a new table only).

-- activity: a name (Payments.charge), or a type (Payments) for all its methods. resume_at: by itself from then on.
create table ${schema}.activity_pause (
    activity  text collate "C" not null primary key,
    resume_at timestamptz
);

-- The starts of the last second by limit key, for queues with a rate per key; in no order that matters.
create table ${schema}.limit_key_start (
    task_queue text collate "C" not null,
    limit_key  text collate "C" not null,
    last_at    timestamptz      not null,
    starts     timestamptz[]    not null,
    primary key (task_queue, limit_key)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);

do $roles$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant select, insert, update, delete on ${schema}.activity_pause, ${schema}.limit_key_start to %I',
            '${name}_worker');
    end if;
end $roles$;

insert into ${schema}.schema_version (version, min_library) values (10, '0.1.0');
