package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The JVM has as many carrier threads as CPUs, and code that computes without an end on a virtual thread keeps one. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OneCarrierTest {
    private static final int PATIENCE_SECONDS = 90;

    @TempDir
    Path directory;

    @Test
    void a_process_goes_on_beside_as_many_validators_without_an_end_as_it_has_cpus() throws Exception {
        Path out = directory.resolve("1");
        Path outOfTwo = directory.resolve("2");
        Process one = processWithCpus(1, out);
        Process two = processWithCpus(2, outOfTwo);
        try {
            one.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            two.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } finally {
            one.destroyForcibly();
            two.destroyForcibly();
        }
        assertThat(Files.readString(out)).contains("answer 7", "rejected: its judgement was given up");
        assertThat(Files.readString(outOfTwo)).contains("answer 7", "rejected: its judgement was given up");
    }

    private static Process processWithCpus(int cpus, Path out) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:ActiveProcessorCount=" + cpus,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Validating.class.getName(),
                        String.valueOf(cpus))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
    }

    @Workflow
    static class Counter {
        private int count;

        @Run
        void run() {
            Durable.await(() -> false);
        }

        @Update
        int add(int number) {
            count += number;
            return count;
        }

        @Update.Validator("add")
        void check(int number) {
            if (number < 0) {
                Validating.BEGUN.release();
            }
            while (number < 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** The process: sends as many updates whose validator does not return as it is told, then a good one. */
    static final class Validating {
        static final Semaphore BEGUN = new Semaphore(0);

        private Validating() {}

        public static void main(String[] arguments) throws InterruptedException {
            int bad = Integer.parseInt(arguments[0]);
            DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                    .register(Counter.class)
                    .start();
            List<UpdateHandle<Integer>> sent = new ArrayList<>();
            for (int i = 0; i < bad; i++) {
                WorkflowHandle<Counter, ?> run = engine.client().startVoid(Counter.class, "bad-" + i, Counter::run);
                sent.add(run.startUpdate(w -> w.add(-1), WaitFor.SENT));
            }
            BEGUN.acquire(bad);
            WorkflowHandle<Counter, ?> good = engine.client().startVoid(Counter.class, "good", Counter::run);
            int answer = good.update(w -> w.add(7));
            System.out.println("answer " + answer);
            for (UpdateHandle<Integer> each : sent) {
                try {
                    each.result();
                } catch (UpdateRejectedException e) {
                    System.out.println("rejected: " + e.getMessage().replaceFirst("(?s)^.*(its judgement)", "$1"));
                }
            }
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }
    }
}
