package dev.durable.internal.engine;

import dev.durable.client.Alert;
import dev.durable.internal.attempt.ExternalAttempts;
import dev.durable.internal.attempt.LocalActivities;
import dev.durable.internal.dispatch.ActivityReports;
import dev.durable.internal.dispatch.ActivityStarter;
import dev.durable.internal.dispatch.HeldLeases;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.IdleInterval;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.PromptChore;
import dev.durable.internal.intercept.ThreadState;
import dev.durable.internal.upkeep.Alerts;
import dev.durable.internal.upkeep.DeadLetterRetention;
import dev.durable.internal.upkeep.EndedRuns;
import dev.durable.internal.upkeep.ExternalTimeouts;
import dev.durable.internal.upkeep.PartitionsAhead;
import dev.durable.internal.upkeep.QueueSampler;
import dev.durable.internal.upkeep.RelayChore;
import dev.durable.internal.upkeep.ReplyRetention;
import dev.durable.internal.upkeep.RunTimeouts;
import dev.durable.internal.upkeep.Sweeper;
import dev.durable.internal.upkeep.Timeouts;
import dev.durable.internal.upkeep.Upkeep;
import dev.durable.internal.upkeep.UpkeepChore;
import dev.durable.internal.upkeep.WorkerSession;
import dev.durable.observe.EngineObserver;
import dev.durable.store.HistoryStore;
import java.util.EnumSet;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the chores of upkeep of one worker: makes each {@link UpkeepChore}, gives it to the drive as a loop of its own,
 * and wakes those that nudges concern.
 */
final class WorkerChores {
    /**
     * How often within a lease the claims are compared, which is how a body without heartbeats learns that it has to
     * stop.
     */
    private static final int LOOKS_A_LEASE = 10;
    /**
     * The polls between two looks for timeouts that no worker watches; no nudge announces them, so each process looks
     * for them.
     */
    private static final int TIMEOUT_POLLS = 3;
    /** How many dead letters are purged, and groups alerted, in one batch. */
    private static final int FAILED_JOBS_BATCH = 200;

    private static final int REPLIES_BATCH = 1_000;

    private final HistoryStore store;
    private final ActivitySetup setup;
    private final Drive drive;
    private final RandomGenerator random;
    private final Upkeep upkeep;
    private final RelayChore relay;
    private final PollPace relayPace;
    private final Parts parts;
    private final Map<UpkeepChore, Runnable> wakes = new ConcurrentHashMap<>();
    private volatile @Nullable QueueSampler sampler;

    /**
     * The parts of the worker that the chores need.
     *
     * @param onSessionEnded called when the claims of a session are free
     * @param onRunTimedOut called for runs that timed out
     */
    record Parts(
            WorkerSession session,
            ActivityStarter starter,
            ActivityReports reports,
            LocalActivities locals,
            Runnable onSessionEnded,
            Consumer<UUID> onRunTimedOut) {}

    WorkerChores(HistoryStore store, ActivitySetup setup, Drive drive, RandomGenerator random, Parts parts) {
        this.parts = parts;
        this.store = store;
        this.setup = setup;
        this.drive = drive;
        this.random = random;
        this.upkeep = new Upkeep(store.clock(), setup.telemetry());
        this.relay = new RelayChore(store);
        this.relayPace =
                new PollPace(new IdleInterval(setup.settings().limits().pollInterval(), store.nudges()), random);
    }

    /** Starts the chore that keeps the session alive, before anything is claimed under it. */
    void keepSession() {
        keep(UpkeepChore.SESSION);
    }

    /** Starts all other chores. */
    void keepOthers() {
        EnumSet.complementOf(EnumSet.of(UpkeepChore.SESSION)).forEach(this::keep);
    }

    private void keep(UpkeepChore which) {
        Chore chore = make(which);
        if (chore != null) {
            wakes.put(which, drive.add(which.shown(), Drive.Kind.IO, upkeep.keep(which, chore)));
        }
    }

    /** Makes a chore; null where this worker does not need it. */
    private @Nullable Chore make(UpkeepChore which) {
        EngineSettings.Limits limits = setup.settings().limits();
        EngineSettings.Errors errors = setup.settings().errors();
        return switch (which) {
            case SESSION -> parts.session();
            case LEASES ->
                new HeldLeases(
                        store,
                        parts.starter(),
                        parts.reports(),
                        limits.sessionLease().dividedBy(LOOKS_A_LEASE));
            case ENDED_RUNS ->
                new EndedRuns(store, parts.locals(), parts.locals().silence().dividedBy(LOOKS_A_LEASE));
            case SWEEP -> new Sweeper(store, limits.sessionLease(), random, parts.onSessionEnded());
            case PARTITIONS ->
                new PartitionsAhead(store, random, setup.telemetry().tries());
            case TIMEOUTS -> timeouts(new PollPace(limits.pollInterval().multipliedBy(TIMEOUT_POLLS), random));
            case DEAD_LETTERS ->
                new BatchChore(
                        PollPace.steady(DeadLetterRetention.INTERVAL, random),
                        FAILED_JOBS_BATCH,
                        new DeadLetterRetention(store, errors.deadLettersKept(), errors.maxDeadLetters()));
            case REPLIES ->
                new BatchChore(
                        PollPace.steady(ReplyRetention.INTERVAL, random), REPLIES_BATCH, new ReplyRetention(store));
            case ALERTS -> errors.alerts() == null ? null : alerts(errors.alerts());
            case RELAY -> new BatchChore(relayPace, RelayChore.BATCH, relay);
            case QUEUE_SAMPLES -> queueSampler();
        };
    }

    private Chore alerts(Consumer<? super Alert> listener) {
        return new PromptChore(
                new BatchChore(
                        PollPace.steady(Alerts.INTERVAL, random),
                        FAILED_JOBS_BATCH,
                        new Alerts(
                                store,
                                alert -> ThreadState.keeping(() -> listener.accept(alert)),
                                setup.code().failures()::loggable,
                                setup.telemetry().tries())),
                store.clock(),
                Alerts.MOMENT);
    }

    private @Nullable Chore queueSampler() {
        EngineObserver observer = setup.telemetry().observer();
        if (!observer.wantsQueueSamples()) {
            return null;
        }
        QueueSampler made = new QueueSampler(store, parts.session()::id, observer, relay::aside, random);
        sampler = made;
        return made;
    }

    /** Returns whether this process samples the queues for all processes. */
    boolean samplesQueues() {
        QueueSampler chore = sampler;
        return chore != null && chore.samples();
    }

    private Timeouts timeouts(PollPace pace) {
        ExternalAttempts external = new ExternalAttempts(
                store,
                random,
                setup.code(),
                setup.settings().identity(),
                setup.telemetry().failures());
        return new Timeouts(
                store,
                new Timeouts.Kinds(
                        Timeouts.ofWaiting(store),
                        new ExternalTimeouts(store, external),
                        new RunTimeouts(
                                store,
                                setup.ids(),
                                parts.onRunTimedOut(),
                                setup.telemetry().failures())),
                pace,
                setup.code().failures()::loggable,
                setup.telemetry().tries());
    }

    Upkeep upkeep() {
        return upkeep;
    }

    /** Returns how many entries of the outbox the relay has set aside. */
    long setAside() {
        return relay.aside();
    }

    /** Has the chore run at once, where this worker has it. */
    void wake(UpkeepChore which) {
        Runnable wake = wakes.get(which);
        if (wake != null) {
            wake.run();
        }
    }

    /** Polls the outbox more often for a while, as it will be filled and no nudge will announce that. */
    void relayLater() {
        if (relayPace.expect()) {
            wake(UpkeepChore.RELAY);
        }
    }
}
