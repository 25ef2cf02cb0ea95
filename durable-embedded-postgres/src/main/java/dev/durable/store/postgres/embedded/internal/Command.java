package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A short-lived program of the server's or the system's, in an environment that is the same for every user. */
record Command(List<String> words, Path folder) {

    /** How it ended and what it said on both of its outputs. */
    record Outcome(int exit, String output) {
        boolean ok() {
            return exit == 0;
        }
    }

    static Command in(Path folder, List<String> prefix, Object... words) {
        List<String> all = new ArrayList<>(prefix);
        Arrays.stream(words).map(Object::toString).forEach(all::add);
        return new Command(List.copyOf(all), folder);
    }

    Outcome run() throws IOException, InterruptedException {
        Process process = start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output.strip());
    }

    Process start() throws IOException {
        Process process = builder().redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
    }

    /** Variables like {@code PGPORT} would change the server; a locale that is not installed would stop it. */
    ProcessBuilder builder() {
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        builder.environment().put("LC_ALL", "C");
        return builder;
    }
}
