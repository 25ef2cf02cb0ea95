package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** One user of a server: its locked file, and the guardian that sees it out. */
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
