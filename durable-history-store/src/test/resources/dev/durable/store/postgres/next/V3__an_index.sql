-- Jobs by their activity. A pattern for migrations that index a table which is in use: a step of its own builds the index, and
-- the last step takes the old one away.
-- Why: tests of the way from one version to the next. Locks: SHARE UPDATE EXCLUSIVE on activity_job while the index is built
-- (reads and writes go on), then ACCESS EXCLUSIVE for a moment while the old one goes.

-- step: concurrently
create index concurrently if not exists activity_job_retried_anew on ${schema}.activity_job (activity, run_id, seq) where attempt > 1;

-- step
drop index ${schema}.activity_job_retried;
alter index ${schema}.activity_job_retried_anew rename to activity_job_retried;

insert into ${schema}.schema_version (version, min_library) values (3, '0.1.0');
