package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A worker in a JVM of its own, which the system suspends and continues as it likes. */
record PausableWorker(Process process, BufferedReader answers, PrintStream words) implements AutoCloseable {
    static final String NAME = "suspended";
    static final Duration LEASE = Duration.ofSeconds(2);
    /** Bodies that took so long were suspended in the middle, and their lease was lost meanwhile. */
    static final Duration FROZEN = LEASE.multipliedBy(3);

    /** Says whether the process that ran it stood still meanwhile. */
    @Activity(startToClose = "60s")
    interface Tell {
        String tell(int number);
    }

    /** So many calls at once; gives how many were answered. */
    @Workflow
    static class Ask {
        private final Tell tell;

        Ask(Tell tell) {
            this.tell = tell;
        }

        @Run
        int run(int calls) {
            List<Promise<String>> answers = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                answers.add(Durable.async(tell::tell, i));
            }
            return Promise.all(answers).size();
        }
    }

    static PausableWorker start(Database database) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PausableWorker.class.getName(),
                        database.url(),
                        database.user(),
                        database.password())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new PausableWorker(
                process,
                process.inputReader(),
                new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** How many bodies are at work, and how many reports were refused as stale. */
    int[] ask() throws IOException {
        words.println("?");
        String line = answers.readLine();
        while (line != null && !line.startsWith("> ")) {
            line = answers.readLine();
        }
        if (line == null) {
            throw new IOException("the worker has ended");
        }
        String[] numbers = line.split(" ", -1);
        return new int[] {Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2])};
    }

    void pause() throws Exception {
        signal("-STOP");
    }

    void goOn() throws Exception {
        signal("-CONT");
    }

    private void signal(String which) throws Exception {
        int code = new ProcessBuilder("kill", which, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill " + which + " gave " + code);
        }
    }

    @Override
    public void close() throws Exception {
        words.close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("the worker did not end");
        }
    }

    public static void main(String[] arguments) throws IOException {
        AtomicInteger atWork = new AtomicInteger();
        try (HikariDataSource pool = new Database(arguments[0], arguments[1], arguments[2]).pool(8);
                DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                        .register(Ask.class)
                        .activity(Tell.class, number -> tell(atWork))
                        .identity(NAME)
                        .sessionLease(LEASE)
                        .pollInterval(Duration.ofMillis(200))
                        .start();
                BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (words.readLine() != null) {
                System.out.println("> " + atWork.get() + " " + engine.worker().staleReports());
            }
        }
    }

    private static String tell(AtomicInteger atWork) {
        atWork.incrementAndGet();
        long begun = System.nanoTime();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        atWork.decrementAndGet();
        return System.nanoTime() - begun > FROZEN.toNanos() ? "frozen" : "fresh";
    }
}
