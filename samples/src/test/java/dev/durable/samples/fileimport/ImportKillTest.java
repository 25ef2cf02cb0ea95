package dev.durable.samples.fileimport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.SampleProcess;
import dev.durable.store.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportKillTest {
    private static final int ROWS = 400_000;
    private static final String[] ARGUMENTS = {"--rows=" + ROWS, "--checkpoint-every=5000"};
    private static final Pattern RESUMING = Pattern.compile("resuming at row ([\\d,]+) of 400,000");

    @TempDir
    private Path directory;

    @Test
    void aKilledImportResumesAtItsLastCheckpointAndItsRowsAreExact() throws Exception {
        try (SampleProcess first = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            assertThat(first.awaitLine(line -> line.contains(" of 400,000 rows")))
                    .as("progress")
                    .isPresent();
            first.kill();
        }
        try (SampleProcess second = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            String output = second.awaitEnd();
            assertThat(output).contains("continuing import-readings-400000.csv").contains("imported: 400,000 rows");
            Matcher resuming = RESUMING.matcher(output);
            assertThat(resuming.find()).as(output).isTrue();
            assertThat(Integer.parseInt(resuming.group(1).replace(",", "")))
                    .isPositive()
                    .isLessThan(ROWS)
                    .matches(row -> row % 5000 == 0, "a checkpoint");
        }
        try (SampleProcess third = SampleProcess.start(directory, Import.class, ARGUMENTS)) {
            assertThat(third.awaitEnd()).contains("import-readings-400000.csv ended before");
        }
        assertThatTheRowsAreThoseOfTheFile();
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
