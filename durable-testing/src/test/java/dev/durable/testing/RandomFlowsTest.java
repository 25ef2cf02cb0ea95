package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Random workflows against {@link FlowModel}: children, links, messages, sagas, retries and cancellations, while engines are
 * started, stopped and killed, instances are lost, the run is paused, and time jumps. The result, the effects and the answers
 * are those of the model, and each history replays, also cut after its first turns.
 *
 * <p>{@code -Ddurable.flows.programs=2000} runs more of them, {@code durable.flows.seed} says the first one; a failure names
 * its seed.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("slow")
class RandomFlowsTest {
    private static final long FIRST = Long.getLong("durable.flows.seed", 1);
    private static final int PROGRAMS = Integer.getInteger("durable.flows.programs", 80);
    private static final int ON_POSTGRES = 1;
    private static final int MOST_STEPS = 1_000;
    private static final int TURNS_CUT = 12;
    private static final int MOST_KILLED = 2;
    private static final int MOST_WORKERS = 2;

    private final Logger library = (Logger) LoggerFactory.getLogger("dev.durable");
    private final Set<String> kinds = new TreeSet<>();
    private final Map<WorkflowStatus, Integer> ends = new TreeMap<>();
    private @Nullable Level level;

    /** Failures, stops and dropped signals are warned of, which is right. */
    @BeforeEach
    void quiet() {
        level = library.getLevel();
        library.setLevel(Level.ERROR);
    }

    @AfterEach
    void loud() {
        library.setLevel(level);
    }

    @Test
    void workflows_do_what_the_model_says_whatever_becomes_of_their_workers() {
        for (long seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
            try (MemoryTime time = new MemoryTime()) {
                check(seed, time);
            }
        }
        if (PROGRAMS >= 80) {
            assertThat(kinds)
                    .contains(
                            "ChildCancelled",
                            "ChildCompleted",
                            "ChildFailed",
                            "ExternalSignalRequested",
                            "SignalReceived",
                            "UpdateCompleted",
                            "WorkflowCancelRequested",
                            "WorkflowContinuedAsNew",
                            "WorkflowPaused");
            assertThat(ends).containsKeys(WorkflowStatus.COMPLETED, WorkflowStatus.FAILED, WorkflowStatus.CANCELLED);
        }
    }

    @Test
    void workflows_on_postgres_do_what_the_model_says() {
        try (PostgresTime time = PostgresTime.fresh()) {
            for (long seed = FIRST; seed < FIRST + ON_POSTGRES; seed++) {
                check(seed, time);
            }
        }
    }

    private void check(long seed, TestTime time) {
        FlowProgram program = FlowProgram.of(seed);
        FlowModel.Outcome said = FlowModel.of(program);
        Player player = new Player(seed, program, said, time);
        try {
            player.play();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + " of " + program + "\nThe model says " + said
                            + "\nTo run it again alone: -Ddurable.flows.programs=1 -Ddurable.flows.seed=" + seed,
                    e);
        }
        kinds.addAll(player.kinds);
        ends.merge(said.status(), 1, Integer::sum);
    }

    /** Plays one program with real engines. */
    private static final class Player {
        private final long seed;
        private final FlowModel.Outcome said;
        private final FlowProgram program;
        private final SteppedEngines engines;
        private final Random random;
        private final String id;
        private final Map<String, String> effects = new ConcurrentHashMap<>();
        private final List<DurableEngine> open = new ArrayList<>();
        private final List<DurableEngine> workers = new ArrayList<>();
        private final Set<String> kinds = new LinkedHashSet<>();
        private int sent;
        private int killed;
        private boolean paused;
        private boolean cancelled;
        private @Nullable CompletableFuture<Integer> update;

        Player(long seed, FlowProgram program, FlowModel.Outcome said, TestTime time) {
            this.seed = seed;
            this.program = program;
            this.said = said;
            this.engines = new SteppedEngines(time);
            this.random = new Random(~seed);
            this.id = "flow-" + seed;
        }

        void play() {
            try (engines) {
                DurableClient client = engine("elsewhere").client();
                workers.add(engine("default"));
                StartOptions options = StartOptions.id(id);
                WorkflowHandle<Flow, String> run = client.start(
                        Flow.class,
                        program.failures() == 0 ? options : options.retry(o -> o.maxAttempts(program.failures() + 1)),
                        w -> w.run(seed, 0, program.failures(), List.of(), List.of(), 0));
                int steps = 0;
                while (!isOver(client)) {
                    if (++steps > MOST_STEPS) {
                        throw new AssertionError("it does not end: " + client.history(id));
                    }
                    disturb(run);
                }
                compare(client);
                engines.end(List.copyOf(open));
            }
        }

        private DurableEngine engine(String queue) {
            DurableEngine engine = engines.start(builder -> {
                long cache = random.nextBoolean() ? 1 : 1L << 24;
                return builder.random(() -> new UUID(random.nextLong(), random.nextLong()))
                        .cacheBytes(cache)
                        .register(Flow.class, Flow.Poker.class, Flow.Sleeper.class)
                        .activity(Flow.Acts.class, new World())
                        .queue(queue, slots -> {})
                        .identity(queue + "-" + open.size())
                        .pollInterval(Duration.ofMinutes(10))
                        .sessionLease(Duration.ofMinutes(10))
                        .drainTimeout(Duration.ofSeconds(10));
            });
            open.add(engine);
            return engine;
        }

        private boolean isOver(DurableClient client) {
            engines.settle();
            return client.handle(id).describe().summary().status().closed() && (update == null || update.isDone());
        }

        /** One thing that happens, and some time. */
        private void disturb(WorkflowHandle<Flow, String> run) {
            switch (random.nextInt(16)) {
                case 0, 1, 2 -> begin();
                case 3 -> stop();
                case 4 -> kill();
                case 5 -> pauseOrResume(run);
                case 6, 7, 8, 9, 10 -> send(run);
                case 11 -> cancel(run);
                default -> {}
            }
            engines.settle();
            Instant next = engines.now().plusSeconds(1L << random.nextInt(13));
            while (engines.now().isBefore(next)) {
                engines.moveTowards(next);
            }
        }

        private void begin() {
            if (workers.size() < MOST_WORKERS) {
                workers.add(engine("default"));
            }
        }

        private void stop() {
            if (!workers.isEmpty()) {
                DurableEngine oldest = workers.removeFirst();
                open.remove(oldest);
                var unused = engines.stop(oldest);
            }
        }

        /** Lost workers are counted for a job, which is a dead letter after some of them. */
        private void kill() {
            if (!workers.isEmpty() && killed < MOST_KILLED) {
                killed++;
                DurableEngine lost = workers.removeLast();
                open.remove(lost);
                engines.kill(lost);
            }
        }

        private void pauseOrResume(WorkflowHandle<Flow, String> run) {
            if (isClosed(run)) {
                return;
            }
            if (paused) {
                run.resume();
            } else {
                run.pause("away");
            }
            paused = !paused;
        }

        private static boolean isClosed(WorkflowHandle<Flow, String> run) {
            return run.describe().summary().status().closed();
        }

        /** The next message goes when the one before was answered: they are compared in the order of sending. */
        private void send(WorkflowHandle<Flow, String> run) {
            if (sent == said.words() || isClosed(run)) {
                return;
            }
            if (update != null && !isAnswered(update)) {
                return;
            }
            String word = FlowModel.word(sent);
            if (FlowModel.isUpdate(sent)) {
                update = engines.call(() -> run.update(w -> w.tell(word)));
            } else {
                run.signal(w -> w.hear(word));
            }
            sent++;
        }

        private boolean isAnswered(CompletableFuture<Integer> asked) {
            if (asked.isDone()) {
                assertThat(asked.join()).isEqualTo(sent);
                update = null;
            }
            return update == null;
        }

        private void cancel(WorkflowHandle<Flow, String> run) {
            boolean idle = sent == said.words() && (update == null || isAnswered(update));
            if (said.status() == WorkflowStatus.CANCELLED && idle && !cancelled && run.query(Flow::waitsForEver)) {
                cancelled = true;
                run.cancel("over");
            }
        }

        // ── what is seen ────────────────────────────────────────────────────────────────────────────────────────────

        private void compare(DurableClient client) {
            List<HistoryEvent> last = List.copyOf(client.history(id));
            assertThat(client.handle(id).describe().summary().status())
                    .as("%s", last)
                    .isEqualTo(said.status());
            assertThat(result(last.getLast())).as("%s", last).isEqualTo(said.result());
            assertThat(sent).as("messages").isEqualTo(said.words());
            assertThat(effects.values().stream().sorted().toList()).isEqualTo(said.effects());
            Replayer replayer = Replayer.of(Flow.class, Flow.Poker.class, Flow.Sleeper.class);
            try (Stream<WorkflowQuery.Row> all = client.workflows().where(run -> run.workflowIdPrefix(id)).stream()) {
                all.map(row -> client.history(row.summary().runId())).forEach(history -> {
                    history.forEach(event -> kinds.add(event.type()));
                    replayer.check(history, TURNS_CUT);
                });
            }
        }

        private static String result(HistoryEvent closing) {
            return switch (closing) {
                case WorkflowCompleted e -> e.result().json().replaceAll("^\"|\"$", "");
                case WorkflowFailed e -> String.valueOf(e.failure().message());
                default -> "";
            };
        }

        private final class World implements Flow.Acts {
            @Override
            public String act(String name, int failures, int seconds) {
                ActivityInfo info = ActivityContext.current().info();
                if (info.attempt() <= failures) {
                    throw new IllegalStateException("not yet");
                }
                if (seconds > 0 && !engines.sleepUntil(engines.now().plusSeconds(seconds), false)) {
                    throw new IllegalStateException("interrupted");
                }
                effects.put(info.idempotencyKey(), name);
                return name;
            }

            @Override
            public void fail(String name) {
                throw new IllegalStateException(name);
            }
        }
    }
}
