-- Messages of callers' transactions that start a run where none is open when they are delivered.
-- Why: signalWithStart in a caller's transaction. Locks: ACCESS EXCLUSIVE on both tables for a moment, as columns without a
-- default are added; it waits for open transactions that have written to the outbox.

-- new_run: what to start, as JSON, if no run of the target workflow id is open; null is a message for an open run only.
-- A process of an older release delivers such a message, but does not start a run for it.
alter table ${schema}.outbox add column new_run json;
alter table ${schema}.outbox_refused add column new_run json;

create or replace function ${schema}.resend_refused(source uuid, event bigint) returns boolean
    language sql as $$
with gone as (delete from ${schema}.outbox_refused r where r.run_id = source and r.event_id = event returning r.*),
back as (
    insert into ${schema}.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload, new_run)
    select g.run_id, g.event_id, g.target_run_id, g.at, g.kind, g.shard, g.target_workflow_id, g.name, g.payload, g.new_run
      from gone g
    returning true)
select exists (select from back)
$$;

insert into ${schema}.schema_version (version, min_library) values (11, '0.1.0');
