package dev.durable.samples.fileimport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.SampleProcess;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
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
    private static final int ROWS = 200_000;
    private static final int INTERVAL = 5000;
    private static final int KILLS = 10;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    private static final String[] ARGUMENTS = {"--rows=" + ROWS, "--checkpoint-every=" + INTERVAL, "--lease=PT1S"};
    private static final Pattern RESUMING = Pattern.compile("resuming at row ([\\d,]+) of 200,000");

    @TempDir
    private Path directory;

    @Test
    void aKilledImportResumesAtItsLastCheckpointAndItsRowsAreExact() throws Exception {
        try (SampleProcess first = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            assertThat(first.awaitLine(line -> line.contains(" of 200,000 rows")))
                    .as("progress")
                    .isPresent();
            first.kill();
        }
        try (SampleProcess second = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            String output = second.awaitEnd();
            assertThat(output).contains("continuing import-readings-200000.csv").contains("imported: 200,000 rows");
            Matcher resuming = RESUMING.matcher(output);
            assertThat(resuming.find()).as(output).isTrue();
            assertThat(Integer.parseInt(resuming.group(1).replace(",", "")))
                    .isPositive()
                    .isLessThan(ROWS)
                    .matches(row -> row % 5000 == 0, "a checkpoint");
        }
        try (SampleProcess third = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            assertThat(third.awaitEnd()).contains("import-readings-200000.csv ended before");
        }
        assertThatTheRowsAreThoseOfTheFile();
    }

    /** Each batch is inserted, then its checkpoint is stored: a kill loses at most the work on one batch. */
    @Test
    void ofTenKillsEachCostsNoMoreThanTheWorkSinceTheLastCheckpoint() throws Exception {
        long seed = Long.getLong("kill.seed", System.nanoTime());
        System.out.println("ImportKillTest: to kill at the same counts again: -Dkill.seed=" + seed);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory.resolve(EmbeddedPostgres.DEFAULT_DIRECTORY))) {
            DSLContext sql = ReadingsTable.on(postgres.dataSource());
            countInserts(sql);
            for (long inserted : killedAfter(seed)) {
                try (SampleProcess sample = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
                    await(() -> inserts(sql) >= inserted);
                    sample.kill();
                }
            }
            try (SampleProcess last = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
                assertThat(last.awaitEnd()).contains("resuming at row").contains("imported: 200,000 rows");
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
        sql.execute("""
                create function weather.count_insert() returns trigger language plpgsql as
                $$ begin perform nextval('weather.inserts'); return new; end $$""");
        sql.execute("""
                create trigger counted before insert on weather.reading
                for each row execute function weather.count_insert()""");
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
