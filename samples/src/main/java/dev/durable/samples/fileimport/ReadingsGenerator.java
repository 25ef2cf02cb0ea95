package dev.durable.samples.fileimport;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Random;

/** Writes a file of readings: the same for the same number of rows. */
final class ReadingsGenerator {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
    private static final int STATIONS = 240;

    private ReadingsGenerator() {}

    /** Writes beside the file and moves it there in the end: a file that exists is whole. */
    static void write(Path file, long rows) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path unfinished = file.resolveSibling(file.getFileName() + ".part");
        Random random = new Random(rows);
        try (BufferedWriter out = Files.newBufferedWriter(unfinished)) {
            for (long row = 0; row < rows; row++) {
                out.write(line(row, random));
            }
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String line(long row, Random random) {
        long minutes = row / STATIONS * 10;
        double season = -10 * Math.cos(2 * Math.PI * minutes / (365 * 24 * 60));
        double day = -5 * Math.cos(2 * Math.PI * minutes / (24 * 60));
        double celsius = 9 + season + day + random.nextGaussian();
        Instant measuredAt = FIRST.plusSeconds(minutes * 60);
        return String.format(Locale.ROOT, "WS-%03d,%s,%.1f\n", row % STATIONS, measuredAt, celsius);
    }
}
