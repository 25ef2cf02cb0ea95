package dev.durable.samples.fileimport;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a file of readings from any position on. */
final class ReadingsFile implements AutoCloseable {
    private final BufferedReader lines;
    private Position position;

    private ReadingsFile(BufferedReader lines, Position position) {
        this.lines = lines;
        this.position = position;
    }

    static ReadingsFile open(Path file, Position position) throws IOException {
        FileChannel channel = FileChannel.open(file).position(position.bytes());
        return new ReadingsFile(new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)), position);
    }

    /** The next readings; fewer than asked for at the end, then none. */
    List<Reading> next(int atMost) throws IOException {
        List<Reading> batch = new ArrayList<>(atMost);
        while (batch.size() < atMost) {
            String line = lines.readLine();
            if (line == null) {
                break;
            }
            position = position.after(line.getBytes(StandardCharsets.UTF_8).length + 1);
            batch.add(Reading.parse(position.rows(), line));
        }
        return batch;
    }

    /** Behind the last reading that was given. */
    Position position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
