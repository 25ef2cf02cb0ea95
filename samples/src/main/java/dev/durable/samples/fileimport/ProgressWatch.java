package dev.durable.samples.fileimport;

import dev.durable.samples.Progress;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Shows the import to the user who started the command, from the first row that is read on. */
final class ProgressWatch implements ReadingsImporter.Watch, AutoCloseable {
    private final PrintWriter out;
    private final long rows;
    private @Nullable Progress progress;

    ProgressWatch(PrintWriter out, long rows) {
        this.out = out;
        this.rows = rows;
    }

    @Override
    public synchronized void starts(Position from) {
        close();
        if (!from.equals(Position.START)) {
            out.printf("resuming at row %,d of %,d%n", from.rows(), rows);
            out.flush();
        }
        progress = Progress.on(out, "rows", rows);
    }

    @Override
    public synchronized void reached(Position position) {
        if (progress != null) {
            progress.show(position.rows(), "");
        }
    }

    @Override
    public synchronized void close() {
        if (progress != null) {
            progress.close();
            progress = null;
        }
    }
}
