-- Jobs that began and were given back do not run out of schedule-to-start any more, nor do they expire.
-- Why: what was given back by a worker that shut down, or by its own body, was taken for one that nobody had begun, as its
-- attempt is still the first. Locks: SHARE UPDATE EXCLUSIVE on activity_job while the index is built (reads and writes go
-- on), then ACCESS EXCLUSIVE for a moment while the old one goes. A process of an older release goes on; it looks for
-- waiting jobs that are out of time without an index until it is replaced.

-- activity_job.begun: an attempt's body was called, or may have been. Up to here it was also set where a job was given back
-- unused: such a job does not expire. Queries repeat this expression word for word.
-- step: concurrently
create index concurrently if not exists activity_job_unbegun_deadline on ${schema}.activity_job
    (least(schedule_to_close_deadline, case when not begun then schedule_to_start_deadline end))
    where state in (0, 1, 4, 7)
      and least(schedule_to_close_deadline, case when not begun then schedule_to_start_deadline end) is not null;

-- step
drop index ${schema}.activity_job_waiting_deadline;
alter index ${schema}.activity_job_unbegun_deadline rename to activity_job_waiting_deadline;

insert into ${schema}.schema_version (version, min_library) values (12, '0.1.0');
