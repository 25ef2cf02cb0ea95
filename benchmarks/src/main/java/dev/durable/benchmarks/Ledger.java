package dev.durable.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * The file in which steps write down that they took effect, as the outside world saw it. One small write of the
 * operating system each, appended by several processes, which a SIGKILL does not undo.
 */
final class Ledger implements AutoCloseable {
    private static final int ENTRY = 8;

    private final FileChannel file;

    private Ledger(FileChannel file) {
        this.file = file;
    }

    static Ledger at(Path path) throws IOException {
        return new Ledger(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    void wrote(int run, int step) {
        try {
            ByteBuffer entry =
                    ByteBuffer.allocate(ENTRY).putInt(run).putInt(step).flip();
            file.write(entry);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("the ledger can't be written", e);
        }
    }

    /** How many effects there have been. */
    static long count(Path path) throws IOException {
        return Files.exists(path) ? Files.size(path) / ENTRY : 0;
    }

    /** How often each step took effect. */
    static Map<Long, Integer> read(Path path) throws IOException {
        ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(path));
        Map<Long, Integer> times = new HashMap<>();
        while (entries.remaining() >= ENTRY) {
            times.merge(entries.getLong(), 1, Integer::sum);
        }
        return times;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
