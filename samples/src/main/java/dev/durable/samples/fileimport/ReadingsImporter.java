package dev.durable.samples.fileimport;

import dev.durable.ActivityContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.jooq.DSLContext;

/** The activity: from the last checkpoint on, batch after batch. */
final class ReadingsImporter implements Importer {
    private final DSLContext sql;
    private final Watch watch;

    /** Follows the progress of an import. */
    interface Watch {
        void starts(Position from);

        void reached(Position position);
    }

    ReadingsImporter(DSLContext sql, Watch watch) {
        this.sql = sql;
        this.watch = watch;
    }

    @Override
    public long load(String file, int checkpointEvery) {
        ActivityContext context = ActivityContext.current();
        Position from = context.heartbeatDetails(Position.class).orElse(Position.START);
        watch.starts(from);
        try (ReadingsFile readings = ReadingsFile.open(Path.of(file), from)) {
            List<Reading> batch = readings.next(checkpointEvery);
            while (!batch.isEmpty()) {
                insert(file, batch);
                context.checkpoint(readings.position());
                watch.reached(readings.position());
                batch = readings.next(checkpointEvery);
            }
            return readings.position().rows();
        } catch (IOException e) {
            throw new UncheckedIOException(file + " could not be read", e);
        }
    }

    private void insert(String file, List<Reading> batch) {
        sql.execute(
                """
                insert into weather.reading (file, row_no, station, measured_at, celsius)
                select ?, * from unnest(?::bigint[], ?::text[], ?::timestamptz[], ?::numeric[])
                on conflict (file, row_no) do nothing""",
                file,
                batch.stream().map(Reading::row).toArray(Long[]::new),
                batch.stream().map(Reading::station).toArray(String[]::new),
                batch.stream().map(Reading::measuredAt).toArray(String[]::new),
                batch.stream().map(Reading::celsius).toArray(BigDecimal[]::new));
    }
}
