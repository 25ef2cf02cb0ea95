package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.RetryAfterException;
import dev.durable.RetryableException;
import dev.durable.StaleAttemptException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityOperated;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.IncidentResolved;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.testing.JobModel.NothingSaid;
import dev.durable.testing.JobModel.Rule;
import dev.durable.testing.JobProgram.Call;
import dev.durable.testing.JobProgram.Happening;
import dev.durable.testing.JobProgram.Told;
import dev.durable.testing.JobProgram.What;
import dev.durable.testing.JobSeen.Began;
import dev.durable.testing.JobSeen.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
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
 * Random background jobs against {@link JobModel}: delay, expiry, timeouts, retries and what bodies do, while workers shut
 * down and start and operators cancel, pause, resume and retry. The number of calls of the body, when they begin, their
 * attempts and what they find of those before, what operators are answered, the end and the history are those of the model.
 *
 * <p>{@code -Ddurable.jobs.seeds=5000} runs more of them, {@code durable.jobs.seed} says the first one; a failure says
 * how its program is run again alone.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("slow")
class RandomJobsTest {
    private static final long FIRST = Long.getLong("durable.jobs.seed", 1);
    private static final int SEEDS = Integer.getInteger("durable.jobs.seeds", 300);
    private static final String PROGRAM = "durable.jobs.program";
    private static final int ON_POSTGRES = 3;
    /** With so many seeds that differ it ends. */
    private static final int MOST_DIFFERENT = 5;

    @Activity
    interface Work {
        String work();
    }

    /**
     * How exactly times are compared.
     *
     * @param tolerance between the model and the engine
     * @param margin nothing is said of what happens within that time of something else
     * @param tries how often a program is played that does something else; what is wrong is wrong each time
     */
    private record Exactness(long tolerance, long margin, int tries) {
        /** A run that another worker had is left to it for a tenth of a second. */
        static final Exactness VIRTUAL = new Exactness(150, 200, 1);
        /** Time goes on by itself, at a hundredth of its speed. */
        static final Exactness REAL = new Exactness(2_000, 2_500, 4);
    }

    private final Set<Rule> rules = Rule.today();
    private final Map<String, Integer> notCompared = new TreeMap<>();
    private final Map<String, Integer> endings = new TreeMap<>();
    private final Logger workers = (Logger) LoggerFactory.getLogger("dev.durable.internal");
    private @Nullable Level level;

    /** Bodies that ignore their interrupt are warned of, which is right. */
    @BeforeEach
    void quiet() {
        level = workers.getLevel();
        workers.setLevel(Level.ERROR);
    }

    @AfterEach
    void loud() {
        workers.setLevel(level);
    }

    @Test
    void jobs_do_what_the_model_says() {
        String given = System.getProperty(PROGRAM);
        if (given != null) {
            compare("given", JobProgram.parse(given), new MemoryTime(), Exactness.VIRTUAL);
            return;
        }
        int compared = 0;
        List<AssertionError> different = new ArrayList<>();
        for (long seed = FIRST; seed < FIRST + SEEDS && different.size() < MOST_DIFFERENT; seed++) {
            try {
                compared +=
                        compare("seed " + seed, JobProgram.random(seed), new MemoryTime(), Exactness.VIRTUAL) ? 1 : 0;
            } catch (AssertionError e) {
                different.add(e);
            }
        }
        if (!different.isEmpty()) {
            AssertionError first = different.removeFirst();
            different.forEach(first::addSuppressed);
            throw first;
        }
        if (SEEDS >= 300) {
            assertThat(compared)
                    .as("endings %s, not compared %s", endings, notCompared)
                    .isGreaterThan(SEEDS / 2);
            assertThat(endings).containsKeys("CANCELLED", "COMPLETED", "DEAD_LETTER", "FAILED", "INCIDENT");
        }
    }

    @Test
    void jobs_on_postgres_do_what_the_model_says() {
        int compared = 0;
        try (PostgresTime time = PostgresTime.fresh()) {
            for (long seed = FIRST; compared < ON_POSTGRES; seed++) {
                compared += compare("seed " + seed, JobProgram.random(seed), time, Exactness.REAL) ? 1 : 0;
            }
        }
    }

    /** A program that a failure has printed is the program that failed. */
    @Test
    void a_program_is_read_back_from_its_text() {
        for (long seed = 1; seed <= 100; seed++) {
            JobProgram program = JobProgram.random(seed);
            assertThat(JobProgram.parse(program.toString())).isEqualTo(program);
        }
    }

    // ── comparing ───────────────────────────────────────────────────────────────────────────────────────────────────

    /** Compares the engine with the model; returns whether the model defines the program's outcome. */
    private boolean compare(String what, JobProgram program, TestTime time, Exactness exactness) {
        Optional<String> difference;
        try {
            difference = difference(program, time, exactness);
            // Real time goes on beside the steps: on a busy machine they come late. What is wrong is wrong each time.
            for (int tries = 1; tries < exactness.tries() && difference.isPresent(); tries++) {
                difference = difference(program, time, exactness);
            }
        } catch (NothingSaid e) {
            notCompared.merge(reason(e), 1, Integer::sum);
            return false;
        }
        if (difference.isPresent()) {
            JobProgram least = time instanceof MemoryTime ? smallest(program, exactness) : program;
            throw new AssertionError(what + ": the job did something else than the model says.\n"
                    + difference.get() + "\nIt was\n  " + program + "\nThe same, as small as it gets:\n"
                    + difference(least, time instanceof MemoryTime ? new MemoryTime() : time, exactness)
                            .orElse("")
                    + "\nTo run it again alone: -D" + PROGRAM + "='" + least + "'");
        }
        return true;
    }

    private static String reason(NothingSaid e) {
        String message = String.valueOf(e.getMessage());
        return Stream.of(Rule.values()).anyMatch(rule -> rule.name().equals(message)) ? message : "at one time";
    }

    private Optional<String> difference(JobProgram program, TestTime time, Exactness exactness) {
        JobSeen said = JobModel.of(program, rules, exactness.margin());
        Player player = new Player(program, time);
        JobSeen seen;
        try {
            seen = player.play();
        } catch (RuntimeException e) {
            throw new AssertionError("the program can't be run: -D" + PROGRAM + "='" + program + "'", e);
        }
        endings.merge(said.status(), 1, Integer::sum);
        return said.isLike(seen, exactness.tolerance(), rules.contains(Rule.HISTORY_KEEPS_ORDER))
                ? Optional.empty()
                : Optional.of("model:  " + said + "\nengine: " + seen + "\nhistory: " + player.history);
    }

    private JobProgram smallest(JobProgram program, Exactness exactness) {
        JobProgram least = program;
        for (boolean smaller = true; smaller; ) {
            Optional<JobProgram> next =
                    least.smaller().filter(one -> isDifferent(one, exactness)).findFirst();
            smaller = next.isPresent();
            least = next.orElse(least);
        }
        return least;
    }

    private boolean isDifferent(JobProgram program, Exactness exactness) {
        try {
            return difference(program, new MemoryTime(), exactness).isPresent();
        } catch (NothingSaid e) {
            return false;
        }
    }

    // ── playing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Plays one program with real engines. */
    private static final class Player {
        private final JobProgram program;
        private final TestTime time;
        private final SteppedEngines engines;
        private final Random random = new Random(1);
        private final String id = "job-" + UUID.randomUUID();
        private final List<Began> calls = Collections.synchronizedList(new ArrayList<>());
        private final List<String> answers = new ArrayList<>();
        private final List<DurableEngine> open = new ArrayList<>();
        private final List<DurableEngine> accepting = new ArrayList<>();
        private @Nullable Instant begin;
        private List<HistoryEvent> history = List.of();

        Player(JobProgram program, TestTime time) {
            this.program = program;
            this.time = time;
            this.engines = new SteppedEngines(time);
        }

        JobSeen play() {
            try (engines) {
                // It ends jobs in time that no worker serves, as any process does.
                DurableEngine watcher = engine("watcher", "elsewhere");
                try {
                    return play(watcher.client());
                } finally {
                    engines.end(List.copyOf(open));
                }
            } finally {
                if (time instanceof MemoryTime) {
                    time.close();
                }
            }
        }

        private DurableEngine engine(String identity, String queue) {
            DurableEngine engine = engines.start(builder -> {
                EngineBuilder set = builder.random(() -> new UUID(random.nextLong(), random.nextLong()));
                return set.activity(Work.class, this::work)
                        .configuration(program.options().configuration())
                        .queue(queue, slots -> {})
                        .identity(identity)
                        .drainTimeout(Duration.ofMillis(JobModel.DRAIN));
            });
            open.add(engine);
            return engine;
        }

        private JobSeen play(DurableClient client) {
            List<Happening> happenings = program.happenings();
            int happened = 0;
            while (happened < happenings.size() && happenings.get(happened).at() == 0) {
                happens(happenings.get(happened++).what(), client);
            }
            engines.settle();
            enqueue(program.eager() ? accepting.getFirst().client() : client);
            long last = happenings.isEmpty() ? 0 : happenings.getLast().at();
            while (true) {
                engines.settle();
                if (happened < happenings.size()) {
                    Happening next = happenings.get(happened);
                    if (since() >= next.at()) {
                        happened++;
                        happens(next.what(), client);
                    } else {
                        engines.moveTowards(at(next.at()));
                    }
                } else if (hasEnded(client) || since() > last + JobModel.PATIENCE) {
                    return seen(client);
                } else {
                    engines.moveTowards(engines.now().plusSeconds(30));
                }
            }
        }

        private void enqueue(DurableClient client) {
            Instant now = engines.now();
            begin = now;
            StartOptions options = StartOptions.id(id).startDelay(Duration.ofMillis(program.delay()));
            if (program.expiry() > 0) {
                options = options.expiresAt(at(program.expiry()));
            }
            client.enqueue(Work.class, options, Work::work);
        }

        private Instant at(long millis) {
            return begin.plusMillis(millis);
        }

        private long since() {
            return since(engines.now());
        }

        private long since(Instant when) {
            return Duration.between(begin, when).toMillis();
        }

        private void happens(What what, DurableClient client) {
            switch (what) {
                case START -> accepting.add(engine("worker-" + open.size(), "default"));
                case STOP -> {
                    if (!accepting.isEmpty()) {
                        DurableEngine oldest = accepting.removeFirst();
                        open.remove(oldest);
                        var unused = engines.stop(oldest);
                    }
                }
                case CANCEL -> cancel(client);
                case PAUSE, RESUME, RETRY -> answers.add(what + " " + answer(what, client));
            }
        }

        private void cancel(DurableClient client) {
            try {
                client.handle(id).cancel("no longer wanted");
            } catch (WorkflowNotFoundException e) {
                // It has closed.
            }
            engines.settleAll();
        }

        private String answer(What what, DurableClient client) {
            var job = client.activity(id, 1);
            try {
                return Boolean.toString(
                        switch (what) {
                            case PAUSE -> job.pause();
                            case RESUME -> job.resume();
                            default -> job.retry();
                        });
            } catch (StaleAttemptException e) {
                return "gone";
            }
        }

        // ── the body ────────────────────────────────────────────────────────────────────────────────────────────────

        private String work() {
            ActivityContext context = ActivityContext.current();
            int number;
            synchronized (calls) {
                number = calls.size();
                calls.add(new Began(
                        since(),
                        context.info().attempt(),
                        since(context.info().scheduledAt()),
                        context.heartbeatDetails(Integer.class).orElse(0)));
            }
            Call call = program.call(number);
            context.onCancel(SteppedEngines.guest()::tell);
            if (!works(call, 1_000 * (number + 1), context)) {
                boolean unused = engines.sleepUntil(engines.now().plusMillis(call.toldAfter()), true);
                return switch (call.told()) {
                    case RETURNS -> "told";
                    case THROWS -> throw new IllegalStateException("broken off");
                    case STOPS, IS_DEAF -> throw new CancelledException("stopped");
                };
            }
            return switch (call.ends()) {
                case RETURNS -> "done";
                case THROWS -> throw new IllegalStateException("broken");
                case GIVES_UP -> throw new NonRetryableException("hopeless");
                case DEFERS -> throw new DeferException(Duration.ofMillis(call.after()));
                case RETRIES_AFTER -> throw new RetryAfterException(Duration.ofMillis(call.after()));
                case LEAVES ->
                    throw new RetryableException("not now")
                            .remainingAttempts(call.left())
                            .nextDelay(Duration.ofMillis(call.after()));
            };
        }

        /** Returns whether the body came to its end, rather than being asked to stop. */
        private boolean works(Call call, int firstDetails, ActivityContext context) {
            boolean deaf = call.told() == Told.IS_DEAF;
            Instant began = engines.now();
            Instant end = began.plusMillis(call.works());
            for (int beat = 1; ; beat++) {
                Instant next = began.plusMillis(beat * call.beats());
                boolean beats = call.beats() > 0 && next.isBefore(end);
                if (!engines.sleepUntil(beats ? next : end, deaf)) {
                    return false;
                }
                if (!beats) {
                    return true;
                }
                try {
                    context.heartbeat(firstDetails + beat);
                } catch (CancelledException | StaleAttemptException e) {
                    if (!deaf) {
                        throw e;
                    }
                }
            }
        }

        // ── what is seen ────────────────────────────────────────────────────────────────────────────────────────────

        private Optional<ActivitySummary> job(DurableClient client) {
            try {
                return Optional.of(client.activity(id, 1).describe());
            } catch (StaleAttemptException e) {
                return Optional.empty();
            }
        }

        private WorkflowStatus status(DurableClient client) {
            return client.handle(id).describe().summary().status();
        }

        private boolean hasEnded(DurableClient client) {
            return status(client).closed()
                    || job(client).filter(job -> job.state().isBuried()).isPresent();
        }

        private JobSeen seen(DurableClient client) {
            List<Began> counted = List.copyOf(calls);
            Optional<ActivityState> buried =
                    job(client).map(ActivitySummary::state).filter(ActivityState::isBuried);
            if (buried.isPresent()) {
                bury(client);
            }
            WorkflowStatus closed = status(client);
            History events = client.history(id);
            history = List.copyOf(events);
            String status = buried.isPresent()
                    ? buried.get() == ActivityState.DEAD ? "DEAD_LETTER" : "INCIDENT"
                    : closed == WorkflowStatus.TIMED_OUT ? "FAILED" : closed.name();
            boolean cancelled = closed == WorkflowStatus.CANCELLED;
            return new JobSeen(
                    counted,
                    answers,
                    status,
                    closed.closed()
                            ? history.stream()
                                    .filter(event -> !cancelled || !(event instanceof HistoryEvent.ActivityClosed))
                                    .flatMap(event -> note(event).stream())
                                    .toList()
                            : null);
        }

        /** An operator ends it, so that its history tells what happened to it. */
        private void bury(DurableClient client) {
            if (accepting.isEmpty()) {
                happens(What.START, client);
            }
            client.activity(id, 1).fail(new IllegalStateException("over"));
            engines.moveTowards(engines.now().plusSeconds(10));
        }

        private Optional<Note> note(HistoryEvent event) {
            return Optional.ofNullable(
                    switch (event) {
                        case ActivityAttemptFailed e ->
                            new Note("attempt " + e.attempt() + " " + e.reason(), since(e.at()));
                        case IncidentRaised e ->
                            new Note(
                                    (e.kind().equals("incident") ? "INCIDENT" : "DEAD_LETTER") + " after attempt "
                                            + e.attempt() + " " + e.reason(),
                                    since(e.at()));
                        case IncidentResolved e -> new Note(e.resolution(), since(e.at()));
                        case ActivityOperated e -> new Note(e.action(), since(e.at()));
                        case ActivityCompleted e -> new Note("completed in attempt " + e.attempt());
                        case ActivityFailed e -> new Note("failed in attempt " + e.attempt());
                        case ActivityTimedOut e -> timedOut(e);
                        case WorkflowTimedOut ignored -> new Note("timed out: schedule-to-start or expiry");
                        default -> null;
                    });
        }

        private static Note timedOut(ActivityTimedOut event) {
            return switch (event.timeout().name()) {
                case "SCHEDULE_TO_START", "EXPIRY" -> new Note("timed out: schedule-to-start or expiry");
                default -> new Note("timed out in attempt " + event.attempt() + ": " + event.timeout());
            };
        }
    }
}
