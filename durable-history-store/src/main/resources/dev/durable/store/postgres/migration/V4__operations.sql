-- Live processes, and what operators set.
-- Why: the first version. Locks: nothing that exists (new tables only).

-- A worker process. Dead is for ever: nothing sets it back, and beat counts only while it is false. Lease: how long its
-- beat may stand still; whoever watches it goes by this, not by a lease of its own.
create table ${schema}.session (
    id         uuid        not null primary key,
    beat       bigint      not null,
    started_at timestamptz not null,
    dead       boolean     not null,
    lease      interval    not null,
    identity   text        not null
) with (fillfactor = 50, autovacuum_vacuum_threshold = 100);

create table ${schema}.schedule (
    schedule_id text collate "C" not null primary key,
    fence       uuid        not null,
    next_at     timestamptz,
    paused      boolean     not null default false,
    spec        json        not null,
    state       json        not null
);
create index schedule_due on ${schema}.schedule (next_at) where next_at is not null and not paused;

-- Limits and pauses of a task queue; null is no limit, and a queue without a row has none. A queue with a limit of its
-- own (not only of its keys) is claimed by one at a time, under the lock of this row. recent_starts: how many began in
-- which 50 ms of the last second ("34028:3 34029:1"), for the rate.
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

-- What operators did.
create table ${schema}.audit (
    id      uuid        not null primary key,
    at      timestamptz not null,
    actor   text        not null,
    action  text        not null,
    target  text        not null,
    details json        not null
);
create index audit_by_time on ${schema}.audit (at);

insert into ${schema}.schema_version (version, min_library) values (4, '0.1.0');
