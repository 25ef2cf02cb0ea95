package dev.durable.samples;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** A line a second, for pipes and log files. */
final class ProgressLines implements Progress {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PrintWriter out;
    private final String unit;
    private final long total;
    private final long startedAt = System.nanoTime();
    private long shownAt = startedAt;

    ProgressLines(PrintWriter out, String unit, long total) {
        this.out = out;
        this.unit = unit;
        this.total = total;
    }

    @Override
    public void show(long done, String note) {
        long now = System.nanoTime();
        if (now - shownAt >= SECOND || done == total) {
            shownAt = now;
            out.println("%4d s  %,d of %,d %s  %s"
                    .formatted((now - startedAt) / SECOND, done, total, unit, note)
                    .stripTrailing());
            out.flush();
        }
    }

    @Override
    public void close() {}
}
