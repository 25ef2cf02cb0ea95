package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads {@code postmaster.pid}: process id, port and state of a running server. */
record Postmaster(ServerDirectory directory, long pid, int port, boolean ready) {
    private static final int PID = 0;
    private static final int PORT = 3;
    private static final int STATUS = 7;

    /** Empty, too, when the file is what a killed server left behind. */
    static Optional<Postmaster> on(ServerDirectory directory) throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(pidFile(directory));
        } catch (NoSuchFileException noServer) {
            return Optional.empty();
        }
        long pid = number(lines, PID);
        // The other word is that of a server whose data came from a standby, or that was made one.
        boolean ready = lines.size() > STATUS
                && Set.of("ready", "standby").contains(lines.get(STATUS).strip());
        return ProcessHandle.of(pid)
                .filter(directory::marks)
                .map(server -> new Postmaster(directory, pid, number(lines, PORT), ready));
    }

    /** 0 while the line is not written yet. */
    private static int number(List<String> lines, int line) {
        String text = lines.size() > line ? lines.get(line).strip() : "";
        return text.matches("\\d+") ? Integer.parseInt(text) : 0;
    }

    static Path pidFile(ServerDirectory directory) {
        return directory.data().resolve("postmaster.pid");
    }

    /** A fast shutdown: connections are cut, what was committed is kept. */
    void stop(Deadline deadline) throws IOException, InterruptedException {
        Command.in(directory.root(), List.of(), "sh", "-c", "kill -INT " + pid).run();
        while (on(directory).isPresent()) {
            if (deadline.passed()) {
                throw EmbeddedErrors.didNotStop(this, deadline);
            }
            deadline.pause();
        }
    }
}
