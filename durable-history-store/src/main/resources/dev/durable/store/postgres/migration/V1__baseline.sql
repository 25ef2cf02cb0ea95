-- The schema as a new database gets it. The next change is a migration of its own beside this file (V2__….sql, listed in
-- Migrations); within a major version migrations only add: columns with defaults, indexes, functions, views, never a rewrite of
-- a table. Rights stand in grants.sql, which runs after the migrations.
--
-- Every key of per-run data ends in shard (0..1023, carried by run id and workflow id alike, free in the alignment of
-- the rows); there are no foreign keys, sequences or server-made key values: the schema can be distributed by shard.
-- Payloads and event attributes are json, not jsonb: kept as written (number text, key order, \u0000).
-- Functions fix their search_path, or bind the names in their bodies when they are made (RETURN), so that no function in a
-- schema that other users may write is called in place of PostgreSQL's.
-- Literals with a backslash are E'…' where the server stores a text as it was parsed (RETURN, views); functions whose body is
-- parsed when they are called fix standard_conforming_strings beside the search_path. So each means the same in every session.

-- The oldest library that can work with this schema. A library accepts any schema whose min_library is not newer than
-- itself.
create table ${schema}.schema_version (
    version     integer     not null primary key,
    min_library text        not null,
    applied_at  timestamptz not null default now()
);

-- ======================================================================================================================
-- The roles
-- ======================================================================================================================

-- Three roles without login, to be granted to the users that people and processes connect as. Created only if the
-- migrating user may create roles; if not, a DBA creates them and runs Schema.grants().
do $roles$
declare
    role_name text;
begin
    foreach role_name in array array['${name}_worker', '${name}_retention', '${name}_operator'] loop
        if to_regrole(quote_ident(role_name)) is null then
            begin
                execute format('create role %I nologin', role_name);
            exception
                when insufficient_privilege then
                    raise notice 'role % is not created: % may not create roles', role_name, current_user;
                when duplicate_object or unique_violation then
                    null; -- created by a migration with that name in another database of this server at the same time
            end;
        end if;
    end loop;
end $roles$;

-- ======================================================================================================================
-- Time and guards
-- ======================================================================================================================

-- The only source of time. SQL and STABLE, so that it is inlined and index conditions stay index conditions; tests
-- replace it by one that adds an offset.
create function ${schema}.clock() returns timestamptz
    language sql stable parallel safe
    return statement_timestamp();

-- Aborts the transaction of a batch that does not find the rows that it expected; the library then finds the item that
-- is at fault.
create function ${schema}.must(ok boolean, what text) returns void
    language plpgsql as $$
begin
    if ok is not true then
        raise exception using errcode = 'DU001', message = what;
    end if;
end $$;

-- The lowest UUIDv7 of a millisecond.
create function ${schema}.run_id_at(at timestamptz) returns uuid
    language sql stable strict
    return (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- The time at which a run id was made, which a UUIDv7 contains. Every start computes it for an index: without numeric,
-- without the text of the id, and naming its argument once, as a function that names it twice is not inlined and costs
-- five times as much.
create function ${schema}.run_id_time(run_id uuid) returns timestamptz
    language sql immutable strict parallel safe
    return to_timestamp(('x' || encode(substr(uuid_send(run_id), 1, 6), 'hex'))::bit(48)::bigint::float8 / 1000);

-- ======================================================================================================================
-- Runs
-- ======================================================================================================================

-- The business record of a run: written at its start and at its close, read by listings. Runs that continue one another
-- are a chain: chain_id is the run id of its first run, where null stands for the run itself. A child has the workflow id
-- and the chain of its parent, its number among the children of that chain, and the chain at the root of the tree.
-- has_children: whether code of the run has asked for a child; null is no. attempt: the number of the attempt, from 2, where
-- a workflow with a retry policy has failed before; null is 1. details: the line by which the
-- run's code says what it is doing; null is none. It is in no index, so that its update stays HOT.
create table ${schema}.workflow_run (
    run_id          uuid        not null,
    close_fence     uuid,
    chain_id        uuid,
    previous_run_id uuid,
    next_run_id     uuid,
    started_at      timestamptz not null,
    closed_at       timestamptz,
    shard           smallint    not null,
    workflow_id     text collate "C" not null,
    type            text        not null,
    task_queue      text        not null,
    status          text        not null,
    result          json,
    failure         json,
    memo            json,
    parent_chain    uuid,
    root_chain      uuid,
    parent_number   bigint,
    parent_workflow_id text collate "C",
    has_children    boolean,
    attempt         integer,
    details         text,
    primary key (run_id, shard)
) with (fillfactor = 85);

-- The latest run of a workflow id. It is found by the server's time, not by run id: a client may make an id long before
-- it is used.
create index workflow_run_by_workflow_id on ${schema}.workflow_run (workflow_id, started_at, shard);
-- Where rare types and rare task queues are: a summary of each 64 kB of the table, which inserts leave alone until they
-- have filled it. Nothing is written for a run.
create index workflow_run_names on ${schema}.workflow_run
    using brin (type text_bloom_ops (n_distinct_per_range = 32), task_queue text_bloom_ops (n_distinct_per_range = 32))
    with (pages_per_range = 8, autosummarize = on);
-- Runs whose id was made more than ten seconds before or after their start. Queries repeat this expression word for word.
create index workflow_run_odd_ids on ${schema}.workflow_run (started_at)
    where started_at - ${schema}.run_id_time(run_id) not between interval '-10 s' and interval '10 s';
-- Children only.
create index workflow_run_by_parent on ${schema}.workflow_run (parent_chain, run_id) where parent_chain is not null;
create index workflow_run_by_root on ${schema}.workflow_run (root_chain, run_id) where root_chain is not null;

-- The part of an open run that changes often: one narrow row, updated by each transition, deleted at the close. No
-- index contains fence, owned_until or anything else that each transition changes: those updates stay HOT. A run that
-- continues as new hands its row on to the next one; chain_id is as in workflow_run. parent_policy: what is to happen to a
-- child when its parent's chain has ended: 1 it is terminated, 2 it is asked to cancel, 3 nothing; null where that is done.
-- build: the build whose code made the run's last turn, null where its process names none. stalled_builds: the builds that
-- not_before holds back, as they have stalled the run; null is every process. pinned_to: the build that alone goes on with
-- the run; null is any. Pinned runs have an index of their own, so that those of a build without a worker are in no claim's
-- way.
create table ${schema}.run_state (
    run_id        uuid        not null,
    fence         uuid        not null,
    last_session  uuid,
    chain_id      uuid,
    next_event_id bigint      not null,
    owned_until   timestamptz,
    wake_at       timestamptz,
    not_before    timestamptz,
    deadline      timestamptz,
    expires_at    timestamptz,
    stalls        integer     not null default 0,
    shard         smallint    not null,
    paused        boolean     not null default false,
    closing       boolean     not null default false,
    workflow_id   text collate "C" not null,
    type          text        not null,
    task_queue    text        not null,
    stalled_by    text,
    parent_chain  uuid,
    root_chain    uuid,
    parent_policy smallint,
    build         text collate "C",
    stalled_builds text[] collate "C",
    pinned_to     text collate "C",
    primary key (run_id, shard),
    unique (workflow_id, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create index run_state_due on ${schema}.run_state (task_queue, wake_at) where wake_at is not null and pinned_to is null;
create index run_state_pinned on ${schema}.run_state (task_queue, pinned_to, wake_at) where pinned_to is not null;
create index run_state_deadline on ${schema}.run_state (deadline) where deadline is not null;
create index run_state_expiry on ${schema}.run_state (expires_at) where expires_at is not null;
create index run_state_stalled on ${schema}.run_state (run_id) where stalled_by is not null;
create index run_state_parent on ${schema}.run_state (parent_chain) where parent_chain is not null;
create index run_state_root on ${schema}.run_state (root_chain) where root_chain is not null;

-- Closed runs that are not found by the time in their id: those that ended otherwise than by completing, by continuing as
-- new or as an attempt that another follows, and those that took longer than an hour. activity: of a background job. A run that completes within an hour enters none of these
-- B-trees, and no column that the updates of workflow_run change is in an index: they stay HOT.
create table ${schema}.notable_run (
    run_id      uuid        not null,
    started_at  timestamptz not null,
    closed_at   timestamptz not null,
    shard       smallint    not null,
    workflow_id text collate "C" not null,
    type        text        not null,
    task_queue  text        not null,
    status      text        not null,
    activity    text,
    primary key (run_id, shard)
);

create index notable_run_by_status on ${schema}.notable_run (status, run_id);
create index notable_run_by_closing on ${schema}.notable_run (status, closed_at);
create index notable_run_by_type on ${schema}.notable_run (type, status, run_id);
create index notable_run_by_queue on ${schema}.notable_run (task_queue, status, run_id);
create index notable_run_by_workflow_id on ${schema}.notable_run (workflow_id);
create index notable_run_by_activity on ${schema}.notable_run (activity, status, run_id) where activity is not null;

-- ======================================================================================================================
-- Histories
-- ======================================================================================================================

-- The history of a run, from which all of its state follows. Append-only (see below); partitioned by run id, which is
-- by start time, so that old histories go by dropping a table. There is no DEFAULT partition: a row without a partition
-- is refused, never misplaced. fence stands on the first event of each transition: by it a process finds out whether a
-- commit whose reply was lost happened.
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

-- Retention deletes from the table as a whole: on a single partition no trigger checks for open runs.
create function ${schema}.refuse_history_change() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if current_user <> '${name}_retention' or tg_op <> 'DELETE' or tg_table_name <> 'history_event' then
        raise exception using
            errcode = 'DU002',
            message = format('history is append-only: %s on %I.%I is refused', tg_op, tg_table_schema, tg_table_name),
            hint = format('Only the role ${name}_retention may remove history (SET ROLE ${name}_retention), by DELETE on'
                          ' %I.history_event.', tg_table_schema);
    end if;
    return null;
end $$;

create trigger append_only before update or delete or truncate on ${schema}.history_event
    for each statement execute function ${schema}.refuse_history_change();

-- Open runs and their histories can't be removed. Checked once for each statement. EXECUTE, so that the query is
-- planned for the actual number of rows. It has its definer's rights, as retention can't read run_state.
create function ${schema}.refuse_open_runs() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    runs bigint;
    one  text;
begin
    execute 'select count(distinct s.run_id), min(format(''%s (run %s)'', s.workflow_id, s.run_id))'
            '  from gone g join ${schema}.run_state s on s.run_id = g.run_id and s.shard = g.shard'
            || case tg_table_name when 'history_event' then
                ' join ${schema}.workflow_run w on w.run_id = s.run_id and w.shard = s.shard where w.closed_at is null'
               else '' end
       into runs, one;
    if runs > 0 then
        raise exception using
            errcode = 'DU002',
            message = format('DELETE on %I.%I is refused: it would take what %s to go on, such as %s', tg_table_schema,
                             tg_table_name, case runs when 1 then 'an open run needs' else runs || ' open runs need' end, one),
            hint = format('Remove what has been closed for long only (… and closed_at < now() - interval ''1 year'', of'
                          ' %I.workflow_run). If an open run is to go, end it first: client.handle(workflowId)'
                          '.terminate("why").', tg_table_schema);
    end if;
    return null;
end $$;
revoke execute on function ${schema}.refuse_open_runs() from public;

create trigger refuse_open_runs after delete on ${schema}.history_event
    referencing old table as gone for each statement execute function ${schema}.refuse_open_runs();
create trigger refuse_open_runs after delete on ${schema}.workflow_run
    referencing old table as gone for each statement execute function ${schema}.refuse_open_runs();

-- Notes the end of a run, by a trigger, so that each way to close a run does so: into notable_run, where the run belongs
-- there; for the parent of a child into the outbox, as the last message of the child's chain; and where the run has
-- children, the order to end them by their parent-close policies. One trigger for all of it, as a second one costs each
-- close as much as its own condition. The name of a job's activity stands in its first event. A quote inside any JSON
-- text is escaped, so only the member input itself matches.
create function ${schema}.note_run() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
    chain uuid := coalesce(new.chain_id, new.run_id);
begin
    if new.status = 'FAILED' and new.next_run_id is not null then
        return null;
    end if;
    if new.status not in ('COMPLETED', 'CONTINUED_AS_NEW') or new.closed_at > new.started_at + interval '1 hour' then
        insert into ${schema}.notable_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status, activity)
        values (new.run_id, new.started_at, new.closed_at, new.shard, new.workflow_id, new.type, new.task_queue, new.status,
                case when new.type = 'durable.job' then
                    (select substring(e.attributes::text from '"input"\s*:\s*\[\s*"([^"\\]*)"') from ${schema}.history_event e
                      where e.run_id = new.run_id and e.event_id = 1 and e.shard = new.shard) end)
        on conflict do nothing;
    end if;
    if new.next_run_id is not null then
        return null;
    end if;
    if new.has_children then
        insert into ${schema}.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, source_workflow_id,
               name, payload)
        values (chain, 9223372036854775806, chain, ${schema}.clock(), 9, new.shard, new.workflow_id, new.workflow_id,
                'ParentClosed', '{}');
    end if;
    if new.parent_chain is not null then
        insert into ${schema}.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, source_workflow_id,
               name, payload)
        values (chain, 9223372036854775807, new.parent_chain, ${schema}.clock(), 5, new.shard, new.parent_workflow_id,
                new.workflow_id,
                case new.status when 'COMPLETED' then 'ChildCompleted' when 'CANCELLED' then 'ChildCancelled'
                     else 'ChildFailed' end,
                ('{"number":' || new.parent_number
                 || case new.status when 'COMPLETED' then ',"result":' || coalesce(new.result::text, 'null')
                         when 'CANCELLED' then '' else ',"status":"' || new.status || '"' end
                 || case when new.status <> 'COMPLETED' then coalesce(',"failure":' || new.failure::text, '') else '' end
                 || '}')::json);
    end if;
    return null;
end $$;

create trigger note_run after update on ${schema}.workflow_run for each row
    when (new.closed_at is not null and old.closed_at is null
          and (new.status not in ('COMPLETED', 'CONTINUED_AS_NEW')
               or new.closed_at > new.started_at + interval '1 hour'
               or new.parent_chain is not null or new.has_children))
    execute function ${schema}.note_run();

-- A user that may remove a run removes its row in notable_run with it, the entries that it has appended to streams, and,
-- once the chain has ended, those streams of the chain that have no entry left: their rows tell readers how far entries
-- of other runs of the chain go. EXECUTE, so that each is planned for the actual number of rows.
create function ${schema}.forget_runs() returns trigger
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
    delete from ${schema}.notable_run n using gone g where n.run_id = g.run_id and n.shard = g.shard;
    execute 'delete from ${schema}.stream_entry e using gone g'
            ' where e.chain_id = coalesce(g.chain_id, g.run_id) and e.run_id = g.run_id and e.shard = g.shard';
    execute 'delete from ${schema}.stream_source s using gone g where s.run_id = g.run_id and s.shard = g.shard';
    execute 'delete from ${schema}.workflow_stream s using gone g'
            ' where s.chain_id = coalesce(g.chain_id, g.run_id) and s.shard = g.shard'
            '   and not exists (select from stream_entry e where e.chain_id = s.chain_id and e.name = s.name and e.shard = s.shard)'
            '   and not exists (select from run_state r where r.workflow_id = g.workflow_id'
            '                      and s.chain_id in (r.run_id, r.chain_id))';
    return null;
end $$;
revoke execute on function ${schema}.forget_runs() from public;

create trigger forget_runs after delete on ${schema}.workflow_run
    referencing old table as gone for each statement execute function ${schema}.forget_runs();

-- A user that may remove the history of a run removes the entries that the run has appended to streams with its last
-- event: they are payloads as those of the history are. EXECUTE, so that it is planned for the actual number of rows; the
-- limit keeps each run's events a look-up, where a join might read the whole history.
create function ${schema}.forget_entries() returns trigger
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
    execute 'delete from stream_entry e using ('
            '    select w.run_id, w.shard, coalesce(w.chain_id, w.run_id) as chain_id'
            '      from (select distinct run_id, shard from gone) g'
            '      join workflow_run w on w.run_id = g.run_id and w.shard = g.shard'
            '     where exists (select from workflow_stream s'
            '                    where s.chain_id = coalesce(w.chain_id, w.run_id) and s.shard = w.shard)'
            '       and (select h.event_id from history_event h where h.run_id = w.run_id and h.shard = w.shard limit 1) is null) g'
            ' where e.chain_id = g.chain_id and e.run_id = g.run_id and e.shard = g.shard';
    return null;
end $$;
revoke execute on function ${schema}.forget_entries() from public;

create trigger forget_entries after delete on ${schema}.history_event
    referencing old table as gone for each statement execute function ${schema}.forget_entries();

-- Streams, to which workflow code and activities of a chain append entries. chain_id: the run id of the chain's first run.
-- next_offset, bytes: the number and the size of all entries that were ever appended. Each append takes its offsets from
-- here, under the lock of the row and in the commit that writes the entries: a reader that has seen an offset has missed
-- no entry before it. The lock is the last one that a transaction takes, in the order of this key.
create table ${schema}.workflow_stream (
    chain_id    uuid     not null,
    next_offset bigint   not null,
    bytes       bigint   not null,
    shard       smallint not null,
    name        text collate "C" not null,
    primary key (chain_id, name, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);

-- The entries of streams, which are never changed. run_id: the run of the chain that appended the entry; partitioned by it
-- as history_event is, so that the entries of a run go with its history. bytes_before: the size of all entries before it.
-- seq, attempt: of the activity that appended it; null for workflow code.
create table ${schema}.stream_entry (
    chain_id     uuid        not null,
    run_id       uuid        not null,
    entry_offset bigint      not null,
    bytes_before bigint      not null,
    written_at   timestamptz not null,
    seq          integer,
    attempt      integer,
    shard        smallint    not null,
    name         text collate "C" not null,
    value        json        not null,
    primary key (chain_id, name, entry_offset, run_id, shard)
) partition by range (run_id);

-- Activities that append to streams, by which an append is recognised that is sent again because the reply to its COMMIT
-- was lost. lease, number: of the last append, counted from 0 under each lease. before: the number of entries that the
-- activity had appended under other leases. Written under the lock of the job; kept until the run is removed.
create table ${schema}.stream_source (
    run_id  uuid     not null,
    lease   uuid     not null,
    number  bigint   not null,
    before  bigint   not null,
    seq     integer  not null,
    shard   smallint not null,
    name    text collate "C" not null,
    primary key (run_id, seq, name, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);

-- A bound of a partition, from its text by pg_get_expr; null for a DEFAULT partition, which has none.
create function ${schema}.history_bound(bounds text, of_end boolean) returns uuid
    language sql immutable strict parallel safe
    return case when of_end and bounds like '%TO (MAXVALUE)' then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
                when not of_end and bounds like '%FROM (MINVALUE)%' then '00000000-0000-0000-0000-000000000000'
                when of_end then substring(bounds from E'TO \\(''([0-9a-f-]{36})''\\)')
                else substring(bounds from E'FROM \\(''([0-9a-f-]{36})''\\)') end::uuid;

-- Returns whether partitions of a table take every row from one id to another; one that is being detached does not count.
-- Each but the last ends where another begins.
create function ${schema}.has_history_partition(lowest uuid, beyond uuid,
                                                parent regclass default '${schema}.history_event') returns boolean
    language sql stable
    return not exists (
        with taken as (
            select ${schema}.history_bound(b.bounds, false) as first, ${schema}.history_bound(b.bounds, true) as after
              from pg_inherits i join pg_class c on c.oid = i.inhrelid
              cross join pg_get_expr(c.relpartbound, c.oid) b(bounds)
             where i.inhparent = parent and not i.inhdetachpending)
        select from (select lowest as id union all select t.after from taken t where t.after > lowest and t.after < beyond) p
         where not exists (select from taken t where t.first <= p.id and t.after > p.id));

-- Creates the missing monthly partitions of histories and streams from one time to another; returns how many it created
-- of history_event. Workers call it at start, every hour, and when a run finds none. It is SECURITY DEFINER, so that they
-- need no right to create tables, and it refuses times that are far from now, whoever calls it. A table that was detached
-- keeps its name, and the new one gets another. Partitions that a DBA created with other bounds stay, and the rest of
-- their months gets partitions. Beside a DEFAULT partition that has rows none is created: the server would read all of
-- that partition, under a lock that keeps every other transaction from it.
-- Locks: SHARE UPDATE EXCLUSIVE on both tables (ATTACH, not CREATE … PARTITION OF: reads and writes go on).
create function ${schema}.add_history_partitions(from_at timestamptz, until_at timestamptz) returns integer
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
    month     timestamp := date_trunc('month', from_at at time zone 'UTC');
    lowest    uuid;
    beyond    uuid;
    free      uuid;
    parent    text;
    whole     regclass;
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
        <<parents>>
        foreach parent in array array['history_event', 'stream_entry'] loop
            whole := format('${schema}.%I', parent)::regclass;
            continue when has_history_partition(lowest, beyond, whole);
            -- Two processes that start at once: the second waits here, then finds the partition. ATTACH takes the same lock.
            lock table only ${schema}.history_event, only ${schema}.stream_entry in share update exclusive mode;
            -- One whose DETACH CONCURRENTLY did not come to its end still takes the place of another.
            for other in
                select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent = whole and i.inhdetachpending
                   and history_bound(pg_get_expr(c.relpartbound, c.oid), false) < beyond
                   and history_bound(pg_get_expr(c.relpartbound, c.oid), true) > lowest loop
                execute format('alter table ${schema}.%I detach partition ${schema}.%I finalize', parent, other);
            end loop;
            for other in
                select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent = whole and pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' loop
                execute format('select exists (select from %s)', other) into has_rows;
                continue parents when has_rows;
            end loop;
            free := lowest;
            for taken in
                select b.first, b.after
                  from (select history_bound(pg_get_expr(c.relpartbound, c.oid), false) as first,
                               history_bound(pg_get_expr(c.relpartbound, c.oid), true) as after
                          from pg_inherits i join pg_class c on c.oid = i.inhrelid
                         where i.inhparent = whole
                        union all select beyond, beyond) b
                 where b.first <= beyond and b.after > lowest order by 1, 2 loop
                if free < taken.first then
                    name := parent || '_' || to_char(month, 'YYYY_MM');
                    other := name;
                    for copy in 2 .. 1000 loop
                        exit when not exists (select from pg_class c
                                               where c.relname = name and c.relnamespace = '${schema}'::regnamespace);
                        name := other || '_' || copy;
                    end loop;
                    execute format('create table ${schema}.%I (like ${schema}.%I including defaults)'
                        ' with (autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1)', name,
                        parent);
                    if parent = 'history_event' then
                        execute format('create trigger append_only before update or delete or truncate on ${schema}.%I'
                            ' for each statement execute function ${schema}.refuse_history_change()', name);
                        made := made + 1;
                    end if;
                    execute format('alter table ${schema}.%I attach partition ${schema}.%I'
                        ' for values from (%L) to (%L)', parent, name, free, taken.first);
                end if;
                free := greatest(free, taken.after);
            end loop;
        end loop;
        month := month + interval '1 month';
    end loop;
    return made;
end $$;
revoke execute on function ${schema}.add_history_partitions(timestamptz, timestamptz) from public;

-- ======================================================================================================================
-- Messages
-- ======================================================================================================================

-- Messages to a run, until the transition that turns them into events. Their order is (at, ord).
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

-- Answers of runs to updates. run_id: the first run of the chain. reply_id: of an answer the id that follows from the update's id; of a rejection the
-- message's. kind: 1 completed, 2 failed, 3 rejected, 4 the run had ended. Written by the transition that decides the
-- answer, deleted a day later.
create table ${schema}.reply (
    run_id   uuid        not null,
    reply_id uuid        not null,
    at       timestamptz not null,
    shard    smallint    not null,
    kind     smallint    not null,
    body     json,
    primary key (run_id, reply_id, shard)
);

create index reply_by_age on ${schema}.reply (at);

-- Messages of a transition, or of a caller's own transaction, to other runs. run_id is their source: the chain of runs
-- whose code sends them, which is the run id of its first run, or the caller's
-- process. event_id is their number in the source, by which they are delivered in order and once: of a chain the number
-- that the command in the history has, which counts on from one run of the chain to the next. source_workflow_id: the
-- workflow id of the sending run; null for a caller's transaction. new_run: the run to start, as JSON, if no run of the target workflow id is
-- open; null is a message for an open run only.
create table ${schema}.outbox (
    run_id             uuid        not null,
    event_id           bigint      not null,
    target_run_id      uuid,
    at                 timestamptz not null,
    kind               smallint    not null,
    shard              smallint    not null,
    target_workflow_id text collate "C" not null,
    source_workflow_id text collate "C",
    name               text        not null,
    payload            json        not null,
    new_run            json,
    primary key (run_id, event_id, shard)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- The orders to end children, which stand until they are carried out.
create index outbox_orders on ${schema}.outbox (run_id, event_id) where kind in (8, 9);

-- Messages of the outbox that the database refuses, with its reason, so that they do not hold up the others. An
-- operator has to look at them: resend_refused sends one again when its cause is mended; one that is not wanted any
-- more is deleted.
create table ${schema}.outbox_refused (
    run_id             uuid        not null,
    event_id           bigint      not null,
    target_run_id      uuid,
    at                 timestamptz not null,
    refused_at         timestamptz not null,
    kind               smallint    not null,
    shard              smallint    not null,
    target_workflow_id text collate "C" not null,
    source_workflow_id text collate "C",
    name               text        not null,
    payload            json        not null,
    sqlstate           text        not null,
    error              text        not null,
    new_run            json,
    primary key (run_id, event_id, shard)
);

create function ${schema}.resend_refused(source uuid, event bigint) returns boolean
    language sql set search_path = pg_catalog, pg_temp as $$
with gone as (delete from ${schema}.outbox_refused r where r.run_id = source and r.event_id = event returning r.*),
back as (
    insert into ${schema}.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, source_workflow_id,
           name, payload, new_run)
    select g.run_id, g.event_id, g.target_run_id, g.at, g.kind, g.shard, g.target_workflow_id, g.source_workflow_id,
           g.name, g.payload, g.new_run
      from gone g
    returning true)
select exists (select from back)
$$;

-- ======================================================================================================================
-- Activities
-- ======================================================================================================================

-- state: 0 ready, 1 delayed, 2 running, 3 dead, 4 paused (claimed by no worker), 5 external (left to the holder of its
-- token: it keeps its lease, no session has it), 6 incident, 7 waiting until its limit key lets it through. Dead
-- letters and incidents have buried_at and a fingerprint, and wait for an operator. A finished job is deleted in the
-- completing transition, as the history records it. rank: the time at which it became ready, less its priority, so that
-- the aging of priorities is the order of a plain index. begun: whether an attempt's body was called, or may have been.
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

-- Each scan of a claim is in one of these two orders, and matches it exactly.
create index activity_job_ready on ${schema}.activity_job (task_queue, rank) where state = 0;
create index activity_job_delayed on ${schema}.activity_job (task_queue, visible_at) where state = 1;
-- Jobs with a limit key only: those that wait for their key, those that have been let through, those that are delayed.
create index activity_job_waiting on ${schema}.activity_job (task_queue, limit_key, rank) where state = 7;
create index activity_job_admitted on ${schema}.activity_job (task_queue, limit_key) where limit_key is not null and state in (0, 2, 5);
create index activity_job_delayed_key on ${schema}.activity_job (task_queue, visible_at) where state = 1 and limit_key is not null;
-- The jobs of a session, and the sessions that hold jobs.
create index activity_job_running on ${schema}.activity_job (session) where state = 2;
-- Jobs left to holders of tokens, by the time of their timeout. Queries repeat this expression word for word.
create index activity_job_external on ${schema}.activity_job (least(deadline, silent_until, schedule_to_close_deadline))
    where state = 5;
-- Jobs that no worker runs, by the time of their timeout. Schedule-to-start is for a job that has never begun. A pause
-- stops neither timeout, as the workflow relies on them. Queries repeat this expression word for word.
create index activity_job_waiting_deadline on ${schema}.activity_job
    (least(schedule_to_close_deadline, case when not begun then schedule_to_start_deadline end))
    where state in (0, 1, 4, 7)
      and least(schedule_to_close_deadline, case when not begun then schedule_to_start_deadline end) is not null;
-- Jobs that are retried, paused, or waiting for an operator, in the order of listings.
create index activity_job_retried on ${schema}.activity_job (run_id, seq) where attempt > 1;
create index activity_job_paused on ${schema}.activity_job (run_id, seq) where state = 4;
-- Dead letters and incidents: by page, by failure, by age, and by the criteria of listings.
create index activity_job_buried on ${schema}.activity_job (fingerprint, buried_at) where state in (3, 6);
create index activity_job_buried_state on ${schema}.activity_job (state, run_id, seq) where state in (3, 6);
create index activity_job_buried_since on ${schema}.activity_job (state, buried_at) where state in (3, 6);
create index activity_job_buried_workflow on ${schema}.activity_job (workflow_id) where state in (3, 6);
create index activity_job_buried_activity on ${schema}.activity_job (activity, run_id, seq) where state in (3, 6);
create index activity_job_buried_queue on ${schema}.activity_job (task_queue, run_id, seq) where state in (3, 6);
create index activity_job_buried_type on ${schema}.activity_job (workflow_type, run_id, seq) where state in (3, 6);

-- The progress of a running attempt, in a narrow table of its own: updates stay HOT and never change the job's row.
create table ${schema}.activity_heartbeat (
    run_id  uuid        not null,
    at      timestamptz not null,
    seq     integer     not null,
    shard   smallint    not null,
    details json        not null,
    primary key (run_id, seq, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);

-- Background jobs of a batch: one row for each job. number: the number of its item, from 0. run_id: the last run that
-- was started at this place.
create table ${schema}.batch_job (
    batch  text collate "C" not null,
    number integer          not null,
    run_id uuid             not null,
    shard  smallint         not null,
    primary key (batch, number, shard)
);

-- ======================================================================================================================
-- Processes, and what operators set
-- ======================================================================================================================

-- A worker process. dead is never set back, and beat counts only while it is false. Lease: how long its beat may stand
-- still; the processes that watch it go by this, not by a lease of their own. queues, activities: the task queues and
-- activities that it serves. workflow_types: the names of the workflow types that it has; null where it takes any. build: the name of the build of the workflow code that it has; null where it names none.
create table ${schema}.session (
    id         uuid        not null primary key,
    beat       bigint      not null,
    started_at timestamptz not null,
    dead       boolean     not null,
    lease      interval    not null,
    identity   text        not null,
    queues     text[],
    activities text[],
    workflow_types text[],
    build      text collate "C"
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);

-- Limits and pauses of a task queue; null is no limit, and a queue without a row has none. A queue with a limit of its
-- own (not only of its keys) is claimed by one worker at a time, under the lock of this row. recent_starts: how many
-- jobs began in which 50 ms of the last second ("34028:3 34029:1"), for the rate.
create table ${schema}.queue (
    task_queue          text        not null primary key,
    resume_at           timestamptz,
    concurrency         integer,
    rate_per_second     integer,
    max_depth           integer,
    key_concurrency     integer,
    key_rate_per_second integer,
    paused              boolean     not null default false,
    recent_starts       text        not null default ''
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);

-- One row for each task queue with limit keys, inserted when it is first needed. The process that has it locked lets
-- the jobs through that wait for their keys. The lock of a row needs a right; an advisory lock would need none.
create table ${schema}.admission (
    task_queue text collate "C" not null primary key
);

-- The starts of the last second by limit key, for queues with a rate per key; in any order.
create table ${schema}.limit_key_start (
    task_queue text collate "C" not null,
    limit_key  text collate "C" not null,
    last_at    timestamptz      not null,
    starts     timestamptz[]    not null,
    primary key (task_queue, limit_key)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);

-- Places under limits that are still taken although their jobs no longer run: one row for each body that may go on,
-- under the lease of its attempt; only for jobs with a limit key, and of queues with a concurrency. It counts while its
-- session lives and until kept_until; its worker deletes it when the body has ended.
create table ${schema}.kept_place (
    lease      uuid        not null primary key,
    session    uuid        not null,
    kept_until timestamptz not null,
    task_queue text collate "C" not null,
    limit_key  text collate "C"
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);
create index kept_place_queue on ${schema}.kept_place (task_queue, limit_key);

-- Activities of which no worker begins a job, in any queue. activity: a name (Payments.charge), or a type (Payments)
-- for all its methods. resume_at: the time at which the pause ends by itself.
create table ${schema}.activity_pause (
    activity  text collate "C" not null primary key,
    resume_at timestamptz
);

-- The share in percent of the unpinned runs that a build gets, whatever their task queue. set_at orders the ramps: the one
-- that was set last comes first.
create table ${schema}.build_ramp (
    build   text collate "C" not null primary key,
    percent smallint    not null,
    set_at  timestamptz not null
);

-- The last alert of each failure, so that one failure of ten thousand jobs is one alert. told_until: the alert has
-- covered the dead letters and incidents up to then.
create table ${schema}.alert (
    at          timestamptz not null,
    told_until  timestamptz not null,
    fingerprint text        not null primary key
) with (autovacuum_vacuum_threshold = 100);

-- The actions of operators. The table only grows, except by purge_audit, which identifies itself to the trigger.
create table ${schema}.audit (
    id      uuid        not null primary key,
    at      timestamptz not null,
    actor   text        not null,
    action  text        not null,
    target  text        not null,
    details json        not null
);
create index audit_by_time on ${schema}.audit (at);

create function ${schema}.refuse_audit_change() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $$
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

-- Deletes older rows, and records that in the audit; returns how many rows were deleted. Rows younger than a day are
-- kept, because a failure that the holder of a token reports again is recognised by them.
create function ${schema}.purge_audit(before timestamptz) returns bigint
    language plpgsql security definer set search_path = ${schema}, pg_temp set quote_all_identifiers = off as $$
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

-- ======================================================================================================================
-- Whose work stands here
-- ======================================================================================================================

-- The identity of this database. system_id: null if the server does not reveal it. A failover, another address and
-- another timeline do not change it; a copy by CREATE DATABASE has another database_id, a restored dump another
-- system_id. pg_upgrade makes a new system_id, and keeps database_id and table_ids (a restored dump creates its tables
-- in another order).
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

-- One row. name: the name that processes give their installation; null if none has given one yet. system_id to
-- database: the database in which it was created or adopted, or to which its name has moved. frozen: no process may
-- work. channel: the name of the channel by which processes of this schema notify each other of work. A user that may
-- read it may send and listen there. It may be changed at any time: processes read it every ten seconds.
create table ${schema}.installation (
    only_one    boolean     not null primary key check (only_one),
    name        text,
    system_id   text,
    database_id bigint      not null,
    table_ids   text        not null,
    server      integer     not null,
    database    text        not null,
    since       timestamptz not null,
    frozen      boolean     not null default false,
    channel     text        not null default 'durable_' || replace(gen_random_uuid()::text, '-', '')
);
insert into ${schema}.installation (only_one, system_id, database_id, table_ids, server, database, since)
select true, h.system_id, h.database_id, h.table_ids, h.server, h.database, ${schema}.clock() from ${schema}.this_database() h;

-- Returns whether a process that gives its installation this name may work here: OWN, or the reason why not. If there
-- is a name, it alone decides; otherwise the database does. The first name that a process gives in the database where
-- the installation was created becomes the installation's name; if the name is right and the database is another one,
-- the new database is recorded. Both are written into the audit. A copy in which there was never a run, such as a
-- template for databases of tests, belongs to no installation, and becomes one of its own.
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

-- ======================================================================================================================
-- Functions of operators
-- ======================================================================================================================

-- What an operator does by psql to one run: signal, cancel, terminate, pause, resume, retry. Each writes a row of the
-- audit, nudges the workers with the commit, and returns the id of the run. The first three are messages of the outbox,
-- which a worker delivers as it delivers those of a caller's transaction: a session that leaves its transaction open
-- locks no run. The others change the row of the run, which stays locked until the session commits. All of them are
-- SECURITY DEFINER, so that an operator needs no right to write a table, and are called by ${name}_operator only.

-- Checks what an operator has said, and returns the open run that is meant, locked against its holder if it is to be
-- changed.
create function ${schema}.operated_run(verb text, target text, actor text, reason text, only_run uuid, locks boolean,
                                       out run_id uuid, out chain_id uuid, out fence uuid, out shard smallint,
                                       out task_queue text, out type text, out paused boolean, out stalled boolean)
    language plpgsql set search_path = ${schema}, pg_temp set standard_conforming_strings = on as $$
#variable_conflict use_column
declare
    unfit  constant text := '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]';
    called constant text := format('%s(%L)', verb, target);
    latest record;
begin
    if target is null then
        raise exception using
            errcode = '22023',
            message = format('%s: the workflow id is null', verb),
            hint = 'Usual cause: a subselect that found no row. Look for the run in v_workflow first.';
    end if;
    if coalesce(btrim(actor), '') = '' or actor <> btrim(actor) or length(actor) > 200 or actor ~ unfit then
        raise exception using
            errcode = '22023',
            message = format('%s: the actor %L is no name of 1 to 200 visible characters', called, actor),
            hint = 'The audit shows it. Say who acts: actor => ''ann''; without an actor it is the login.';
    end if;
    if reason is null or octet_length(reason) > 4096 or translate(reason, E'\t\n\r', '') ~ '[\u0001-\u001f\u007f-\u009f]' then
        raise exception using
            errcode = '22023',
            message = format('%s: the reason is %s', called, case when reason is null then 'null'
                             when octet_length(reason) > 4096 then octet_length(reason) || ' bytes, the limit is 4096'
                             else 'a text with control characters other than tabs and line breaks' end),
            hint = 'It stands in the history and in the audit. Say it in a sentence: reason => ''the customer called''.';
    end if;
    if (select i.frozen from installation i) then
        raise exception using
            errcode = '55000',
            message = format('%s: this installation is frozen, no worker would carry it out', called),
            hint = 'It is the copy of another database. Adopt it first, as its owner: docs/clones.md.';
    end if;
    if locks then
        select s.run_id, s.chain_id, s.fence, s.shard, s.task_queue, s.type, s.paused, s.stalled_by is not null
          into run_id, chain_id, fence, shard, task_queue, type, paused, stalled
          from run_state s
         where s.workflow_id = target and (only_run is null or only_run in (s.run_id, s.chain_id)) for no key update;
    else
        select s.run_id, s.chain_id, s.fence, s.shard, s.task_queue, s.type, s.paused, s.stalled_by is not null
          into run_id, chain_id, fence, shard, task_queue, type, paused, stalled
          from run_state s
         where s.workflow_id = target and (only_run is null or only_run in (s.run_id, s.chain_id));
    end if;
    if run_id is null then
        select w.run_id, w.status, w.closed_at into latest
          from workflow_run w where w.workflow_id = target order by w.started_at desc limit 1;
        raise exception using
            errcode = 'P0002',
            message = format('%s: there is no open run of workflow id %L', called, target)
                || case when only_run is null then '' else ' with run id ' || only_run end
                || case when latest.run_id is null then ', and there was none'
                        when latest.closed_at is null then ''
                        else format(': its latest run, %s, is %s since %s', latest.run_id, latest.status, latest.closed_at) end,
            hint = 'Usual cause: it has closed already, or the id is another one. Look for it in v_workflow.';
    end if;
    if type = 'durable.job' and verb in ('signal', 'pause', 'resume') then
        raise exception using
            errcode = '22023',
            message = format('%s: it is a background job, which takes no signal, and whose run has no code to pause', called),
            hint = 'Call client.job(id).control() in Java: its pause() holds the job.';
    end if;
end $$;
revoke execute on function ${schema}.operated_run(text, text, text, text, uuid, boolean) from public;

-- Writes the audit's row of an operator's function, and nudges the workers: they hear it when the session commits. The
-- sender of the nudge is the same text each time, so that a transaction with many of them sends one.
create function ${schema}.note_operated(action text, target text, run uuid, actor text, reason text, nudge text) returns void
    language sql set search_path = ${schema}, pg_temp as $$
insert into audit (id, at, actor, action, target, details)
values (gen_random_uuid(), clock(), actor, action, target,
        ('{"runId":"' || run || '","reason":' || to_json(reason) || '}')::json);
select pg_notify(i.channel, 'sql' || chr(10) || nudge) from installation i;
$$;
revoke execute on function ${schema}.note_operated(text, text, uuid, text, text, text) from public;

-- Puts a message for a run into the outbox. Its source is the session, its number the time in microseconds: messages of
-- a session to one run are delivered in the order in which they were sent. The number follows clock_timestamp, as a
-- statement may send many.
create function ${schema}.send_operated(kind smallint, target text, run uuid, shard smallint, name text, payload json)
    returns void
    language sql set search_path = ${schema}, pg_temp as $$
with source as (
    select overlay(md5('session ' || pg_backend_pid()) placing lpad(to_hex(shard * 4), 3, '0') from 14 for 3)::uuid as id)
insert into outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload)
select s.id,
       greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint,
                (select max(o.event_id) + 1 from outbox o where o.run_id = s.id)),
       run, clock(), kind, shard, target, name, payload
  from source s;
$$;
revoke execute on function ${schema}.send_operated(smallint, text, uuid, smallint, text, json) from public;

-- Sends a signal. input: the arguments of the handler, as a JSON array.
create function ${schema}.signal(workflow_id text, signal text, input jsonb default '[]', actor text default session_user,
                                 reason text default 'no reason given', run_id uuid default null) returns uuid
    language plpgsql security definer set search_path = ${schema}, pg_temp set standard_conforming_strings = on as $$
#variable_conflict use_column
declare
    run      record;
    brackets text;
begin
    run := operated_run('signal', signal.workflow_id, signal.actor, signal.reason, signal.run_id, false);
    if coalesce(btrim(signal.signal), '') = '' or signal.signal <> btrim(signal.signal) or length(signal.signal) > 200
        or signal.signal ~ '[\u0001-\u001f\u007f-\u009f]' then
        raise exception using
            errcode = '22023',
            message = format('signal(%L): %L is no name of a signal', signal.workflow_id, signal.signal),
            hint = 'It is the name of the @Signal method, such as approve.';
    end if;
    if signal.input is null or jsonb_typeof(signal.input) <> 'array' then
        raise exception using
            errcode = '22023',
            message = format('signal(%L, %L): the input is %s, not a JSON array', signal.workflow_id, signal.signal,
                             coalesce(jsonb_typeof(signal.input), 'null')),
            hint = 'It has the arguments of the handler in their order: ''["ann"]'', or ''[]'' for none.';
    end if;
    brackets := regexp_replace(signal.input::text, '"(?:[^"\\]|\\.)*"', '', 'g');
    brackets := translate(regexp_replace(brackets, '[^][{}]+', '', 'g'), '{}', '[]');
    for level in 1 .. 450 loop
        exit when brackets = '';
        brackets := replace(brackets, '[]', '');
    end loop;
    if brackets <> '' or octet_length(signal.input::text) > 2097152 then
        raise exception using
            errcode = '22023',
            message = format('signal(%L, %L): the input is %s bytes%s', signal.workflow_id, signal.signal,
                             octet_length(signal.input::text),
                             case when brackets <> '' then ', nested deeper than 450 levels' else ', the limit is 2 MiB' end),
            hint = 'Store it in a table and send its key: each replay of the run reads its signals again.';
    end if;
    perform send_operated(1::smallint, signal.workflow_id, signal.run_id, run.shard, signal.signal, signal.input::json);
    perform note_operated('signal run', signal.workflow_id, run.run_id, signal.actor, signal.reason, 'o');
    return run.run_id;
end $$;
revoke execute on function ${schema}.signal(text, text, jsonb, text, text, uuid) from public;

-- Asks a run to cancel: its code is told, and may compensate.
create function ${schema}.cancel(workflow_id text, actor text default session_user, reason text default 'no reason given',
                                 run_id uuid default null) returns uuid
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
#variable_conflict use_column
declare
    run record;
begin
    run := operated_run('cancel', cancel.workflow_id, cancel.actor, cancel.reason, cancel.run_id, false);
    perform send_operated(2::smallint, cancel.workflow_id, cancel.run_id, run.shard, 'WorkflowCancelRequested',
                          ('{"reason":' || to_json(cancel.reason) || ',"by":' || to_json(cancel.actor) || '}')::json);
    perform note_operated('cancel run', cancel.workflow_id, run.run_id, cancel.actor, cancel.reason, 'o');
    return run.run_id;
end $$;
revoke execute on function ${schema}.cancel(text, text, text, uuid) from public;

-- Orders a run to be terminated: a worker closes it, with the notes of its activities, and none of its code runs. The
-- order is for the chain of the run, so it also ends a run that continues it meanwhile.
create function ${schema}.terminate(workflow_id text, actor text default session_user,
                                    reason text default 'no reason given', run_id uuid default null) returns uuid
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
#variable_conflict use_column
declare
    run record;
begin
    run := operated_run('terminate', terminate.workflow_id, terminate.actor, terminate.reason, terminate.run_id, false);
    perform send_operated(8::smallint, terminate.workflow_id,
                          coalesce(terminate.run_id, run.chain_id, run.run_id), run.shard, 'Terminate',
                          ('{"reason":' || to_json(terminate.reason) || ',"by":' || to_json(terminate.actor) || '}')::json);
    perform note_operated('terminate run', terminate.workflow_id, run.run_id, terminate.actor, terminate.reason, 'o');
    return run.run_id;
end $$;
revoke execute on function ${schema}.terminate(text, text, text, uuid) from public;

-- Pauses or resumes a run: one event under a new fence, so that the process that has the run can't go on. Nothing is
-- written where the run is in that state already.
create function ${schema}.set_paused(verb text, wanted boolean, target text, actor text, reason text, only_run uuid)
    returns uuid
    language plpgsql set search_path = ${schema}, pg_temp set standard_conforming_strings = on as $$
declare
    run  record;
    next bigint;
begin
    run := operated_run(verb, target, actor, reason, only_run, true);
    if run.paused = wanted then
        return run.run_id;
    end if;
    update run_state s
       set paused = wanted, closing = false, fence = gen_random_uuid(), owned_until = null, next_event_id = s.next_event_id + 1
     where s.run_id = run.run_id and s.shard = run.shard
    returning s.next_event_id - 1, s.fence into next, run.fence;
    insert into history_event (run_id, event_id, at, fence, shard, type, attributes)
    values (run.run_id, next,
            greatest(clock(), (select l.at from history_event l where l.run_id = run.run_id and l.shard = run.shard
                                order by l.event_id desc limit 1)),
            run.fence, run.shard, case when wanted then 'WorkflowPaused' else 'WorkflowResumed' end,
            ('{"informing":true,' || case when wanted then '"reason":' || to_json(reason) || ',' else '' end
             || '"by":' || to_json(actor) || '}')::json);
    perform note_operated(verb || ' run', target, run.run_id, actor, reason,
                          'r ' || regexp_replace(encode(convert_to(run.task_queue, 'UTF8'), 'hex'), '(..)', '%\1', 'g'));
    return run.run_id;
end $$;
revoke execute on function ${schema}.set_paused(text, boolean, text, text, text, uuid) from public;

create function ${schema}.pause(workflow_id text, actor text default session_user, reason text default 'no reason given',
                                run_id uuid default null) returns uuid
    language sql security definer set search_path = ${schema}, pg_temp set lock_timeout = '10s' as $$
select set_paused('pause', true, pause.workflow_id, pause.actor, pause.reason, pause.run_id)
$$;
revoke execute on function ${schema}.pause(text, text, text, uuid) from public;

create function ${schema}.resume(workflow_id text, actor text default session_user, reason text default 'no reason given',
                                 run_id uuid default null) returns uuid
    language sql security definer set search_path = ${schema}, pg_temp set lock_timeout = '10s' as $$
select set_paused('resume', false, resume.workflow_id, resume.actor, resume.reason, resume.run_id)
$$;
revoke execute on function ${schema}.resume(text, text, text, uuid) from public;

-- Lets a worker try a stalled run now, whatever is left of its back-off.
create function ${schema}.retry(workflow_id text, actor text default session_user, reason text default 'no reason given',
                                run_id uuid default null) returns uuid
    language plpgsql security definer set search_path = ${schema}, pg_temp set standard_conforming_strings = on
    set lock_timeout = '10s' as $$
#variable_conflict use_column
declare
    run record;
begin
    run := operated_run('retry', retry.workflow_id, retry.actor, retry.reason, retry.run_id, true);
    if not run.stalled then
        raise exception using
            errcode = '55000',
            message = format('retry(%L): the run %s is not stalled', retry.workflow_id, run.run_id),
            hint = 'v_activity shows activities that wait for a retry; client.activities() retries them.';
    end if;
    update run_state s set not_before = null where s.run_id = run.run_id and s.shard = run.shard;
    perform note_operated('retry run', retry.workflow_id, run.run_id, retry.actor, retry.reason,
                          'r ' || regexp_replace(encode(convert_to(run.task_queue, 'UTF8'), 'hex'), '(..)', '%\1', 'g'));
    return run.run_id;
end $$;
revoke execute on function ${schema}.retry(text, text, text, uuid) from public;

-- ======================================================================================================================
-- The read model: views for people, reports and joins with the application's own tables. Stable: columns are added, never changed.
-- ======================================================================================================================

-- Returns whether a JSON text is nested deeper than 1,064 levels, at which the stack may not suffice. (A text with more
-- than a thousand values with more than 64 levels below them counts as deep as well. Durable writes and reads 500
-- levels.) Each round removes the innermost brackets, until the remaining ones can't be deep.
create function ${schema}.is_deep(value text) returns boolean
    language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
    brackets text;
begin
    if octet_length(value) <= 2000 or octet_length(value) - octet_length(translate(value, '[{', '')) <= 1000 then
        return false;
    end if;
    brackets := regexp_replace(value, '"(?:[^"\\]|\\.)*"', '', 'g');
    brackets := translate(regexp_replace(brackets, '[^][{}]+', '', 'g'), '{}', '[]');
    for round in 1 .. 64 loop
        exit when octet_length(brackets) <= 2000;
        brackets := replace(brackets, '[]', '');
    end loop;
    return octet_length(brackets) > 2000;
end $$;

-- Converts json for reading with jsonb's operators. Payloads may contain text that jsonb and ->> refuse (\u0000,
-- unpaired surrogates, numbers out of range): a view must not fail because of one row, so those characters become
-- \ufffd, and a value that is still refused is returned as one string. Numbers with an exponent of 90 or more stay as
-- they are written, as strings: jsonb would show all their digits. PostgreSQL 16 can test whether a text is refused,
-- without an exception handler.
create function ${schema}.readable(value json) returns jsonb
    language plpgsql immutable strict parallel unsafe set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
    mended text := value::text;
begin
    if octet_length(mended) > 2000 and ${schema}.is_deep(mended) then
        return to_jsonb(mended);
    end if;
    if mended ~ '[0-9][eE][+-]?0*(9[0-9]|[1-9][0-9][0-9])' then
        -- Where this is the inside of a string, what comes of it is no JSON, and the whole is shown as one string.
        mended := regexp_replace(mended,
            '(^\s*|[\[,:]\s*)(-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*(?:9[0-9]|[1-9][0-9][0-9]+))(?=\s*(?:[],}]|$))',
            '\1"\2"', 'g');
    end if;
    if current_setting('server_version_num')::integer >= 160000 then
        if pg_input_is_valid(mended, 'jsonb') then
            return mended::jsonb;
        end if;
        mended := regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g');
        return case when pg_input_is_valid(mended, 'jsonb') then mended::jsonb else to_jsonb(value::text) end;
    end if;
    begin
        return mended::jsonb;
    exception when others then
        begin
            return regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
        exception when others then
            return to_jsonb(value::text);
        end;
    end;
end $$;

-- The sequence number of an activity's or timer's event; null if there is none. It is the first member, and is read as
-- text, because even -> refuses a text with \u0000 anywhere in it.
create function ${schema}.seq_of(attributes json) returns integer
    language sql immutable strict parallel unsafe
    return coalesce(substring(attributes::text from E'^\\s*\\{\\s*"seq"\\s*:\\s*(\\d{1,9})\\s*[,}]'),
                    substring(${schema}.readable(attributes) ->> 'seq' from E'^\\d{1,9}$'))::integer;

-- A function with an exception handler is refused in a parallel plan up to PostgreSQL 15; on newer servers the handler
-- is not reached. A server that was upgraded from 14 or 15 goes on without parallel plans there.
do $parallel$
declare
    safety text := case when current_setting('server_version_num')::integer >= 160000 then 'safe' else 'unsafe' end;
begin
    execute 'alter function ${schema}.readable(json) parallel ' || safety;
    execute 'alter function ${schema}.seq_of(json) parallel ' || safety;
end $parallel$;

-- The elements of an array of informing events, as text; a value that is no array counts as one element.
create function ${schema}.events_in(value json) returns text
    language sql immutable parallel safe
    return case when octet_length(value::text) > 2000 and ${schema}.is_deep(value::text) then to_json(value::text)::text
                when value::text ~ E'^\\s*\\[' then substring(value::text from E'^\\s*\\[(.*)\\]\\s*$')
                else value::text end;

-- Joins two arrays of informing events: the notes of the job's worker, and those that orders have added since its
-- claim. They are joined as text, without reading the events. Empty or null is no event; a value that is no array
-- counts as an event, and so does an array that is nested too deep to be read, so that a claim that reads it with other
-- jobs goes on.
create function ${schema}.joined(first json, second json) returns json
    language sql immutable parallel safe
    return case when first is null or first::text = '[]' then second
            when second is null or second::text = '[]' then first
            when first::text ~ E'^\\s*\\[\\s*\\]\\s*$' then second
            when second::text ~ E'^\\s*\\[\\s*\\]\\s*$' then first
            else ('[' || ${schema}.events_in(first) || ',' || ${schema}.events_in(second) || ']')::json end;

-- One row for each run.
create view ${schema}.v_workflow as
select w.workflow_id, w.run_id, w.type, w.task_queue, w.status,
       s.stalled_by is not null as stalled, s.stalled_by,
       w.started_at, w.closed_at, ${schema}.readable(w.memo) as memo,
       (select ${schema}.readable(e.attributes) -> 'input' from ${schema}.history_event e
         where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) as input,
       ${schema}.readable(w.result) as result, ${schema}.readable(w.failure) as failure,
       ${schema}.readable(w.failure) ->> 'message' as failure_message,
       (select max(e.event_id) from ${schema}.history_event e where e.run_id = w.run_id and e.shard = w.shard) as history_length,
       (select count(*) from ${schema}.inbox i where i.run_id = w.run_id and i.shard = w.shard) as waiting_messages,
       s.wake_at as next_wake_at, s.owned_until, s.last_session, s.deadline,
       (select ${schema}.readable(e.attributes) ->> 'startedBy' from ${schema}.history_event e
         where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) as started_by,
       coalesce(s.paused, false) as paused, coalesce(w.chain_id, w.run_id) as first_run_id, w.previous_run_id, w.next_run_id,
       coalesce(w.attempt, 1) as attempt, w.details, w.parent_workflow_id, w.parent_chain as parent_run_id,
       w.root_chain as root_run_id, s.build, s.pinned_to
  from ${schema}.workflow_run w
  left join ${schema}.run_state s on s.run_id = w.run_id and s.shard = w.shard;

-- One row for each event: where workflow_id = 'order-42' order by run_id, event_id. It reads run by run, whatever the
-- planner's guesses about the sizes of tables; a range of times is a range of run ids:
-- where run_id >= run_id_at(now() - interval '1 hour').
create view ${schema}.v_history as
select w.workflow_id, w.run_id, e.event_id, e.at, e.type, ${schema}.readable(e.attributes) as attributes, e.message_id
  from ${schema}.workflow_run w
 cross join lateral (
        select e.event_id, e.at, e.type, e.attributes, e.message_id from ${schema}.history_event e
         where e.run_id = w.run_id and e.shard = w.shard order by e.event_id offset 0) e;

-- One row for each activity that was ever scheduled, run by run. The events of a run are read once: those that
-- scheduled and ended an activity, and the informing ones between, which for an open activity are still in its job.
create view ${schema}.v_activity as
select w.workflow_id, w.run_id, a.seq, a.scheduled ->> 'activity' as activity,
       a.scheduled ->> 'taskQueue' as task_queue,
       case when a.ended_type is not null
                then lower(regexp_replace(substr(a.ended_type, 9), '(.)([A-Z])', E'\\1_\\2', 'g'))
            when job.state = 0 then 'ready' when job.state = 1 then 'delayed'
            when job.state = 2 then 'running' when job.state = 3 then 'dead'
            when job.state = 4 then 'paused' when job.state = 5 then 'external'
            when job.state = 6 then 'incident'
            when job.state = 7 then 'waiting'
            when w.closed_at is not null then 'abandoned' else 'ended' end as state,
       a.scheduled_at, job.claimed_at as started_at, a.ended_at, job.visible_at as due_at,
       coalesce(job.attempt, substring(a.ended ->> 'attempt' from E'^\\d{1,9}$')::integer, a.last_attempt) as attempt,
       job.crashes, job.session, job.cancel_requested,
       case when job.run_id is not null then job.last_failure
            when a.last_failure is not null
                then concat_ws(': ', a.last_failure ->> 'type', a.last_failure ->> 'message') end as last_failure,
       a.scheduled -> 'input' as input, a.ended -> 'result' as result, a.ended -> 'failure' as failure,
       case when job.run_id is not null then ${schema}.readable(${schema}.joined(job.notes, job.operator_notes))
            else a.notes end as notes,
       case when job.run_id is not null then ${schema}.readable(heartbeat.details)
            else coalesce(a.ended -> 'lastHeartbeatDetails', a.abandoned -> 'lastHeartbeatDetails') end
           as heartbeat_details,
       heartbeat.at as heartbeat_at
  from ${schema}.workflow_run w
 cross join lateral (
        select e.seq, min(e.at) filter (where e.schedules) as scheduled_at,
               (array_agg(case when e.type = 'ActivityScheduled' then e.attributes
                               else (e.attributes -> 'local') || jsonb_build_object('taskQueue', w.task_queue) end)
                   filter (where e.schedules))[1] as scheduled,
               max(e.type) filter (where e.ends) as ended_type,
               max(e.at) filter (where e.ends) as ended_at,
               (array_agg(e.attributes) filter (where e.ends))[1] as ended,
               max(substring(e.attributes ->> 'attempt' from E'^\\d{1,9}$')::integer) filter (where e.tells) as last_attempt,
               (array_agg(e.attributes -> 'failure' order by e.event_id desc)
                   filter (where e.tells and e.attributes -> 'failure' is not null))[1] as last_failure,
               jsonb_agg(jsonb_build_object('type', e.type, 'at', e.at, 'attributes', e.attributes) order by e.event_id)
                   filter (where e.tells and e.type <> 'ActivityAbandoned') as notes,
               (array_agg(e.attributes order by e.event_id desc) filter (where e.type = 'ActivityAbandoned'))[1]
                   as abandoned
          from (select e.*, e.type = 'ActivityScheduled' or e.ends and e.attributes -> 'local' is not null as schedules,
                       e.type <> 'ActivityScheduled' and not e.ends as tells
                  from (select e.event_id, e.at, e.type, ${schema}.seq_of(e.attributes) as seq,
                               ${schema}.readable(e.attributes) as attributes,
                               e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')
                                   as ends
                          from ${schema}.history_event e
                         where e.run_id = w.run_id and e.shard = w.shard
                           and e.type in ('ActivityScheduled', 'ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut',
                                          'ActivityCancelled', 'ActivityAttemptFailed', 'ActivityTimeoutUpdated',
                                          'ActivityOptionsUpdated', 'ActivityOperated', 'IncidentRaised',
                                          'IncidentResolved', 'ActivityAbandoned')
                        offset 0) e) e
         group by e.seq having bool_or(e.schedules)) a
  left join lateral (
        select j.* from ${schema}.activity_job j
         where j.run_id = w.run_id and j.seq = a.seq and j.shard = w.shard offset 0) job on true
  left join lateral (
        select h.details, h.at from ${schema}.activity_heartbeat h
         where h.run_id = job.run_id and h.seq = job.seq and h.shard = job.shard offset 0) heartbeat on true;

-- One row for each task queue that contains jobs or due runs, or has a setting. Counts of jobs and of due runs stop at
-- 10,000, and oldest_ready_at is that of the first 10,000 to be begun; with more than 10,000 open runs open_runs is an
-- estimate from a sample. at_least: whether one of the numbers is such a bound or estimate.
create view ${schema}.v_queue as
with recursive ready(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 0 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 0 and j.task_queue > q.task_queue order by 1 limit 1)
          from ready q where q.task_queue is not null),
    delayed(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 1 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 1 and j.task_queue > q.task_queue order by 1 limit 1)
          from delayed q where q.task_queue is not null),
    waiting(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 7 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 7 and j.task_queue > q.task_queue order by 1 limit 1)
          from waiting q where q.task_queue is not null),
    buried(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state in (3, 6) order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state in (3, 6) and j.task_queue > q.task_queue order by 1 limit 1)
          from buried q where q.task_queue is not null),
    due(task_queue) as (
        (select s.task_queue from ${schema}.run_state s where s.wake_at is not null and s.pinned_to is null
          order by 1 limit 1)
        union all
        select (select s.task_queue from ${schema}.run_state s
                 where s.wake_at is not null and s.pinned_to is null and s.task_queue > q.task_queue order by 1 limit 1)
          from due q where q.task_queue is not null),
    running(task_queue, jobs) as (
        select j.task_queue, count(*)
          from (select j.task_queue from ${schema}.activity_job j where j.state = 2
                union all
                select j.task_queue from ${schema}.activity_job j where j.state = 5) j
         group by j.task_queue),
    runs(times) as (
        select greatest(c.reltuples / 10000, 1) from pg_catalog.pg_class c where c.oid = '${schema}.run_state'::regclass),
    opened(task_queue, runs) as (
        select s.task_queue, round(count(*) * (select r.times from runs r))::bigint
          from ${schema}.run_state s tablesample system ((select 100 / r.times from runs r)) group by s.task_queue),
    named(task_queue) as (
        select task_queue from ready union select task_queue from delayed union select task_queue from waiting
        union select task_queue from buried union select task_queue from due union select task_queue from running
        union select task_queue from opened union select q.task_queue from ${schema}.queue q)
select n.task_queue, r.jobs as ready, d.jobs as delayed, coalesce(busy.jobs, 0) as running, b.jobs as dead,
       least(r.oldest, w.oldest) as oldest_ready_at, coalesce(o.runs, 0) as open_runs, due_runs.runs as due_runs,
       coalesce(q.paused and (q.resume_at is null or q.resume_at > ${schema}.clock()), false) as paused,
       w.jobs as waiting,
       greatest(r.jobs, d.jobs, w.jobs, b.jobs, due_runs.runs) >= 10000 or (select times from runs) > 1 as at_least
  from named n
 cross join lateral (
        select count(*) as jobs, min(since) as oldest
          from (select j.rank + j.priority * interval '10 s' as since from ${schema}.activity_job j
                 where j.state = 0 and j.task_queue = n.task_queue order by j.rank limit 10000) j) r
 cross join lateral (
        select count(*) as jobs, min(since) as oldest
          from (select j.rank + j.priority * interval '10 s' as since from ${schema}.activity_job j
                 where j.state = 7 and j.task_queue = n.task_queue limit 10000) j) w
 cross join lateral (
        select count(*) as jobs
          from (select from ${schema}.activity_job j
                 where j.state = 1 and j.task_queue = n.task_queue order by j.visible_at limit 10000) j) d
 cross join lateral (
        select count(*) as jobs
          from (select from ${schema}.activity_job j
                 where j.state in (3, 6) and j.task_queue = n.task_queue limit 10000) j) b
 cross join lateral (
        select count(*) as runs
          from (select from ((select from ${schema}.run_state s
                               where s.task_queue = n.task_queue and s.wake_at <= ${schema}.clock() and s.pinned_to is null
                               order by s.wake_at limit 10000)
                             union all
                             (select from ${schema}.run_state s
                               where s.task_queue = n.task_queue and s.wake_at <= ${schema}.clock()
                                 and s.pinned_to is not null
                               limit 10000)) s limit 10000) s) due_runs
  left join running busy on busy.task_queue = n.task_queue
  left join opened o on o.task_queue = n.task_queue
  left join ${schema}.queue q on q.task_queue = n.task_queue
 where n.task_queue is not null;

-- Jobs whose attempts or whose workers' crashes are used up, until they are resolved or purged: their runs wait.
-- attempt is the one that was made last: the job's row has the number of the next one, or after the death of a worker,
-- which uses no attempt, the number of the same one.
create view ${schema}.v_dead_letter as
select j.workflow_id, j.run_id, j.seq, j.workflow_type, j.activity, j.task_queue,
       case when j.crashes > j.max_crashes then j.attempt else j.attempt - 1 end as attempt, j.crashes, j.last_failure,
       j.scheduled_at, ${schema}.readable(j.input) as input, ${schema}.readable(${schema}.joined(j.notes, j.operator_notes)) as notes,
       ${schema}.readable(h.details) as heartbeat_details, j.buried_at as since, j.fingerprint
  from ${schema}.activity_job j
  left join ${schema}.activity_heartbeat h on h.run_id = j.run_id and h.seq = j.seq and h.shard = j.shard
 where j.state = 3;

-- Jobs whose attempts or whose workers' crashes are used up, and that are never purged.
create view ${schema}.v_incident as
select j.workflow_id, j.run_id, j.seq, j.workflow_type, j.activity, j.task_queue,
       case when j.crashes > j.max_crashes then j.attempt else j.attempt - 1 end as attempt, j.crashes, j.last_failure,
       j.scheduled_at, ${schema}.readable(j.input) as input, ${schema}.readable(${schema}.joined(j.notes, j.operator_notes)) as notes,
       ${schema}.readable(h.details) as heartbeat_details, j.buried_at as since, j.fingerprint
  from ${schema}.activity_job j
  left join ${schema}.activity_heartbeat h on h.run_id = j.run_id and h.seq = j.seq and h.shard = j.shard
 where j.state = 6;

-- ======================================================================================================================
-- Why a run waits
-- ======================================================================================================================

-- A time as Java writes it, to the second.
create function ${schema}.instant_text(at timestamptz) returns text
    language sql stable parallel safe set search_path = pg_catalog, pg_temp
    return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- What an open run waits for, one row each; no row where the run is not open. What holds up all of the run comes first, then
-- its open activities, timers, children and callbacks; where nothing is open, its code waits for a condition. kind is a
-- constant of WaitingReason.Kind, and the words are those of the in-memory store. It reads the rows of the run and those
-- events of its history that open and end something, only when it is asked. As a view it has its owner's rights: a login that
-- may call it needs none to the tables.
create function ${schema}.waiting_reasons(run uuid)
    returns table (kind text, what text, since timestamptz, until timestamptz, served_by text[], ended_by text, reason text)
    language sql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
with s as materialized (
        select r.*, coalesce(w.attempt, 1) as tries, ${schema}.clock() as now,
               (select min(i.at) from ${schema}.inbox i
                 where i.run_id = r.run_id and i.shard = r.shard and i.wakes) as called_at
          from ${schema}.run_state r join ${schema}.workflow_run w on w.run_id = r.run_id and w.shard = r.shard
         where r.run_id = run),
    process as materialized (
        select p.id, p.identity, p.queues, p.activities, p.workflow_types, p.build from ${schema}.session p where not p.dead),
    h as materialized (
        select e.event_id, e.at, e.type, ${schema}.readable(e.attributes) as a
          from s
         cross join lateral (
                select e.event_id, e.at, e.type, e.attributes from ${schema}.history_event e
                 where e.run_id = s.run_id and e.shard = s.shard
                   and e.type in ('WorkflowStarted', 'WorkflowPaused', 'WorkflowResumed', 'TimerStarted', 'TimerFired',
                                  'TimerCancelled', 'ChildStartRequested', 'ChildStartFailed', 'ChildCompleted',
                                  'ChildFailed', 'ChildCancelled', 'CallbackOpened', 'CallbackExtended',
                                  'CallbackCompleted', 'CallbackFailed', 'CallbackTimedOut', 'CallbackCancelled')
                 offset 0) e),
    -- The run as a whole: whether its first turn was made, and since when it is due.
    whole as materialized (
        select s.*,
               s.next_event_id - 1 > (select count(*) from h
                                       where h.type in ('WorkflowStarted', 'WorkflowPaused', 'WorkflowResumed'))
               or exists (select from h where h.event_id = 1 and h.a ->> 'firstTurnDone' = 'true') as begun,
               least(case when s.wake_at <= s.now then s.wake_at end, s.called_at) as due_since,
               (select p.identity from process p where p.id = s.last_session and s.owned_until > s.now) as owner,
               array(select p.identity from process p
                      where (p.queues is null or s.task_queue = any(p.queues))
                        and (s.pinned_to is null or p.build = s.pinned_to)
                      order by p.identity collate "C") as serving,
               array(select p.identity from process p
                      where (p.queues is null or s.task_queue = any(p.queues))
                        and (s.pinned_to is null or p.build = s.pinned_to)
                        and (p.workflow_types is null or s.type = any(p.workflow_types))
                      order by p.identity collate "C") as able
          from s),
    held as materialized (
        select case when w.paused then 'PAUSED' when w.stalled_by is not null then 'STALLED'
                    when w.owner is not null then 'RUNNABLE'
                    when w.not_before > w.now or not w.begun and w.due_since is null and w.wake_at > w.now then 'DELAYED'
                    when w.due_since is null then null
                    when w.able = '{}' then 'UNSERVED' else 'RUNNABLE' end as kind, w.*
          from whole w),
    -- A timer behind the opening or the extension of a callback is its timeout.
    timer as materialized (
        select t.event_id, t.at, (t.a ->> 'seq')::bigint as seq, (t.a ->> 'fireAt')::timestamptz as fire_at,
               t.a ->> 'summary' as summary,
               case when t.event_before = t.event_id - 1 and t.type_before in ('CallbackOpened', 'CallbackExtended')
                    then t.callback_before
                    when t.type_before = 'TimerCancelled' and t.event_2_before = t.event_id - 2
                         and t.type_2_before = 'CallbackExtended' then t.callback_2_before end as callback
          from (select h.*, lag(h.event_id) over e as event_before, lag(h.type) over e as type_before,
                       lag(h.a ->> 'callback') over e as callback_before, lag(h.event_id, 2) over e as event_2_before,
                       lag(h.type, 2) over e as type_2_before, lag(h.a ->> 'callback', 2) over e as callback_2_before
                  from h window e as (order by h.event_id)) t
         where t.type = 'TimerStarted'),
    -- The queues of the run's activities that are full.
    full_queue as materialized (
        select q.task_queue, q.concurrency
          from ${schema}.queue q
         where q.task_queue in (select j.task_queue from s join ${schema}.activity_job j
                                                      on j.run_id = s.run_id and j.shard = s.shard)
           and q.concurrency <= (select count(*) from ${schema}.activity_job o
                                  where o.state in (2, 5) and o.task_queue = q.task_queue)),
    job as materialized (
        select j.*, 'activity ' || j.activity || ' (' || j.seq || ')' as title,
               'client.activity("' || j.workflow_id || '", ' || j.seq || ')' as control,
               j.state in (0, 7) or j.state = 1 and j.visible_at <= s.now as is_ready,
               split_part(j.last_failure, E'\n', 1) as failure,
               (select p.identity from process p where p.id = j.session) as holder,
               least(j.deadline, j.silent_until, j.schedule_to_close_deadline) as left_until,
               ' waits in task queue "' || j.task_queue || '" since '
                   || ${schema}.instant_text(coalesce(j.visible_at, j.scheduled_at)) as waits,
               array(select p.identity from process p
                      where p.queues is null or j.task_queue = any(p.queues) order by p.identity collate "C") as serving,
               array(select p.identity from process p
                      where (p.queues is null or j.task_queue = any(p.queues))
                        and (p.activities is null or j.activity = any(p.activities))
                      order by p.identity collate "C") as able,
               q.paused and (q.resume_at is null or q.resume_at > s.now) as queue_paused, q.resume_at as queue_resumes,
               (select row(p.activity, p.resume_at)::${schema}.activity_pause from ${schema}.activity_pause p
                 where p.activity in (j.activity, regexp_replace(j.activity, '[.][^.]*$', ''))
                   and (p.resume_at is null or p.resume_at > s.now)
                 order by p.activity = j.activity desc limit 1) as activity_paused,
               (select f.concurrency from full_queue f where f.task_queue = j.task_queue) as full_at
          from s join ${schema}.activity_job j on j.run_id = s.run_id and j.shard = s.shard
          left join ${schema}.queue q on q.task_queue = j.task_queue),
    open_work(place, number, kind, what, since, until, served_by, ended_by, reason) as (
        select 1, j.seq::bigint,
               case when j.state = 2 then 'ACTIVITY_RUNNING' when j.state = 5 then 'OUTSIDE'
                    when j.state in (3, 6) then 'ACTIVITY_FAILED' when j.state = 4 then 'ACTIVITY_QUEUED'
                    when not j.is_ready then 'ACTIVITY_RETRY' when j.able = '{}' then 'ACTIVITY_UNSERVED'
                    else 'ACTIVITY_QUEUED' end,
               j.title,
               case when j.state in (2, 5) then j.claimed_at when j.state in (3, 6) then j.buried_at
                    else coalesce(case when j.is_ready then j.visible_at end, j.scheduled_at) end,
               case when j.state in (2, 5) then j.left_until when j.state = 1 and not j.is_ready then j.visible_at
                    when j.is_ready and j.able <> '{}' and j.queue_paused then j.queue_resumes
                    when j.is_ready and j.able <> '{}' then (j.activity_paused).resume_at end,
               case when j.state = 2 and j.holder is not null then array[j.holder] when j.is_ready then j.able else '{}' end,
               case when j.state = 2 then 'the outcome of the attempt'
                    when j.state = 5 then 'the holder of its token'
                    when j.state = 3 then 'an operator, by client.deadLetters()'
                    when j.state = 6 then 'an operator, by client.incidents()'
                    when j.state = 4 then j.control || '.resume()'
                    when not j.is_ready then 'that time, or ' || j.control || '.retry()'
                    when j.serving = '{}' then 'a process that serves the queue'
                    when j.able = '{}' then 'a process that serves the queue and has the activity'
                    when j.queue_paused then 'client.queues().resume("' || j.task_queue || '")'
                    when (j.activity_paused).activity is not null
                        then 'client.queues().resumeActivity("' || (j.activity_paused).activity || '")'
                    when j.state = 7 then 'the end of a job with the same limit key'
                    when j.full_at is not null then 'the end of a job of the queue'
                    else 'a free slot there' end,
               j.title
               || case when j.state in (2, 5)
                        then case j.state when 2 then ' runs: attempt ' else ' is left to the holder of its token: attempt ' end
                             || j.attempt || coalesce(', since ' || ${schema}.instant_text(j.claimed_at), '')
                             || case j.state when 2 then ', in ' || coalesce('process ' || j.holder, 'a process that is gone')
                                     else '' end
                             || coalesce(', until ' || ${schema}.instant_text(j.left_until) || ' at the latest', '')
                             || case when j.cancel_requested then ', and is asked to stop' else '' end
                       when j.state in (3, 6)
                        then case j.state when 3 then ' is a dead letter since ' else ' is an incident since ' end
                             || ${schema}.instant_text(j.buried_at) || coalesce(': ' || nullif(j.failure, ''), '')
                       when j.state = 4 then ' is paused'
                       when not j.is_ready
                        then ' waits for attempt ' || j.attempt || ', due at ' || ${schema}.instant_text(j.visible_at)
                             || coalesce(', as the one before failed: ' || nullif(j.failure, ''), '')
                       when j.serving = '{}' then j.waits || ', which no process serves'
                       when j.able = '{}'
                        then j.waits || ', and of the processes that serve it none has the activity: '
                             || array_to_string(j.serving, ', ')
                       when j.queue_paused
                        then j.waits || ', which is paused' || coalesce(' until ' || ${schema}.instant_text(j.queue_resumes), '')
                       when (j.activity_paused).activity is not null
                        then j.waits || ', and ' || (j.activity_paused).activity || ' is paused'
                             || coalesce(' until ' || ${schema}.instant_text((j.activity_paused).resume_at), '')
                       when j.state = 7 then j.waits || ' until its limit key "' || j.limit_key || '" lets it through'
                       when j.full_at is not null
                        then j.waits || ', where ' || j.full_at || ' run at once, which is its limit'
                       else j.waits || ' for a free slot in a process that serves it: ' || array_to_string(j.able, ', ') end
          from job j
        union all
        select 2, t.seq, 'TIMER', 'timer ' || t.seq || coalesce(' (' || t.summary || ')', ''), t.at, t.fire_at, '{}',
               'that time',
               'timer ' || t.seq || coalesce(' (' || t.summary || ')', '') || ', due at ' || ${schema}.instant_text(t.fire_at)
          from timer t
         where t.callback is null
           and not exists (select from h e where e.type in ('TimerFired', 'TimerCancelled')
                                             and (e.a ->> 'seq')::bigint = t.seq)
        union all
        select 3, c.number, 'CHILD', 'child ' || c.workflow_id || ' (' || c.type || ')', c.at, null, '{}',
               'the end of the child',
               'child ' || c.workflow_id || ' (' || c.type || ')'
               || coalesce(', started at ' || ${schema}.instant_text(c.at), ', started by an earlier run')
          from (select (h.a ->> 'number')::bigint, h.a ->> 'workflowId', h.a ->> 'workflowType', h.at
                  from h where h.type = 'ChildStartRequested'
                union all
                select (k ->> 'number')::bigint, k ->> 'workflowId', k ->> 'workflowType', null
                  from h, lateral jsonb_array_elements(case when jsonb_typeof(h.a -> 'children') = 'array'
                                                            then h.a -> 'children' else '[]' end) k
                 where h.type = 'WorkflowStarted' and coalesce(k -> 'end', 'null') = 'null')
               c(number, workflow_id, type, at)
         where not exists (select from h e
                            where e.type in ('ChildStartFailed', 'ChildCompleted', 'ChildFailed', 'ChildCancelled')
                              and (e.a ->> 'number')::bigint = c.number)
        union all
        select 4, (c.a ->> 'number')::bigint, 'OUTSIDE', 'callback ' || (c.a ->> 'number'), c.at, t.fire_at, '{}',
               'the holder of its token',
               'callback ' || (c.a ->> 'number') || ', opened at ' || ${schema}.instant_text(c.at)
               || coalesce(', which times out at ' || ${schema}.instant_text(t.fire_at), '')
          from h c
          left join lateral (
                select t.fire_at from timer t where t.callback = c.a ->> 'callback' order by t.event_id desc limit 1) t on true
         where c.type = 'CallbackOpened'
           and not exists (select from h e
                            where e.type in ('CallbackCompleted', 'CallbackFailed', 'CallbackTimedOut', 'CallbackCancelled')
                              and e.a ->> 'callback' = c.a ->> 'callback'))
select r.kind, r.what, r.since, r.until, r.served_by, r.ended_by, r.reason
  from (select 0, 0::bigint, w.kind, 'the run',
               case w.kind when 'PAUSED' then p.at when 'DELAYED' then null when 'STALLED' then null
                    else w.due_since end,
               case w.kind when 'STALLED' then w.not_before when 'DELAYED' then greatest(w.not_before, w.wake_at)
                    when 'RUNNABLE' then case when w.owner is not null then w.owned_until end end,
               case when w.kind in ('PAUSED', 'STALLED', 'DELAYED') then w.serving
                    when w.owner is not null then array[w.owner] else w.able end,
               case w.kind when 'PAUSED' then 'resume() of its handle'
                    when 'STALLED' then 'code that fits what was recorded'
                    when 'DELAYED' then case when w.tries > 1 then 'that time' else 'that time, or a message' end
                    when 'UNSERVED' then case when w.serving <> '{}'
                                                   then 'a process that serves the queue and has the workflow type'
                                              when w.pinned_to is null then 'a process that serves the queue'
                                              else 'a process of that build, or moveTo(build) of its handle' end
                    else case when w.owner is not null then 'the end of its turn' else 'a claim by one of them' end end,
               case w.kind
                    when 'PAUSED'
                        then 'the run is paused' || coalesce(' since ' || ${schema}.instant_text(p.at) || ' by '
                             || (p.a ->> 'by') || ': ' || (p.a ->> 'reason'), '')
                    when 'STALLED'
                        then 'the run has stalled ' || w.stalls || case w.stalls when 1 then ' time: ' else ' times: ' end
                             || split_part(w.stalled_by, E'\n', 1)
                             || coalesce('; it is tried again at ' || ${schema}.instant_text(w.not_before), '')
                    when 'DELAYED'
                        then case when w.tries > 1 then 'attempt ' || w.tries || ' of the workflow' else 'the first turn' end
                             || ' is delayed until ' || ${schema}.instant_text(greatest(w.not_before, w.wake_at))
                    when 'UNSERVED'
                        then 'the run is due since ' || ${schema}.instant_text(w.due_since) || ' in task queue "'
                             || w.task_queue || '"'
                             || case when w.serving <> '{}'
                                     then ', and of the processes that serve it none has the workflow type ' || w.type || ': '
                                          || array_to_string(w.serving, ', ')
                                     else coalesce(' and pinned to build "' || w.pinned_to
                                                   || '", of which no process serves it', ', which no process serves') end
                    else case when w.owner is not null then 'the run is claimed by process ' || w.owner || ', which runs its code'
                              else 'the run is due since ' || ${schema}.instant_text(w.due_since)
                                   || ' and waits for a process that serves task queue "' || w.task_queue
                                   || '" and has the workflow type ' || w.type || ': ' || array_to_string(w.able, ', ') end
                    end
          from held w
          left join lateral (
                select h.at, h.a from h where h.type = 'WorkflowPaused' order by h.event_id desc limit 1) p on true
         where w.kind is not null
        union all
        select * from open_work
        union all
        select 5, 0, 'CONDITION', 'a condition', null, null, '{}', 'a signal, an update or the request to cancel',
               'a condition of its code, as nothing else of the run is open'
          from held w
         where w.begun and (w.kind is null or w.kind = 'PAUSED') and not exists (select from open_work))
       r(place, number, kind, what, since, until, served_by, ended_by, reason)
 order by r.place, r.number
$$;

revoke execute on function ${schema}.waiting_reasons(uuid) from public;

-- Why the open run of a workflow id waits, as text for people: handle.whyWaiting() without the lines of code.
create function ${schema}.why_waiting(id text) returns text
    language sql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
select coalesce(
    (select 'workflow ' || s.workflow_id || ' (' || s.type || ', run ' || s.run_id || ') waits for:'
            || (select coalesce(string_agg(E'\n- ' || r.reason || '; what ends it: ' || r.ended_by, '' order by r.place)
                                    filter (where r.place <= 20), '')
                       || case when count(*) > 20 then E'\n- and ' || count(*) - 20 || ' more' else '' end
                  from ${schema}.waiting_reasons(s.run_id)
                       with ordinality r(kind, what, since, until, served_by, ended_by, reason, place))
       from ${schema}.run_state s where s.workflow_id = id limit 1),
    (select 'workflow ' || w.workflow_id || ' (' || w.type || ', run ' || w.run_id || ') waits for nothing: it is '
            || w.status || ' since ' || ${schema}.instant_text(w.closed_at)
       from ${schema}.workflow_run w where w.workflow_id = id and w.closed_at is not null
      order by w.started_at desc limit 1),
    'there is no workflow ' || id)
$$;
revoke execute on function ${schema}.why_waiting(text) from public;

comment on view ${schema}.v_workflow is 'Durable: one row a run, open or closed';
comment on view ${schema}.v_history is
    'Durable: one row an event; where workflow_id = … order by run_id, event_id. The attributes are as written, but for characters that jsonb refuses';
comment on view ${schema}.v_activity is
    'Durable: one row an activity that was ever scheduled; local ones when they have ended';
comment on view ${schema}.v_queue is
    'Durable: one row a task queue that has something in it, or a setting. at_least: a count stopped at 10,000, or open_runs comes from a sample';
comment on view ${schema}.v_dead_letter is
    'Durable: jobs whose attempts or crashes are used up, until they are resolved or purged; their runs wait';
comment on view ${schema}.v_incident is
    'Durable: the same as v_dead_letter of jobs that wait for an operator and are never purged';

comment on function ${schema}.why_waiting(text) is
    'Durable: what the open run of a workflow id waits for, as text for people';
comment on function ${schema}.waiting_reasons(uuid) is
    'Durable: what an open run waits for, one row each';

insert into ${schema}.schema_version (version, min_library) values (1, '0.1.0');
