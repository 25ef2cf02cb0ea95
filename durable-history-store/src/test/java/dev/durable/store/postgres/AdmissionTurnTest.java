package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.store.QueueStore;
import dev.durable.store.postgres.internal.queue.Admissions;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests that one process at a time lets jobs with limit keys through. */
class AdmissionTurnTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @Test
    void who_has_to_wait_for_a_minute_says_for_whom_and_how_to_find_him() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(Admissions.class);
        logged.start();
        logger.addAppender(logged);
        try (TestDatabase database = TestDatabase.migrated();
                PostgresHistoryStore store = PostgresHistoryStore.builder(database.pooledDataSource(3))
                        .nanoTime(nanos::get)
                        .description("orders-db")
                        .notify(false)
                        .build()) {
            store.open();
            assertThat(store.admit("mail")).isEqualTo(new QueueStore.Admission(0, false, null));
            try (var connection = database.dataSource().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("begin; select 1 from durable.admission where task_queue = 'mail' for update");

                assertThat(store.admit("mail")).isEqualTo(new QueueStore.Admission(0, true, Duration.ofMillis(20)));
                assertThat(store.admit("print"))
                        .as("another queue")
                        .isEqualTo(new QueueStore.Admission(0, false, null));
                nanos.addAndGet(Duration.ofSeconds(59).toNanos());
                store.admit("mail");
                assertThat(logged.list).isEmpty();
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                store.admit("mail");
                store.admit("mail");

                assertThat(logged.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .containsExactly(
                                "for a minute no job with a limit key of task queue mail in the database at orders-db was let"
                                        + " through by this process: another transaction has had the queue's row of table"
                                        + " \"durable\".admission whenever it was tried for. Usual cause: a session that was"
                                        + " left open in the middle of a transaction. Find it by: select a.* from"
                                        + " pg_stat_activity a join pg_locks l on l.pid = a.pid where l.relation ="
                                        + " '\"durable\".admission'::regclass; and end it by pg_terminate_backend(pid).");
                statement.execute("rollback");
            }
            assertThat(store.admit("mail")).isEqualTo(new QueueStore.Admission(0, false, null));
        } finally {
            logger.detachAppender(logged);
        }
    }
}
