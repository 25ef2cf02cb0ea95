package dev.durable.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A sample in a JVM of its own, that can be killed. What it prints is read line by line. */
public final class SampleProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String END = "\0";

    private final Process process;
    private final List<String> seen = new ArrayList<>();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private SampleProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::read);
    }

    /** Starts it with the class path of the test and in this working directory. */
    public static SampleProcess start(Path directory, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dsamples.home=" + Path.of("").toAbsolutePath(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        return new SampleProcess(builder.start());
    }

    /** The first line from here on that is looked for; empty if the sample ends without it. */
    public Optional<String> awaitLine(Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("the line did not come; so far:\n" + String.join("\n", seen));
            }
            if (line.equals(END)) {
                return Optional.empty();
            }
            seen.add(line);
            if (wanted.test(line)) {
                return Optional.of(line);
            }
        }
    }

    /** Waits for its end; gives all that it printed. */
    public String awaitEnd() throws InterruptedException {
        awaitLine(line -> false);
        int code = process.waitFor();
        String output = String.join("\n", seen);
        if (code != 0) {
            throw new AssertionError("ended with " + code + ":\n" + output);
        }
        return output;
    }

    /** Waits for its end, which must be one with an error; gives all that it printed. */
    public String awaitRefusal() throws InterruptedException {
        awaitLine(line -> false);
        String output = String.join("\n", seen);
        if (process.waitFor() == 0) {
            throw new AssertionError("ended without an error:\n" + output);
        }
        return output;
    }

    /** SIGKILL; returns when it is dead. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(lines::add);
        } catch (UncheckedIOException | IOException e) {
            // It was killed while it printed.
        } finally {
            lines.add(END);
        }
    }
}
