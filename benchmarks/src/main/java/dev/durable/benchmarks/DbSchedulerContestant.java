package dev.durable.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** db-scheduler with the lock-and-fetch strategy and the fractions that its guide gives for high throughput. */
final class DbSchedulerContestant implements Contestant {
    private static final int THREADS = 32;
    private static final int BATCH = 1000;
    private static final String TABLE = """
            create table scheduled_tasks (
              task_name text not null,
              task_instance text not null,
              task_data bytea,
              execution_time timestamp with time zone not null,
              picked boolean not null,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint not null,
              priority smallint,
              primary key (task_name, task_instance));
            create index execution_time_idx on scheduled_tasks (execution_time);
            create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)""";

    private final Database database;
    private final HikariDataSource pool;
    private final OneTimeTask<Integer> task;
    private final Scheduler scheduler;
    private volatile CountDownLatch executed = new CountDownLatch(0);
    private int enqueued;

    DbSchedulerContestant(Database database, Settings settings) throws Exception {
        this.database = database;
        database.execute(TABLE);
        pool = database.pool(settings.connectionsOr(THREADS + 2));
        task = Tasks.oneTime("job", Integer.class).execute((job, context) -> executed.countDown());
        scheduler = Scheduler.create(pool, List.<Task<?>>of(task))
                .threads(THREADS)
                .pollingInterval(Duration.ofMillis(100))
                .pollUsingLockAndFetch(1.0, 4.0)
                .shutdownMaxWait(Duration.ofSeconds(5))
                .build();
    }

    @Override
    public void enqueue(int jobs) {
        scheduler.pause();
        executed = new CountDownLatch(jobs);
        for (int from = 0; from < jobs; from += BATCH) {
            int first = enqueued + from;
            Stream<TaskInstance<?>> batch = IntStream.range(first, first + Math.min(BATCH, jobs - from))
                    .mapToObj(i -> task.instance("job-" + i, i));
            scheduler.scheduleBatch(batch.toList(), Instant.now());
        }
        enqueued += jobs;
    }

    @Override
    public void executeAll(int jobs) throws Exception {
        if (!scheduler.getSchedulerState().isStarted()) {
            scheduler.start();
        }
        scheduler.resume();
        if (!executed.await(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException(executed.getCount() + " jobs were not executed within ten minutes");
        }
    }

    @Override
    public List<String> check(long runs, long steps) throws Exception {
        long left = database.number("select count(*) from scheduled_tasks");
        return left <= THREADS * 4L ? List.of() : List.of(left + " jobs are left");
    }

    @Override
    public void close() {
        scheduler.stop();
        pool.close();
    }
}
