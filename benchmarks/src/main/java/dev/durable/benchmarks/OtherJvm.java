package dev.durable.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A contestant in a process of its own, which executes the commands on its standard input and ends with it. */
final class OtherJvm implements AutoCloseable {
    private static final String READY = "> ready";
    private static final String DONE = "> done";

    private final Process process;
    private final PrintStream words;
    private final BufferedReader answers;

    private OtherJvm(Process process) {
        this.process = process;
        this.words = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** @param options of the JVM */
    static OtherJvm start(Peer peer, Database database, Settings settings, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseParallelGC"));
        command.addAll(options);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                OtherJvm.class.getName(),
                peer.label(),
                database.url(),
                database.user(),
                settings.ledger().toString(),
                Integer.toString(settings.worker().connections()),
                Integer.toString(settings.worker().slots()),
                Boolean.toString(settings.worker().virtualThreads()),
                settings.worker().sessionLease().toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("BENCHMARKS_PASSWORD", database.password());
        return new OtherJvm(builder.start());
    }

    void awaitReady() throws IOException {
        await(READY);
    }

    /** Starts runs that go on by themselves; returns when all are started. */
    void startMany(int runs, int steps) throws IOException {
        words.println("start " + runs + " " + steps);
        await(DONE);
    }

    /** SIGKILL: it learns nothing of it. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private void await(String answer) throws IOException {
        for (String line = answers.readLine(); !answer.equals(line); line = answers.readLine()) {
            if (line == null) {
                throw new IOException("the other process has ended; its last words are on the standard error");
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        words.close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    /** The other side. */
    public static void main(String[] arguments) throws Exception {
        Database database = new Database(arguments[1], arguments[2], System.getenv("BENCHMARKS_PASSWORD"));
        Settings settings = new Settings(
                Duration.ZERO,
                Duration.ZERO,
                0,
                0,
                false,
                new Settings.Worker(
                        Integer.parseInt(arguments[4]),
                        Integer.parseInt(arguments[5]),
                        Boolean.parseBoolean(arguments[6]),
                        Duration.parse(arguments[7])),
                Path.of(arguments[3]));
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Contestant contestant = Peer.labelled(arguments[0]).open(database, settings)) {
            System.out.println(READY);
            for (String line = words.readLine(); line != null; line = words.readLine()) {
                String[] parts = line.split(" ", -1);
                contestant.startMany(Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
                System.out.println(DONE);
            }
        }
    }
}
