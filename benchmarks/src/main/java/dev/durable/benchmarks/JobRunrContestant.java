package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration.JobRunrConfigurationResult;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/** JobRunr (the open source edition) with its standard worker, polling as often as it allows; jobs come as a stream. */
final class JobRunrContestant implements Contestant {
    private static final int CONNECTIONS = 32;
    private static final int WORKERS = CONNECTIONS;

    /** JobRunr calls jobs by name, on an object that it makes itself. */
    private static volatile CountDownLatch executed = new CountDownLatch(0);

    /** Where the jobs are; public, because JobRunr looks for it. */
    public static final class Jobs {
        /** Does nothing. */
        public void run(int value) {
            executed.countDown();
        }
    }

    private final HikariDataSource pool;
    private final JobRunrConfigurationResult jobRunr;
    private boolean started;

    JobRunrContestant(Database database, Settings settings) {
        pool = database.pool(settings.connectionsOr(CONNECTIONS));
        jobRunr = JobRunr.configure()
                .useJsonMapper(new Jackson3JsonMapper())
                .useStorageProvider(SqlStorageProviderFactory.using(pool))
                .useBackgroundJobServer(
                        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                .andPollInterval(Duration.ofSeconds(5))
                                .andWorkerCount(WORKERS),
                        false)
                .initialize();
    }

    @Override
    public void enqueue(int jobs) {
        if (started) {
            jobRunr.getBackgroundJobServer().pauseProcessing();
        }
        executed = new CountDownLatch(jobs);
        jobRunr.getJobScheduler()
                .<Jobs, Integer>enqueue(IntStream.range(0, jobs).boxed(), (service, i) -> service.run(i));
    }

    @Override
    public void executeAll(int jobs) throws Exception {
        // One that is paused says that it does not run, and to start it again does nothing.
        if (started) {
            jobRunr.getBackgroundJobServer().resumeProcessing();
        } else {
            jobRunr.getBackgroundJobServer().start();
            started = true;
        }
        if (!executed.await(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException(executed.getCount() + " jobs were not executed within ten minutes");
        }
    }

    /** The last ones are written as succeeded a little after they ran. */
    @Override
    public List<String> check(long runs, long steps) {
        return executed.getCount() == 0 ? List.of() : List.of(executed.getCount() + " jobs did not run");
    }

    @Override
    public void close() {
        JobRunr.destroy();
        pool.close();
    }
}
