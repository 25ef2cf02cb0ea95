package dev.durable.internal.engine;

import dev.durable.client.WorkerStatus;
import dev.durable.history.OptionsJson;
import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.attempt.Attempt;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.AttemptServices;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.attempt.LocalActivities;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.attempt.UnreadableJobs;
import dev.durable.internal.commit.HeapShare;
import dev.durable.internal.commit.Lane;
import dev.durable.internal.dispatch.ActivityPool;
import dev.durable.internal.dispatch.ActivityPools;
import dev.durable.internal.dispatch.ActivityReports;
import dev.durable.internal.dispatch.ActivityStarter;
import dev.durable.internal.dispatch.ActivityWorker;
import dev.durable.internal.dispatch.LimitKeyAdmission;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.dispatch.RulesWatch;
import dev.durable.internal.dispatch.TransactionalShare;
import dev.durable.internal.drive.BoundedExecutor;
import dev.durable.internal.drive.Deadlines;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.IdleInterval;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.run.EagerJobs;
import dev.durable.internal.upkeep.Upkeep;
import dev.durable.internal.upkeep.UpkeepChore;
import dev.durable.internal.upkeep.WorkerSession;
import dev.durable.store.BuildRamps;
import dev.durable.store.ClaimedJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.QueueRules;
import dev.durable.store.Served;
import dev.durable.store.TransactionalActivities;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assembles the part of a worker that runs activities, as the engine starts, stops and asks it: an {@link ActivityWorker} for each task queue and, shared by all
 * of them, the {@link WorkerSession}, the {@link Deadlines} and the {@link WorkerChores}.
 */
final class ActivityRuntime implements EagerJobs {
    private static final Logger log = LoggerFactory.getLogger(ActivityRuntime.class);
    /**
     * The time that a drain may take beyond its grace: for interrupted bodies to end, and for their reports to be
     * stored.
     */
    private static final Duration DRAIN_SLACK = Attempt.INTERRUPT_GRACE.multipliedBy(2);
    /** How long after the estimated end of a delay its job is looked for. */
    private static final Duration A_LITTLE = Duration.ofMillis(1);

    private final HistoryStore store;
    private final ActivitySetup setup;
    private final Drive drive;
    private final RandomGenerator random;
    private final Leases leases = new Leases();
    private final WorkerChores chores;
    private final ActivityReports reports;
    private final AttemptServices host;
    private final WorkerSession session;
    private final ActivityStarter starter;
    private volatile Runnable readRules = () -> {};
    private Consumer<UUID> runTimedOut = run -> {};
    private Runnable sessionEnded = () -> {};
    private Runnable runsFree = () -> {};
    /** Whether everything was halted by the rules before the last ones. */
    private boolean heldUp;
    /** The ramps of builds by those rules. */
    private BuildRamps ramps = BuildRamps.NONE;

    private final LocalActivities locals;
    private final ActivityPools pools;
    private final RulesWatch rules;
    private final LimitKeyAdmission admission;
    private final TransactionalShare share;
    /** The end of the delay after which each queue is looked at. */
    private final Map<String, Instant> delaysEnd = new ConcurrentHashMap<>();

    ActivityRuntime(
            HistoryStore store,
            ActivitySetup setup,
            Drive drive,
            Lane<JobUpdate, JobUpdate.Outcome> lane,
            AttemptOutcome.Sink runs) {
        this.store = store;
        this.setup = setup;
        this.drive = drive;
        EngineSettings settings = setup.settings();
        // A java.util.Random, as several threads share it.
        this.random = new Random(setup.ids().get().getLeastSignificantBits());
        this.reports = new ActivityReports(lane, runs, leases);
        reports.transactional(store.transactional());
        reports.appends(store::appendedBefore);
        this.host = new AttemptServices(
                setup.code(),
                reports,
                leases,
                new Deadlines(store.clock(), setup.code().failures()::loggable),
                new AttemptServices.Surroundings(
                        settings.identity(),
                        random,
                        this::await,
                        settings.limits().cancelGrace(),
                        setup.telemetry()),
                new UnreadableJobs());
        Duration lease = settings.limits().sessionLease();
        this.session = new WorkerSession(
                store,
                new WorkerSession.Own(
                        settings.identity(),
                        lease,
                        setup.ids(),
                        new Served(settings.queues().keySet(), setup.names(), setup.workflowTypes(), settings.build())),
                () -> drive.nanosSinceProgress() < lease.toNanos(),
                this::died);
        this.starter = new ActivityStarter(host, session::id);
        session.onReopened(() -> {
            sessionEnded.run();
            settings.queues().keySet().forEach(this::wake);
        });
        Map<String, ActivityQueue> localQueues = new LinkedHashMap<>();
        this.pools = ActivityPools.of(settings.queues(), drive);
        pools.queues().forEach((name, queue) -> {
            Executor threads = queue.executor();
            int slots =
                    settings.queues().getOrDefault(name, QueueSettings.DEFAULT).slots();
            localQueues.put(
                    name,
                    new ActivityQueue(
                            name,
                            new ActivitySlots(Integer.MAX_VALUE),
                            new BoundedExecutor(threads, slots, setup.code().failures()::loggable),
                            threads));
        });
        this.locals = new LocalActivities(localQueues, host, lease);
        Duration poll = settings.limits().pollInterval();
        this.admission = new LimitKeyAdmission(store, poll, setup.telemetry().tries());
        IdleInterval idle = new IdleInterval(poll, store.nudges());
        this.rules = new RulesWatch(
                store,
                settings.queues().keySet(),
                new PollPace(idle, random),
                this::rulesChanged,
                setup.telemetry().tries());
        locals.heldWhile(rules::isHalted);
        pools.queues().forEach((name, queue) -> queue.limitedWhere(() -> rules.mayCountRunning(name)));
        this.share = share(store, setup);
        share.onRefill(taskQueue -> nudge(pools.queues().get(taskQueue)));
        this.chores = new WorkerChores(
                store,
                setup,
                drive,
                random,
                new WorkerChores.Parts(
                        session, starter, reports, locals, () -> sessionEnded.run(), run -> runTimedOut.accept(run)));
        leases.onEnded(this::ended);
        leases.onClaimLost(() -> chores.wake(UpkeepChore.LEASES));
    }

    private static TransactionalShare share(HistoryStore store, ActivitySetup setup) {
        Set<String> transactional = setup.names().stream()
                .filter(name -> setup.code()
                        .bindings()
                        .apply(name)
                        .filter(binding -> binding.activity().options().transactional())
                        .isPresent())
                .collect(Collectors.toUnmodifiableSet());
        Integer told = setup.settings().limits().transactional();
        int atOnce = told != null
                ? told
                : store.transactional().map(TransactionalActivities::atOnce).orElse(Integer.MAX_VALUE);
        if (!transactional.isEmpty() && atOnce < Integer.MAX_VALUE) {
            log.info(
                    "of the transactional activities {} at most {} run at once here: each keeps a connection of the pool"
                            + " (maxTransactionalActivities)",
                    transactional,
                    atOnce);
        }
        return new TransactionalShare(transactional, atOnce);
    }

    /** Sets the listener for runs that timed out. Called before anything runs. */
    void onRunTimedOut(Consumer<UUID> listener) {
        runTimedOut = listener;
    }

    /**
     * Sets the listener for sessions that have ended, another worker's or this one's: their claims are free. Called
     * before anything runs.
     */
    void onSessionEnded(Runnable listener) {
        sessionEnded = listener;
    }

    /**
     * Sets the receiver of outcomes of background jobs, which is made from the receiver of all others. Called before
     * anything runs.
     */
    void background(Function<Consumer<AttemptOutcome>, AttemptOutcome.Sink> jobs) {
        reports.background(jobs.apply(reports::toInbox));
    }

    /** Sets what is to be done when runs may be claimed that could not be before. Called before anything runs. */
    void onRunsFree(Runnable listener) {
        runsFree = listener;
    }

    /** Returns whether everything is halted, as far as this process has heard. */
    boolean isHalted() {
        return rules.isHalted();
    }

    /** Returns the share of this process's build in the runs of each task queue; empty where no build has a ramp. */
    Map<String, BuildRamps.Share> shares() {
        return rules.shares(setup.settings().build());
    }

    /** Opens the session and hands its steps to the drive; before the first claim. */
    void start() {
        EngineSettings.Limits limits = setup.settings().limits();
        session.open();
        chores.keepSession();
        host.deadlines().onEarlier(drive.add("deadlines", Drive.Kind.IO, host.deadlines()));
        rules.runOnce();
        readRules = drive.add("rules", Drive.Kind.IO, rules);
        admission.onNudge(drive.add("limit-keys", Drive.Kind.IO, admission));
        pools.pools()
                .forEach(pool -> startClaims(
                        pool, new PollPace(new IdleInterval(limits.pollInterval(), store.nudges()), random)));
        chores.keepOthers();
    }

    /** Returns the timed chores of this worker. */
    Upkeep upkeep() {
        return chores.upkeep();
    }

    /** Returns whether this process samples the queues for all processes. */
    boolean samplesQueues() {
        return chores.samplesQueues();
    }

    /** Returns the current status of this worker. */
    WorkerStatus status(int stalledRuns) {
        return new WorkerStatus(
                setup.settings().identity(),
                session.id(),
                pools.queues().values().stream().map(ActivityQueue::status).toList(),
                reports.stale(),
                chores.setAside(),
                stalledRuns);
    }

    private void startClaims(ActivityPool pool, PollPace pace) {
        Runnable loop = drive.add(
                "jobs-" + pool.name(),
                Drive.Kind.IO,
                new ActivityWorker(store, pool, setup.names(), starter, rules, share, pace));
        pool.queues().forEach(queue -> queue.onNudge(loop));
    }

    // ── pauses, limits ───────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Wakes each queue, as jobs that were paused or limited may go on, and has those admitted that wait for their limit
     * key, which this process may see for the first time now.
     */
    private void rulesChanged(QueueRules read) {
        boolean haltEnded = heldUp && !read.halted();
        if (haltEnded) {
            locals.goOn();
        }
        if (haltEnded || !read.ramps().equals(ramps)) {
            runsFree.run();
        }
        heldUp = read.halted();
        ramps = read.ramps();
        read.nextDelayed().forEach(this::wakeAt);
        pools.queues().forEach((name, queue) -> {
            if (read.of(name).keysWait()) {
                admission.look(name);
            }
            queue.nudge();
        });
    }

    /**
     * Wakes the queue at the end of a delay, which no nudge announces; an end that is far ahead is announced by the
     * rules when it is near. The queue is woken a little late, as this process only estimates the time of the store: a
     * claim that came too early would find nothing, and no later one would follow.
     */
    private void wakeAt(String taskQueue, Instant due) {
        Duration left = Duration.between(store.clock().now(), due);
        if (left.compareTo(RulesWatch.DELAYS_AHEAD) < 0 && !due.equals(delaysEnd.put(taskQueue, due))) {
            host.deadlines().in(left.plus(A_LITTLE), () -> wake(taskQueue));
        }
    }

    private static void nudge(@Nullable ActivityQueue queue) {
        if (queue != null) {
            queue.nudge();
        }
    }

    /** Frees the place of a job under a limit, as the end of the job is durable, or its body has ended. */
    private void ended(Leases.Held held) {
        ClaimedJob job =
                switch (held) {
                    case Attempt attempt -> attempt.job();
                    case Leases.HandedOver handedOver -> handedOver.outcome().job();
                    case Leases.Reserved ignored -> null;
                };
        if (job == null) {
            return;
        }
        ActivityQueue queue = pools.queues().get(job.route().taskQueue());
        if (queue != null && rules.of(job.route().taskQueue()).limits().limitsClaims()) {
            queue.nudge();
        }
        if (admission.isUsed()
                && OptionsJson.decodeIfReadable(job.content().options()).limitKey() != null) {
            admission.look(job.route().taskQueue());
        }
    }

    /** Has pauses and limits read, as they were changed. */
    void wakeRules() {
        rules.forget();
        readRules.run();
    }

    /** Wakes a chore, as another process or this one has left something for it. */
    void wake(UpkeepChore chore) {
        chores.wake(chore);
    }

    /**
     * Has the outbox polled more often for a while: a transaction that its application commits by itself has filled it,
     * and no nudge will announce the commit.
     */
    void relayLater() {
        chores.relayLater();
    }

    /** Returns the local activities of the runs in this process. */
    LocalCalls locals() {
        return locals;
    }

    /** Returns the current session of this process. */
    UUID session() {
        return session.id();
    }

    /** Has jobs of this queue claimed, as some may be ready. */
    void wake(String taskQueue) {
        ActivityQueue queue = pools.queues().get(taskQueue);
        if (queue == null) {
            return;
        }
        queue.nudge();
        if (admission.isUsed()) {
            admission.look(taskQueue);
        }
        // The job that came may be the first that waits for a limit key; the rules say so.
        if (rules.workCame()) {
            readRules.run();
        }
    }

    // ── eager jobs ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Optional<NewJob.Lease> reserve(String taskQueue, String activity) {
        ActivityQueue queue = pools.queues().get(taskQueue);
        if (queue == null
                || starter.draining()
                || leases.weight() >= HeapShare.backlog()
                || !setup.names().contains(activity)
                || !rules.free(taskQueue, activity)) {
            return Optional.empty();
        }
        boolean transactional = share.counts(activity);
        if (transactional && share.take(taskQueue, 1) == 0) {
            return Optional.empty();
        }
        Optional<ActivitySlots.Slot> free = queue.slots().takeEagerly();
        if (transactional) {
            free.ifPresentOrElse(slot -> slot.with(() -> share.giveBack(1)), () -> share.giveBack(1));
        }
        return free.map(slot -> {
            NewJob.Lease lease = new NewJob.Lease(setup.ids().get(), session.id());
            leases.put(lease.token(), new Leases.Reserved(lease.session(), queue, slot));
            return lease;
        });
    }

    @Override
    public void waitsForItsKey(String taskQueue) {
        admission.use();
    }

    @Override
    public void start(ClaimedJob job) {
        starter.start(job, reserved(job.lease()));
    }

    @Override
    public void cancel(NewJob.Lease lease) {
        Leases.Reserved place = reserved(lease.token());
        leases.remove(lease.token());
        place.slot().free();
    }

    @Override
    public void wasStale(AttemptOutcome outcome) {
        reports.wasStale(outcome);
    }

    @Override
    public void cancelRequested(JobKey key) {
        leases.attemptOf(key).ifPresent(Attempt::cancel);
    }

    private Leases.Reserved reserved(UUID lease) {
        if (leases.get(lease) instanceof Leases.Reserved place) {
            return place;
        }
        throw new IllegalStateException("no slot is reserved under lease " + lease + ", or it was started already");
    }

    // ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Stops claiming; jobs that this process creates itself are still begun. */
    void claimNoMore() {
        starter.claimNoMore();
    }

    /** Stops claiming, gives back jobs that were not begun, lets running attempts end, then cancels them. */
    void drain(Duration timeout) {
        Duration grace = Jitter.bounded(timeout);
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        starter.drain();
        locals.drain();
        leases.onEmpty(() -> completeIfIdle(settled));
        locals.leases().onEmpty(() -> completeIfIdle(settled));
        attempts().forEach(Attempt::giveBackUnlessBegun);
        host.deadlines().in(grace, () -> attempts().forEach(Attempt::shutDown));
        host.deadlines()
                .in(grace.plus(Attempt.INTERRUPT_GRACE), () -> attempts().forEach(Attempt::giveBack));
        if (isIdle()) {
            return;
        }
        try {
            drive.await(settled, grace.plus(DRAIN_SLACK));
        } catch (TimeoutException | ExecutionException e) {
            log.warn(
                    "{} leases could not be settled in time; other workers will find them",
                    leases.tokens().size() + locals.leases().tokens().size());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Attempt> attempts() {
        return Stream.concat(leases.attempts().stream(), locals.leases().attempts().stream())
                .toList();
    }

    private boolean isIdle() {
        return leases.isEmpty() && locals.leases().isEmpty();
    }

    private void completeIfIdle(CompletableFuture<Boolean> settled) {
        if (isIdle()) {
            settled.complete(true);
        }
    }

    /** Closes the session. */
    void close() {
        session.close();
    }

    private void died(UUID dead) {
        setup.telemetry().observer().ownSessionLost(dead);
        leases.attempts().stream()
                .filter(attempt -> attempt.session().equals(dead))
                .forEach(attempt -> attempt.becomeStale("the session of its worker was declared dead"));
    }

    private JobUpdate.Outcome await(CompletableFuture<JobUpdate.Outcome> future)
            throws InterruptedException, ExecutionException {
        try {
            return drive.await(future, null);
        } catch (TimeoutException e) {
            throw new AssertionError("waited for ever, and that ran out", e);
        }
    }
}
