package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** One use of an embedded server by a process: its lock file and the guardian process that cleans up after it. */
record Attachment(FileChannel entry, Guardian guardian) implements AutoCloseable {

    /** Returns when the server has stopped, if this was its last user. */
    @Override
    public void close() throws IOException, InterruptedException {
        try {
            guardian.dismiss();
        } finally {
            entry.close();
        }
    }
}
