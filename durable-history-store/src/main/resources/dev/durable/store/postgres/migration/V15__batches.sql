-- Batches of background jobs as a membership, and what a worker serves.
-- Why: a batch was what its jobs' ids had in common, so that it counted jobs of other batches; and nobody could tell a
-- misspelt queue or activity from one whose workers are elsewhere. Locks: ACCESS EXCLUSIVE on session for a moment, as
-- columns without a default are added.

-- One row a job. number: of its item, from 0. run_id: the last run that was started there.
create table ${schema}.batch_job (
    batch  text collate "C" not null,
    number integer          not null,
    run_id uuid             not null,
    shard  smallint         not null,
    primary key (batch, number, shard)
);

-- Jobs of batches under way that were enqueued before. Those of batches that had ended stay jobs like any other, and so do
-- those that a process of an older release enqueues from now on.
insert into ${schema}.batch_job (batch, number, run_id, shard)
select w.batch, w.number::integer, w.run_id, w.shard
  from (select substring(s.workflow_id from '^(.+)/[0-9]{1,9}$') as batch from ${schema}.run_state s
         where s.type = 'durable.job' and s.workflow_id ~ '^.+/[0-9]{1,9}$' group by 1) b
 cross join lateral (
        select distinct on (w.workflow_id) b.batch, substring(w.workflow_id from '[0-9]+$') as number, w.run_id, w.shard
          from ${schema}.workflow_run w
         where w.workflow_id >= b.batch || '/' and w.workflow_id < b.batch || '0' and w.type = 'durable.job'
           and w.workflow_id ~ '^.+/[0-9]{1,9}$' and substring(w.workflow_id from '^(.+)/[0-9]+$') = b.batch
         order by w.workflow_id, w.started_at desc) w
 on conflict do nothing;

-- What a worker serves; null of a process of an older release, which does not say.
alter table ${schema}.session add column queues text[];
alter table ${schema}.session add column activities text[];

do $roles$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant select, insert, update, delete on ${schema}.batch_job to %I', '${name}_worker');
    end if;
    if to_regrole(quote_ident('${name}_retention')) is not null then
        execute format('grant select, delete on ${schema}.batch_job to %I', '${name}_retention');
    end if;
end $roles$;

insert into ${schema}.schema_version (version, min_library) values (15, '0.1.0');
