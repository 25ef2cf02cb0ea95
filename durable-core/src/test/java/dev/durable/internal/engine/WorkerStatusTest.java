package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityTimedOutException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.ThreadDrive;
import dev.durable.internal.upkeep.UpkeepChore;
import dev.durable.observe.EngineObserver;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The status of a process. Real threads. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class WorkerStatusTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    private final CountDownLatch let = new CountDownLatch(1);

    @Activity(startToClose = "50ms", retry = @Retry(maxAttempts = 1))
    interface Stubborn {
        String work();
    }

    @Workflow
    static class Patient {
        private final Stubborn stubborn;

        Patient(Stubborn stubborn) {
            this.stubborn = stubborn;
        }

        @Run
        String run() {
            try {
                return stubborn.work();
            } catch (ActivityTimedOutException e) {
                return "timed out";
            }
        }
    }

    @Test
    void a_body_that_ignores_its_interrupt_is_shown_as_a_zombie_and_what_it_gives_is_dropped() {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Patient.class)
                .activity(Stubborn.class, this::ignoreInterrupts)
                .queue("default", queue -> queue.slots(3))
                .start()) {
            var run = engine.client().start(Patient.class, "p-1", Patient::run);
            assertThat(run.result()).isEqualTo("timed out");
            await(() -> engine.worker().zombies() == 1);

            assertThat(engine.worker().queues()).containsExactly(new WorkerStatus.Queue("default", 3, 3, 1));
            let.countDown();
            await(() -> engine.worker().zombies() == 0);
            assertThat(run.history().stream().map(event -> event.type())).doesNotContain("ActivityCompleted");
        }
    }

    @Test
    void the_documented_chores_of_upkeep_are_those_of_the_list() throws IOException {
        String page = Files.readString(Path.of("../docs/workers.md"));
        String table = page.substring(page.indexOf("| chore | every | does |"));
        List<String> documented = Pattern.compile("^\\| `([a-z-]+)` \\| ([^|]+) \\|", Pattern.MULTILINE)
                .matcher(table.substring(0, table.indexOf("\n\n")))
                .results()
                .map(row -> row.group(1) + " every " + row.group(2))
                .toList();

        assertThat(documented)
                .as("the table in docs/workers.md")
                .containsExactlyElementsOf(Arrays.stream(UpkeepChore.values())
                        .map(chore -> chore.shown() + " every " + chore.every())
                        .toList());
    }

    @Test
    void an_engine_does_all_chores_of_the_list_in_its_order_and_a_client_only_none() {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Patient.class)
                .activity(Stubborn.class, () -> "done")
                .identity("me")
                .onAlert(alert -> {})
                .observe(new EngineObserver() {
                    @Override
                    public boolean wantsQueueSamples() {
                        return true;
                    }
                })
                .start()) {
            await(() -> engine.upkeep().stream().allMatch(step -> step.lastRun() != null));

            assertThat(engine.upkeep().stream().map(UpkeepStep::name))
                    .containsExactlyElementsOf(Arrays.stream(UpkeepChore.values())
                            .map(UpkeepChore::shown)
                            .toList());
            assertThat(engine.upkeep()).noneMatch(UpkeepStep::late);
            assertThat(engine.healthy()).isTrue();
            assertThat(engine.worker().identity()).isEqualTo("me");
            assertThat(engine.worker().session()).isNotNull();
            assertThat(engine.worker().staleReports()).isZero();
        }
        try (DurableEngine client =
                DurableEngine.builder(new InMemoryHistoryStore()).clientOnly().start()) {
            assertThat(client.upkeep()).isEmpty();
            assertThat(client.worker().session()).isNull();
            assertThat(client.healthy()).isTrue();
        }
    }

    @Test
    void who_is_not_healthy_says_why() {
        VirtualClock clock = new VirtualClock();
        DurableEngine engine = DurableEngine.builder(InMemoryHistoryStore.on(clock))
                .register(Patient.class)
                .activity(Stubborn.class, () -> "done")
                .start();
        try (engine) {
            await(() -> engine.upkeep().stream().allMatch(step -> step.lastRun() != null));
            assertThat(engine.problems()).isEmpty();

            clock.advance(Duration.ofMinutes(10));

            assertThat(engine.problems())
                    .anySatisfy(
                            problem -> assertThat(problem)
                                    .startsWith("upkeep step \"session\" is late, last done at ")
                                    .endsWith(
                                            ": the database does not answer or refuses it, or a loop hangs. The log says which."));
            assertThat(engine.healthy()).isFalse();
        }
        assertThat(engine.problems()).containsExactly("the engine is closed");
    }

    @Test
    void a_loop_that_hangs_is_a_problem() {
        ThreadDrive drive = new ThreadDrive(UnaryOperator.identity());
        Drive hanging = (Drive) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Drive.class},
                (proxy, method, arguments) -> method.getName().equals("nanosSinceProgress")
                        ? (Object) Duration.ofSeconds(61).toNanos()
                        : method.invoke(drive, arguments));
        try (DurableEngine client = new EngineBuilder(new InMemoryHistoryStore())
                .drive(hanging)
                .clientOnly()
                .start()) {
            assertThat(client.problems())
                    .containsExactly(
                            "a loop has made no progress for 61 s: it hangs, or the machine stands still. Take a"
                                    + " thread dump, and restart the process; nothing is lost.");
        }
    }

    private String ignoreInterrupts() {
        while (true) {
            try {
                let.await();
                return "late";
            } catch (InterruptedException e) {
                // It is stubborn.
            }
        }
    }

    private static void await(BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun).isLessThan(PATIENCE);
            Thread.onSpinWait();
        }
    }
}
