package dev.durable.internal.upkeep;

import dev.durable.client.UpkeepStep;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Telemetry;
import dev.durable.observe.EngineObserver;
import dev.durable.store.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Runs the chores of a process and records whether each is on time. A chore that completed no run during several of its
 * intervals is late: the database does not answer, or its loop hangs, and an operator should look at it.
 */
public final class Upkeep {
    /** How many intervals a chore may miss before it counts as late: a failover takes seconds. */
    private static final int PATIENCE = 5;

    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(10);

    private final StoreClock clock;
    private final Telemetry telemetry;
    private final List<Timed> chores = new CopyOnWriteArrayList<>();

    /** Creates an upkeep without an observer. */
    Upkeep(StoreClock clock) {
        this(clock, new Telemetry(EngineObserver.NONE, clock));
    }

    public Upkeep(StoreClock clock, Telemetry telemetry) {
        this.clock = clock;
        this.telemetry = telemetry;
    }

    /** Returns the chore as a step that is timed and listed. */
    public Step keep(UpkeepChore which, Chore chore) {
        Timed timed = new Timed(which, chore, clock, telemetry);
        chores.add(timed);
        return timed;
    }

    /** Returns the chores in the order in which they were added. */
    public List<UpkeepStep> steps() {
        return chores.stream().map(Timed::told).toList();
    }

    boolean late() {
        return chores.stream().anyMatch(Timed::late);
    }

    private static final class Timed implements Step {
        private final UpkeepChore which;
        private final Chore chore;
        private final StoreClock clock;
        private final Telemetry telemetry;
        private volatile Last last;

        /**
         * @param at the time at which the last run began; null before the first
         * @param nanos that time on the monotonic clock; before the first run, the time at which the chore was added
         * @param took the duration of the run
         */
        private record Last(@Nullable Instant at, long nanos, Duration took) {}

        Timed(UpkeepChore which, Chore chore, StoreClock clock, Telemetry telemetry) {
            this.which = which;
            this.telemetry = telemetry;
            this.chore = chore;
            this.clock = clock;
            this.last = new Last(null, clock.nanoTime(), Duration.ZERO);
        }

        @Override
        public Duration runOnce() throws InterruptedException {
            long runs = chore.tally().done().runs();
            long begun = clock.nanoTime();
            Duration pause = chore.runOnce();
            if (chore.tally().done().runs() > runs) {
                long ended = clock.nanoTime();
                Duration took = Duration.ofNanos(ended - begun);
                last = new Last(clock.now(), ended, took);
                telemetry.choreDone(which.shown(), took, chore.tally().done().lastRows());
            }
            return pause;
        }

        @Override
        public Duration patience() {
            return chore.patience();
        }

        boolean late() {
            Duration patience = chore.interval().multipliedBy(PATIENCE);
            return clock.nanoTime() - last.nanos()
                    > (patience.compareTo(LEAST_PATIENCE) > 0 ? patience : LEAST_PATIENCE).toNanos();
        }

        UpkeepStep told() {
            Last told = last;
            ChoreTally.Done done = chore.tally().done();
            return new UpkeepStep(
                    which.shown(), chore.interval(), told.at(), told.took(), done.lastRows(), done.rows(), late());
        }
    }
}
