package dev.durable.samples.fileimport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.SampleProcess;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class ImportKillTest {
    private static final int ROWS = Integer.getInteger("import.rows", 100_000);
    private static final int INTERVAL = 5000;
    private static final int KILLS = Integer.getInteger("import.kills", 4);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    private static final String OF_ALL = "%,d".formatted(ROWS);
    private static final String[] ARGUMENTS = {"--rows=" + ROWS, "--checkpoint-every=" + INTERVAL, "--lease=PT1S"};
    private static final Pattern RESUMING = Pattern.compile("resuming at row ([\\d,]+) of " + OF_ALL);

    @TempDir
    private Path directory;

    @Test
    void aKilledImportResumesAtItsLastCheckpointAndItsRowsAreExact() throws Exception {
        int tries = 0;
        do {
            // On a busy machine it may be through before it is killed.
            directory = Files.createDirectory(directory.resolve("try-" + ++tries));
            try (SampleProcess first = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
                assertThat(first.awaitLine(line -> line.contains(" of " + OF_ALL + " rows")))
                        .as("progress")
                        .isPresent();
                first.kill();
            }
        } while (tries < 5 && hasEnded());
        try (SampleProcess second = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            String output = second.awaitEnd();
            assertThat(output)
                    .contains("continuing import-readings-" + ROWS + ".csv")
                    .contains("imported: " + OF_ALL + " rows");
            Matcher resuming = RESUMING.matcher(output);
            assertThat(resuming.find()).as(output).isTrue();
            assertThat(Integer.parseInt(resuming.group(1).replace(",", "")))
                    .isPositive()
                    .isLessThan(ROWS)
                    .matches(row -> row % 5000 == 0, "a checkpoint");
        }
        try (SampleProcess third = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            assertThat(third.awaitEnd()).contains("import-readings-" + ROWS + ".csv ended before");
        }
        assertThatTheRowsAreThoseOfTheFile();
    }

    /** Each batch is inserted, then its checkpoint is stored: a kill loses at most the work on one batch. */
    @Test
    void ofSeveralKillsEachCostsNoMoreThanTheWorkSinceTheLastCheckpoint() throws Exception {
        long seed = Long.getLong("kill.seed", System.nanoTime());
        System.out.println("ImportKillTest: to kill at the same counts again: -Dkill.seed=" + seed);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory.resolve(EmbeddedPostgres.DEFAULT_DIRECTORY))) {
            DSLContext sql = ReadingsTable.on(postgres.dataSource());
            countInserts(sql);
            for (long inserted : killedAfter(seed)) {
                try (SampleProcess sample = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
                    // It gets no further, should the kill come late.
                    sql.execute("update weather.stop set at = ?", inserted + INTERVAL);
                    await(() -> inserts(sql) >= inserted);
                    sample.kill();
                }
                sql.execute("update weather.stop set at = null");
                await(() -> insertsOfTheDead(sql) == 0);
            }
            try (SampleProcess last = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
                assertThat(last.awaitEnd()).contains("resuming at row").contains("imported: " + OF_ALL + " rows");
            }
            assertThat(inserts(sql) - ROWS)
                    .as("rows that were inserted again after %d kills", KILLS)
                    .isBetween(0L, (long) KILLS * INTERVAL);
        }
        assertThatTheRowsAreThoseOfTheFile();
    }

    /** How many rows have been inserted at each kill: each process gets to insert some. */
    private static List<Long> killedAfter(long seed) {
        Random random = new Random(seed);
        List<Long> moments = new ArrayList<>();
        long inserted = 0;
        for (int i = 0; i < KILLS; i++) {
            inserted += INTERVAL + 1 + random.nextInt(ROWS / KILLS - 3 * INTERVAL);
            moments.add(inserted);
        }
        return moments;
    }

    /** A sequence goes on where a transaction rolls back, and a trigger before the insert sees rows that are there. */
    private static void countInserts(DSLContext sql) {
        sql.execute("create sequence weather.inserts minvalue 0 start 0");
        sql.execute("select nextval('weather.inserts')");
        sql.execute("create table weather.stop (at bigint)");
        sql.execute("insert into weather.stop values (null)");
        sql.execute("""
                create function weather.count_insert() returns trigger language plpgsql as
                $$ begin
                    if nextval('weather.inserts') >= (select at from weather.stop) then
                        perform pg_sleep(600);
                    end if;
                    return new;
                end $$""");
        sql.execute("""
                create trigger counted before insert on weather.reading
                for each row execute function weather.count_insert()""");
    }

    /** Ends those that have stopped; the others end by themselves. */
    private static int insertsOfTheDead(DSLContext sql) {
        sql.execute("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
        return sql.fetchSingle("""
                select count(*) from pg_stat_activity
                 where pid <> pg_backend_pid() and state = 'active' and query ilike '%insert into%reading%'""").into(int.class);
    }

    private boolean hasEnded() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory.resolve(EmbeddedPostgres.DEFAULT_DIRECTORY))) {
            return ReadingsTable.on(postgres.dataSource())
                            .fetchSingle("select count(*) from durable.v_workflow where status = 'RUNNING'")
                            .into(int.class)
                    == 0;
        }
    }

    private static long inserts(DSLContext sql) {
        return sql.fetchSingle("select last_value from weather.inserts").into(Long.class);
    }

    private static void await(BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun).as("waits in vain").isLessThan(PATIENCE);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void assertThatTheRowsAreThoseOfTheFile() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory.resolve(EmbeddedPostgres.DEFAULT_DIRECTORY))) {
            Record row = DSL.using(postgres.dataSource(), org.jooq.SQLDialect.POSTGRES)
                    .fetchSingle("""
                            select count(*), min(row_no), max(row_no), count(distinct station),
                                   count(distinct measured_at)
                            from weather.reading""");
            assertThat(row.into(Integer[].class)).containsExactly(ROWS, 1, ROWS, 240, (ROWS + 239) / 240);
        }
    }
}
