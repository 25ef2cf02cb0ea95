package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A tablespace that fills while runs go on, and gets room after a while: an outage, with few lines of the log. */
@Timeout(600)
@Isolated("what it counts are the lines of the whole process")
@Tag("slow")
class FullDiskTest {
    private static final Logger log = LoggerFactory.getLogger(FullDiskTest.class);
    private static final int RUNS = Integer.getInteger("fulldisk.runs", 600);
    private static final int MEGABYTES = Integer.getInteger("fulldisk.megabytes", 20);
    private static final int SECONDS = Integer.getInteger("fulldisk.seconds", 5);
    /** Each loop of the process fails once, twice, three times before its pauses are long. */
    private static final int SETTLING = 3;

    @TempDir
    private Path mount;

    private boolean mounted;
    private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> listener = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            if (line.getLevel().isGreaterOrEqual(Level.INFO)) {
                lines.add(line);
            }
        }
    };

    @Activity(startToClose = "30s")
    interface Steps {
        String step(String before);
    }

    @Workflow
    static class Five {
        private final Steps steps;

        Five(Steps steps) {
            this.steps = steps;
        }

        @Run
        String run(String text) {
            String result = text;
            for (int i = 0; i < 5; i++) {
                result = steps.step(result);
            }
            return result;
        }
    }

    @BeforeEach
    void mountSmallDisk() throws Exception {
        mounted = run("mount", "-t", "tmpfs", "-o", "size=" + MEGABYTES + "m", "tmpfs", mount.toString());
        if (!mounted) {
            abort("needs a file system of its own: Linux, root, and a container that may mount tmpfs");
        }
        root().addAppender(listener);
        listener.start();
    }

    @AfterEach
    void unmount() throws Exception {
        root().detachAppender(listener);
        if (mounted) {
            run("umount", "-l", mount.toString());
        }
    }

    @Test
    void runs_wait_for_room_with_few_words_and_few_statements_and_then_end_right() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary();
                CuttingProxy proxy = new CuttingProxy(server.port())) {
            Path space = Files.createDirectory(mount.resolve("space"));
            Files.setOwner(space, Files.getOwner(server.directory().resolve("data")));
            execute(server.superuserDataSource(), "create tablespace small location '" + space + "'");
            execute(server.superuserDataSource(), "create database small owner durable tablespace small");
            PGSimpleDataSource database = (PGSimpleDataSource) server.dataSource();
            database.setDatabaseName("small");
            PGSimpleDataSource counted = (PGSimpleDataSource) server.dataSource();
            counted.setDatabaseName("small");
            counted.setPortNumbers(new int[] {proxy.port()});
            HikariConfig config = new HikariConfig();
            config.setDataSource(counted);
            config.setMaximumPoolSize(16);
            List<WorkflowHandle<?, String>> runs = new ArrayList<>();
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                            .callTimeout(Duration.ofMinutes(5))
                            .register(Five.class)
                            .activity(Steps.class, before -> before)
                            .start()) {
                String text = text();
                Thread client = Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < RUNS; i++) {
                        runs.add(engine.client().start(Five.class, "run-" + i, w -> w.run(text)));
                    }
                });
                awaitFull();
                LockSupport.parkNanos(Duration.ofSeconds(SETTLING).toNanos());
                long before = proxy.roundTrips();
                LockSupport.parkNanos(Duration.ofSeconds(SECONDS).toNanos());
                double statements = (double) (proxy.roundTrips() - before) / SECONDS;
                List<String> told =
                        lines.stream().map(ILoggingEvent::getFormattedMessage).toList();

                log.warn("disk full for {} s: {} statements a second, told {}", SECONDS + SETTLING, statements, told);
                assertThat(statements).as("statements a second").isLessThan(10);
                assertThat(told).hasSizeLessThan(10 * (1 + (SECONDS + SETTLING) / 60));
                assertThat(told)
                        .anySatisfy(line -> assertThat(line)
                                .contains("SQLSTATE 53100", "nothing was written", "Make room")
                                // the server's message depends on whether a part of the page still fitted
                                .containsPattern("No space left on device|could not extend file"));
                assertThat(told)
                        .as("in doubt")
                        .noneMatch(line -> line.contains("all of the batch was written or nothing"));

                assertThat(run("mount", "-o", "remount,size=1g", mount.toString()))
                        .isTrue();
                client.join();
                for (WorkflowHandle<?, String> run : runs) {
                    assertThat(run.result(Duration.ofMinutes(2))).isEqualTo(text);
                }
            }
            assertThat(runs).hasSize(RUNS);
            assertThat(number(database, "select count(*) from durable.history_event where type = 'ActivityCompleted'"))
                    .isEqualTo(5L * RUNS);
            assertThat(SqlInvariants.check(database)).isEmpty();
        }
    }

    /** A text that no compression makes small. */
    private static String text() {
        byte[] bytes = new byte[1_400];
        new Random(42).nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static boolean tells(ILoggingEvent line) {
        return line.getFormattedMessage().contains("SQLSTATE 53100");
    }

    private void awaitFull() {
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (lines.stream().noneMatch(FullDiskTest::tells)) {
            assertThat(System.nanoTime() - deadline)
                    .as("the disk is not full yet")
                    .isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static ch.qos.logback.classic.Logger root() {
        return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    private static void execute(javax.sql.DataSource on, String sql) throws SQLException {
        try (Connection connection = on.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(javax.sql.DataSource on, String sql) throws SQLException {
        try (Connection connection = on.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
