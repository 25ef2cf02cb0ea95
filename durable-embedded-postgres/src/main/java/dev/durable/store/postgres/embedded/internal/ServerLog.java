package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** Reads what the server has written to its log since a moment, for error messages. */
record ServerLog(Path file, long from) {
    private static final int TAIL = 12;

    static ServerLog from(Path file) throws IOException {
        return new ServerLog(file, Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.size(file) : 0);
    }

    boolean contains(String words) throws IOException {
        return text().contains(words);
    }

    /** The last lines, the earlier of which rarely say why it did not start. */
    String tail() throws IOException {
        List<String> lines = text().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }

    private String text() throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        byte[] all = Files.readAllBytes(file);
        int start = (int) Math.min(from, all.length);
        return new String(all, start, all.length - start, StandardCharsets.UTF_8);
    }
}
