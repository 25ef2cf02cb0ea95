-- Jobs that nobody claims run out of schedule-to-start and schedule-to-close too, also where no worker serves their queue.
-- Why: the sweep finds them by this index. Locks: SHARE UPDATE EXCLUSIVE on activity_job while the index is built (reads and
-- writes go on; the table holds open activities only). Jobs without such a timeout are not in the index.

-- Schedule-to-start is for the first attempt only. A pause stops neither: they are what the workflow was promised. Queries repeat this expression word for word.
-- step: concurrently
create index concurrently if not exists activity_job_waiting_deadline on ${schema}.activity_job
    (least(schedule_to_close_deadline, case when attempt = 1 and crashes = 0 then schedule_to_start_deadline end))
    where state in (0, 1, 4, 7)
      and least(schedule_to_close_deadline, case when attempt = 1 and crashes = 0 then schedule_to_start_deadline end)
          is not null;

-- step
insert into ${schema}.schema_version (version, min_library) values (7, '0.1.0');
