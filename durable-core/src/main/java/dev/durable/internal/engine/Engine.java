package dev.durable.internal.engine;

import dev.durable.StoreUnavailableException;
import dev.durable.TypeRef;
import dev.durable.client.DurableEngine;
import dev.durable.client.EngineNames;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.history.Failure;
import dev.durable.internal.attempt.AttemptServices;
import dev.durable.internal.attempt.ExternalAttempts;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.client.BatchFollower;
import dev.durable.internal.client.StoreClient;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.UnknownTypes;
import dev.durable.internal.commit.HeapShare;
import dev.durable.internal.commit.Lanes;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.dispatch.QueueDepthChecks;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.IdleInterval;
import dev.durable.internal.drive.PatientDrive;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.ObservedStore;
import dev.durable.internal.observe.OutageLog;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.run.BackgroundJobs;
import dev.durable.internal.run.EagerJobs;
import dev.durable.internal.run.RunActorLoop;
import dev.durable.internal.run.RunCache;
import dev.durable.internal.run.RunClaimLoop;
import dev.durable.internal.run.RunServices;
import dev.durable.internal.run.Runs;
import dev.durable.internal.upkeep.InstallationWatch;
import dev.durable.internal.upkeep.UpkeepChore;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.BuildRamps;
import dev.durable.store.HistoryStore;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.RunIds;
import dev.durable.store.SessionInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the engine: builds the parts of a process from its settings, starts them in order, and stops them. */
public final class Engine implements PreparedEngine {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);
    private static final TypeRef<Map<String, String>> HEADERS = new TypeRef<>() {};
    private static final String DEFAULT_QUEUE = "default";

    private final HistoryStore store;
    private final Registry registry;
    private final EngineSettings settings;
    private final Telemetry telemetry;
    private final Drive drive;
    private final Supplier<UUID> random;
    private final RunActorLoop turns = new RunActorLoop();
    private final AsideThreads asides = new AsideThreads();
    private final ResultWaiters waiters;
    private final RunCache cache;
    private final Runs runs;
    private final RunServices host;
    private final QueueDepthChecks depths;
    private final EngineNames names;
    private final InstallationWatch watch;
    private final EngineHealth health;
    private final StoreClient client;
    private final @Nullable ActivityRuntime activities;
    private volatile Runnable wakeClaims = () -> {};
    private @Nullable AutoCloseable nudges;
    private @Nullable HeapShare heap;
    private volatile boolean working;
    private volatile boolean claimsNoMore;
    private volatile boolean closed;

    Engine(
            HistoryStore store,
            Registry registry,
            EngineSettings settings,
            Drive drive,
            Supplier<UUID> random,
            InstallationWatch watch,
            Telemetry telemetry) {
        this.watch = watch;
        this.names = registry.names(store.schema(), settings.queues().keySet());
        this.telemetry = telemetry;
        EngineObserver observer = telemetry.observer();
        this.store = ObservedStore.around(store, observer);
        this.registry = registry;
        this.settings = settings;
        this.drive = new PatientDrive(
                drive,
                store.clock(),
                new Random(random.get().getLeastSignificantBits()),
                new OutageLog(LoggerFactory.getLogger(DurableEngine.class), store.clock()::nanoTime),
                telemetry.tries());
        this.random = random;
        this.health = new EngineHealth(this.store, this.drive, watch, telemetry.tries(), this::upkeep, this::isHalted);
        PayloadCodec payloads = settings.payloads();
        FailureCodec failures = new FailureCodec(payloads, settings.errors().sanitizer());
        ReplaySetup replay = new ReplaySetup(
                payloads,
                failures,
                registry,
                settings.strict(),
                settings.strict(),
                settings.limits().turn(),
                settings.errors().stallOn(),
                settings.interception().context(),
                random,
                asides);
        this.waiters = new ResultWaiters(this.store, () -> store.nudges().heard());
        Long cacheBytes = settings.limits().cacheBytes();
        this.cache = new RunCache(cacheBytes == null ? HeapShare.cache() : cacheBytes, observer::runEvicted);
        this.runs = new Runs(turns, cache, waiters, random, telemetry);
        this.host = new RunServices(
                this.store,
                Lanes.to(this.store, random),
                new RunServices.Code(
                        registry,
                        replay,
                        headers -> payloads.encode(headers, HEADERS.type(), "the headers")
                                .json(),
                        settings.interception(),
                        settings.limits().history(),
                        settings.build()),
                runs);
        this.activities = settings.worker() ? activityRuntime(payloads, failures) : null;
        waiters.near(run -> runs.cached(run).isPresent());
        runs.bind(
                host,
                activities == null ? EagerJobs.NONE : activities,
                activities == null ? LocalCalls.NONE : activities.locals());
        this.depths = new QueueDepthChecks(this.store, this.drive, telemetry.tries());
        this.client = new StoreClient(
                new EngineDispatch(
                        host,
                        runs,
                        waiters,
                        drive,
                        new EngineDispatch.Calls(
                                this::runsHere, depths, settings.limits().call(), watch::mustBeOwn),
                        new ExternalAttempts(
                                this.store,
                                new Random(random.get().getLeastSignificantBits()),
                                new AttemptServices.Code(
                                        registry::activity,
                                        payloads,
                                        failures,
                                        settings.exactArguments(),
                                        settings.interception(),
                                        settings.errors().retryIf()),
                                settings.identity(),
                                telemetry.failures())),
                new ClientCode(
                        registry,
                        new UnknownTypes(
                                registry, settings.worker() ? settings.queues().keySet() : Set.of()),
                        payloads,
                        failures,
                        random,
                        settings.identity(),
                        settings.interception()));
    }

    /**
     * Returns whether the log need not warn of a run's failure: its type declares the failure, or it is a background
     * job, whose activity has logged it.
     */
    static boolean declares(Registry registry, String workflowType, Failure failure) {
        return workflowType.equals(BackgroundJob.TYPE)
                || registry.workflow(workflowType)
                        .filter(type -> FailureCodec.isDeclared(failure, type.named()))
                        .isPresent();
    }

    private ActivityRuntime activityRuntime(PayloadCodec payloads, FailureCodec failures) {
        Registry own = BatchFollower.registry(this::client);
        Set<String> names = new HashSet<>(registry.activityNames());
        names.addAll(own.activityNames());
        ActivityRuntime runtime = new ActivityRuntime(
                store,
                new ActivitySetup(
                        settings,
                        new AttemptServices.Code(
                                name -> registry.activity(name).or(() -> own.activity(name)),
                                payloads,
                                failures,
                                settings.exactArguments(),
                                settings.interception(),
                                settings.errors().retryIf()),
                        names,
                        registry.hasAnyType() ? null : registry.workflowTypes(),
                        random,
                        telemetry),
                drive,
                host.lanes().jobs(),
                runs);
        runtime.background(inbox -> new BackgroundJobs(
                host.lanes().transitions(), store.clock(), random, failures, waiters::closed, inbox, telemetry));
        runtime.onRunTimedOut(runs::seized);
        runtime.onSessionEnded(() -> wakeClaims.run());
        runtime.onRunsFree(() -> wakeClaims.run());
        return runtime;
    }

    void start() {
        boolean shared = settings.limits().cacheBytes() == null;
        heap = HeapShare.take(shared ? () -> cache.maxBytes(HeapShare.cache()) : () -> {});
        host.lanes().drivenBy(drive);
        turns.onReady(drive.add("turns", Drive.Kind.TURNS, turns));
        runs.onStall(drive::stalled);
        waiters.onWait(drive.add("results", Drive.Kind.IO, waiters));
        waiters.updates().onWait(drive.add("updates", Drive.Kind.IO, waiters.updates()));
        waiters.streams()
                .loop()
                .onWait(drive.add("streams", Drive.Kind.IO, waiters.streams().loop()));
        drive.add("installation", Drive.Kind.IO, watch);
        drive.start();
        nudges = store.nudges().listen(this::nudged);
        telemetry.observer().engineStarted(this);
    }

    @Override
    public void work() {
        ActivityRuntime runtime = activities;
        if (runtime != null && !working) {
            working = true;
            runtime.start();
            RunClaimLoop claims = new RunClaimLoop(
                    store,
                    new RunClaimLoop.Wanted(
                            settings.queues().keySet(),
                            registry.workflowTypes(),
                            registry.hasAnyType(),
                            runtime::shares),
                    runtime::session,
                    random,
                    runs,
                    new IdleInterval(settings.limits().pollInterval(), store.nudges()));
            claims.onWake(drive.add(
                    "claims",
                    Drive.Kind.IO,
                    () -> closed || claimsNoMore || runtime.isHalted() ? Step.UNTIL_WOKEN : claims.runOnce()));
            wakeClaims = claims::nudge;
            // Nudges that came before this point woke no loop.
            claims.nudge();
            runs.onDue(claims::due, claims::triedAgain);
        }
        log.info(
                "{} serves queues {} with workflows {} and activities {}",
                settings.identity(),
                settings.worker() ? settings.queues().keySet() : Set.of(),
                registry.workflowTypes(),
                registry.activityNames());
        if (runtime != null) {
            warnWhereDefaultIsNotServed();
        }
    }

    @Override
    public void claimNoMore() {
        claimsNoMore = true;
        withActivities(ActivityRuntime::claimNoMore);
    }

    /**
     * Warns where no living worker serves the queue {@code default}: a process that names a queue serves only that one,
     * and workflows that name none wait in {@code default}.
     */
    private void warnWhereDefaultIsNotServed() {
        Set<String> here = settings.queues().keySet();
        if (here.contains(DEFAULT_QUEUE)) {
            return;
        }
        try {
            boolean served = store.sessions().stream()
                    .filter(worker -> !worker.dead())
                    .map(SessionInfo::served)
                    .anyMatch(other -> other == null || other.queues().contains(DEFAULT_QUEUE));
            if (!served) {
                log.warn(
                        "{} serves queues {} and not \"default\", and no other worker that is alive now serves it:"
                                + " workflows and background jobs that name no queue wait there. Usual cause: \"default\" is"
                                + " served by itself only where no queue is named. Add .queue(\"default\", q -> …) here, or"
                                + " start the worker that serves it.",
                        settings.identity(),
                        here);
            }
        } catch (StoreUnavailableException e) {
            log.debug("the workers that serve queue default are not known: {}", e.getMessage());
        }
    }

    private void nudged(Nudges.Nudge nudge) {
        telemetry.heard(nudge);
        switch (nudge) {
            case Nudges.RunsDue due -> {
                if (serves(due.taskQueue())) {
                    wakeClaims.run();
                }
            }
            case Nudges.JobsReady ready -> {
                if (serves(ready.taskQueue())) {
                    withActivities(runtime -> runtime.wake(ready.taskQueue()));
                }
            }
            case Nudges.RulesChanged ignored -> rulesChanged();
            case Nudges.JobBuried ignored -> withActivities(runtime -> runtime.wake(UpkeepChore.ALERTS));
            case Nudges.OutboxFilled ignored -> withActivities(runtime -> runtime.wake(UpkeepChore.RELAY));
            case Nudges.OutboxAwaited ignored -> withActivities(ActivityRuntime::relayLater);
            case Nudges.HearingBegins ignored -> lookEverywhere();
            case Nudges.RunClosed closed -> {
                // A run that is cached here completes the futures of its waiters itself, unless another process closed
                // it.
                waiters.streams().loop().look(closed.runId());
                if (runs.cached(closed.runId()).isEmpty()) {
                    waiters.look(closed.runId());
                }
            }
            case Nudges.StreamWritten written -> waiters.streams().loop().look(written.chainId());
            case Nudges.UpdateAnswered answered -> {
                if (runs.cached(answered.chainId()).isEmpty()) {
                    waiters.updates().look(answered.chainId());
                }
            }
        }
    }

    /** Polls everything once, as nudges may have been lost. */
    private void lookEverywhere() {
        waiters.look();
        rulesChanged();
        wakeClaims.run();
        if (activities != null && working) {
            settings.queues().keySet().forEach(activities::wake);
            activities.wake(UpkeepChore.RELAY);
            activities.wake(UpkeepChore.ALERTS);
        }
    }

    private void rulesChanged() {
        depths.forget();
        if (activities != null && working) {
            activities.wakeRules();
        }
    }

    private boolean serves(String taskQueue) {
        return working && settings.queues().containsKey(taskQueue);
    }

    /** Returns whether this process runs the first turn of a start itself. */
    private boolean runsHere(NewRun run) {
        return working
                && !closed
                && run.firstTurn().delay().isZero()
                && settings.queues().containsKey(run.taskQueue())
                && registry.workflow(run.type()).isPresent()
                && !isHalted()
                && isShared(run)
                && !runs.isFull();
    }

    /** Returns whether this process's build may begin a run: the one that it is pinned to, else what ramps let it have. */
    private boolean isShared(NewRun run) {
        String pinnedTo = run.firstTurn().pinnedTo();
        if (pinnedTo != null) {
            return pinnedTo.equals(settings.build());
        }
        ActivityRuntime runtime = activities;
        Map<String, BuildRamps.Share> shares = runtime == null ? Map.of() : runtime.shares();
        return shares.isEmpty()
                || shares.getOrDefault(run.taskQueue(), BuildRamps.Share.ALL)
                        .has(RunIds.shard(run.run().runId()));
    }

    private boolean isHalted() {
        ActivityRuntime runtime = activities;
        return runtime != null && runtime.isHalted();
    }

    @Override
    public StoreClient client() {
        return client;
    }

    @Override
    public boolean healthy() {
        return health.lasting(closed).isEmpty();
    }

    @Override
    public List<String> problems() {
        return health.problems(closed);
    }

    @Override
    public List<UpkeepStep> upkeep() {
        return activities == null ? List.of() : activities.upkeep().steps();
    }

    @Override
    public WorkerStatus worker() {
        return activities == null
                ? new WorkerStatus(settings.identity(), null, List.of(), 0, 0, 0)
                : activities.status(runs.stalled());
    }

    @Override
    public EngineNames names() {
        return names;
    }

    @Override
    public EngineStatistics statistics() {
        return new EngineStatistics(
                host.lanes().statistics(),
                runs.memory(),
                runs.stalled(),
                store.nudges().heard(),
                activities != null && activities.samplesQueues(),
                health.failing().size());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        inTurn(
                telemetry.observer()::engineClosed,
                this::deafen,
                () -> withActivities(runtime -> runtime.drain(settings.limits().drain())),
                // Done before the loops end: outcomes that no run here will take any more go to the inbox.
                runs::forget,
                drive::close,
                () -> withActivities(ActivityRuntime::close),
                waiters::close,
                turns::close,
                asides::close,
                // Done again, as the last transitions have given their runs back meanwhile.
                runs::forget,
                this::giveBackHeap);
    }

    /** Closes each part, also where closing an earlier one has failed. */
    private static void inTurn(Runnable... parts) {
        RuntimeException failure = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void giveBackHeap() {
        if (heap != null) {
            heap.close();
        }
    }

    private void deafen() {
        try {
            if (nudges != null) {
                nudges.close();
            }
        } catch (Exception e) {
            log.warn("the listener for nudges did not close", e);
        }
    }

    private void withActivities(Consumer<ActivityRuntime> what) {
        if (activities != null) {
            what.accept(activities);
        }
    }
}
