package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.DeferException;
import dev.durable.Retry;
import dev.durable.client.ActivityHandle;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.HistoryEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random jobs with a delay, an expiry, timeouts, failures and bodies that give themselves back, of an activity that may be
 * paused for a while, against a plain model: how each ends, when, and how often its body was called.
 */
@DurableTest
class RandomJobTimesTest {
    private static final long FIRST = Long.getLong("durable.jobtimes.seed", 1);
    private static final int JOBS = Integer.getInteger("durable.jobtimes.jobs", 300);
    private static final int NEVER = 1_000_000;
    private static final int TO_START = 10;
    private static final int TO_CLOSE = 305;
    private static final int RETRY = 60;

    @Activity(retry = @Retry(maxAttempts = 9, initialInterval = "60s", maxInterval = "60s", jitter = 0))
    interface Work {
        void plain(long seed);

        @Activity(scheduleToStart = "10s")
        void toStart(long seed);

        @Activity(scheduleToClose = "305s")
        void toClose(long seed);

        @Activity(scheduleToStart = "10s", scheduleToClose = "305s")
        void both(long seed);
    }

    /** Times in seconds from the call of enqueue. */
    private record Program(int delay, int paused, int expiry, boolean toStart, boolean toClose, List<Integer> steps) {

        static Program of(Random random) {
            int delay = pick(random, 0, 40, 120);
            List<Integer> steps = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                // 0 is a failure, others are given back for so long
                steps.add(pick(random, 0, 20, 200));
            }
            return new Program(
                    delay,
                    pick(random, 0, 30, 60, 150),
                    pick(random, NEVER, delay + 15, delay + 50),
                    random.nextBoolean(),
                    random.nextBoolean(),
                    steps);
        }

        private static int pick(Random random, int... values) {
            return values[random.nextInt(values.length)];
        }

        Ending ending() {
            int begin = Math.max(delay, paused);
            int startBy = toStart ? delay + TO_START : NEVER;
            int closeBy = toClose ? delay + TO_CLOSE : NEVER;
            if (Math.min(startBy, expiry) < begin) {
                return expiry <= startBy
                        ? new Ending("EXPIRY", expiry, 0)
                        : new Ending("SCHEDULE_TO_START", startBy, 0);
            }
            int now = begin;
            for (int i = 0; i < steps.size(); i++) {
                boolean failed = steps.get(i) == 0;
                if (failed && RETRY >= closeBy - now) {
                    return new Ending("SCHEDULE_TO_CLOSE", now, i + 1);
                }
                now += failed ? RETRY : steps.get(i);
                if (now >= closeBy) {
                    return new Ending("SCHEDULE_TO_CLOSE", closeBy, i + 1);
                }
            }
            return new Ending("done", now, steps.size() + 1);
        }
    }

    private record Ending(String how, int at, int bodies) {}

    private final List<Instant> bodies = new ArrayList<>();
    private List<Integer> left = List.of();

    private class Worker implements Work {
        @Override
        public void plain(long seed) {
            bodies.add(ActivityContext.current().info().scheduledAt());
            if (!left.isEmpty()) {
                int step = left.removeFirst();
                if (step == 0) {
                    throw new IllegalStateException("no");
                }
                throw new DeferException(Duration.ofSeconds(step));
            }
        }

        @Override
        public void toStart(long seed) {
            plain(seed);
        }

        @Override
        public void toClose(long seed) {
            plain(seed);
        }

        @Override
        public void both(long seed) {
            plain(seed);
        }
    }

    @Test
    void a_job_ends_as_its_times_say_and_what_has_begun_neither_expires_nor_is_late_to_start(TestEngine engine) {
        engine.activity(Work.class, new Worker());
        engine.client();
        for (long seed = FIRST; seed < FIRST + JOBS; seed++) {
            live(engine, seed, Program.of(new Random(seed)));
        }
    }

    private void live(TestEngine engine, long seed, Program program) {
        bodies.clear();
        left = new ArrayList<>(program.steps());
        Instant start = engine.now();
        if (program.paused() > 0) {
            engine.client().queues().pauseActivity("Work", start.plusSeconds(program.paused()));
        }
        StartOptions options = StartOptions.id("job-" + seed).startDelay(Duration.ofSeconds(program.delay()));
        StartOptions whole =
                program.expiry() == NEVER ? options : options.expiresAt(start.plusSeconds(program.expiry()));
        ActivityHandle job = engine.client().enqueue(Work.class, whole, work -> {
            if (program.toStart() && program.toClose()) {
                work.both(seed);
            } else if (program.toStart()) {
                work.toStart(seed);
            } else if (program.toClose()) {
                work.toClose(seed);
            } else {
                work.plain(seed);
            }
        });
        engine.advance(Duration.ofHours(1));
        if (program.paused() > 0) {
            engine.client().queues().resumeActivity("Work");
        }
        Ending expected = program.ending();
        String what = "seed " + seed + ", " + program + ", history " + job.history();
        HistoryEvent end = job.history().stream()
                .filter(event -> event instanceof ActivityTimedOut || event instanceof ActivityCompleted)
                .findFirst()
                .orElseThrow(() -> new AssertionError(what));
        assertThat(new Ending(
                        end instanceof ActivityTimedOut late ? late.timeout().name() : "done",
                        expected.at(),
                        bodies.size()))
                .as(what)
                .isEqualTo(expected);
        assertThat(end.at())
                .as(what)
                .isBetween(start.plusSeconds(expected.at()), start.plusSeconds(expected.at() + 8L));
        assertThat(bodies).as(what).allMatch(start.plusSeconds(program.delay())::equals);
    }
}
