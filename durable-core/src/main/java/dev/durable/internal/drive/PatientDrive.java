package dev.durable.internal.drive;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.observe.OutageLog;
import dev.durable.internal.observe.Tries;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import dev.durable.store.StoreOutageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Drive} that lets each step pause and try again, with growing pauses of its own, when the database does not
 * answer or refuses.
 *
 * <pre>
 *   answered ──► lost one connection ──► again at once, on another; lost again ──► 8 ms, 16 ms, 32 ms … at most 5 s
 *       ▲  └──► refused, or no server there ──► 250 ms, 500 ms, 1 s … at most 5 s
 *       └───────────────── the step comes back without an error
 * </pre>
 *
 * <p>Pauses are spread, and a wake-up does not end them: slots that become free, nudges and clients would turn an
 * outage into a storm of connections. The step finds its work when the pause is over.
 */
public final class PatientDrive implements Drive {
    private static final double SPREAD = 0.25;
    private static final Duration LOST = Duration.ofMillis(2);
    private static final Duration REFUSED = Duration.ofMillis(125);
    private static final int MOST_DOUBLINGS = 16;

    private final Drive drive;
    private final StoreClock clock;
    private final RandomGenerator random;
    private final OutageLog log;
    private final Tries tries;

    /** Creates the drive with tries that remember which steps have failed at every try. */
    public PatientDrive(Drive drive, StoreClock clock, RandomGenerator random, OutageLog log, Tries tries) {
        this.tries = tries;
        this.drive = drive;
        this.clock = clock;
        this.random = random;
        this.log = log;
    }

    private final class Patient implements Step {
        private final String name;
        private final String shown;
        private final Step step;
        private int failures;
        private long waitsUntil;

        Patient(String name, Step step) {
            this.name = name;
            this.shown = "loop \"" + name + "\"";
            this.step = step;
        }

        @Override
        public Duration runOnce() throws InterruptedException {
            if (failures > 0) {
                long left = waitsUntil - clock.nanoTime();
                if (left > 0) {
                    return Duration.ofNanos(left);
                }
            }
            try {
                Duration pause = step.runOnce();
                failures = 0;
                log.answered(name);
                tries.worked(shown);
                return pause;
            } catch (StoreUnavailableException | CommitUnknownException e) {
                tries.failed(shown, e);
                log.failed(name, e);
                Duration pause = pauseAfter(e);
                waitsUntil = clock.nanoTime() + pause.toNanos();
                return pause;
            } catch (RuntimeException | Error e) {
                tries.failed(shown, e);
                throw e;
            }
        }

        private Duration pauseAfter(Exception e) {
            failures++;
            boolean one = e instanceof CommitUnknownException
                    || (e instanceof StoreOutageException outage && outage.isOneConnections());
            if (one && failures == 1) {
                return AGAIN;
            }
            Duration pause = (one ? LOST : REFUSED).multipliedBy(1L << Math.min(failures, MOST_DOUBLINGS));
            Duration most = step.patience();
            return Jitter.spread(pause.compareTo(most) < 0 ? pause : most, SPREAD, random);
        }
    }

    @Override
    public Runnable add(String name, Kind kind, Step step) {
        return drive.add(name, kind, kind == Kind.IO ? new Patient(name, step) : step);
    }

    @Override
    public Executor activities(String taskQueue, boolean virtualThreads) {
        return drive.activities(taskQueue, virtualThreads);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
        return drive.ask(question);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> askViews(Supplier<T> question) {
        return drive.askViews(question);
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        return drive.await(future, timeout);
    }

    @Override
    public void breathe() {
        drive.breathe();
    }

    @Override
    public void promised(CompletableFuture<?> result) {
        drive.promised(result);
    }

    @Override
    public void stalled(RunKey run, String why) {
        drive.stalled(run, why);
    }

    @Override
    public void start() {
        drive.start();
    }

    @Override
    public long nanosSinceProgress() {
        return drive.nanosSinceProgress();
    }

    @Override
    public void close() {
        drive.close();
    }
}
