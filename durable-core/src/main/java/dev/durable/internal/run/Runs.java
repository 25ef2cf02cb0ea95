package dev.durable.internal.run;

import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.commit.HeapShare;
import dev.durable.internal.commit.Weights;
import dev.durable.internal.observe.Telemetry;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds or creates the actor of a run and routes claims, outcomes and results of commits to it. */
public final class Runs implements RunServices.Outside, AttemptOutcome.Sink, RunClaimLoop.Takers {
    private final RunActorLoop turns;
    private final RunCache cache;
    private final Waiters waiters;
    private final Supplier<UUID> random;
    private final Telemetry telemetry;
    /** The bytes of claims that no actor has read yet. */
    private final AtomicLong claimed = new AtomicLong();
    /** The bytes of large runs and their drafts, until their actors have read the outcomes of the drafts. */
    private final AtomicLong inFlight = new AtomicLong();
    /** The bytes of runs that wait for local activities, which the cache can't drop. */
    private final AtomicLong pinned = new AtomicLong();

    private final StalledRuns stalled = new StalledRuns();
    private EagerJobs eager = EagerJobs.NONE;
    private LocalCalls locals = LocalCalls.NONE;
    private volatile Consumer<Instant> timers = at -> {};
    private volatile Consumer<Instant> triedAgain = at -> {};
    private volatile BiConsumer<RunKey, String> onStall = (run, why) -> {};
    private @Nullable RunServices host;

    /** Clients of this process that wait for runs to close. */
    public interface Waiters {
        /** Reports a run that closed here. */
        void closed(UUID runId, RunResult result);

        /** Reports a run that may have closed elsewhere. */
        void look(UUID runId);

        /** Reports messages that a run has taken in here, and its answers to updates. */
        void answered(RunKey run, List<UUID> consumed, List<Reply> replies);
    }

    public Runs(RunActorLoop turns, RunCache cache, Waiters waiters, Supplier<UUID> random, Telemetry telemetry) {
        this.telemetry = telemetry;
        this.turns = turns;
        this.cache = cache;
        this.waiters = waiters;
        this.random = random;
    }

    /** Sets the parts that need this object to be constructed. Called before anything runs. */
    public void bind(RunServices runHost, EagerJobs eagerJobs, LocalCalls localCalls) {
        this.host = runHost;
        turns.holdBackWhile(() -> inFlight.get() >= HeapShare.backlog());
        this.eager = eagerJobs;
        this.locals = localCalls;
    }

    public RunActor actor(RunKey run) {
        return cache.getOrAdd(run, bound(), turns);
    }

    private RunServices bound() {
        RunServices bound = host;
        if (bound == null) {
            throw new IllegalStateException("the engine has not started");
        }
        return bound;
    }

    public Optional<RunActor> cached(UUID runId) {
        return cache.get(runId);
    }

    @Override
    public boolean isCached(UUID runId) {
        return cache.get(runId).isPresent();
    }

    @Override
    public void claimed(RunMail.Claimed claim) {
        claimed.addAndGet(Weights.of(claim.firstPage(), claim.messages()));
        actor(claim.claim().run()).post(claim);
    }

    @Override
    public boolean isCrowded() {
        return isFull()
                || claimed.get()
                                + inFlight.get()
                                + bound().lanes().transitions().held()
                        >= HeapShare.backlog();
    }

    @Override
    public List<RunKey> unclaimable() {
        return isFull() ? cache.pinned() : List.of();
    }

    @Override
    public void hasMessages(UUID runId) {
        cache.get(runId).ifPresent(actor -> actor.post(new RunMail.Look()));
    }

    /**
     * Returns whether runs that wait for local activities take all the memory for runs: then no run is added to them.
     */
    public boolean isFull() {
        return pinned.get() >= cache.maxBytes();
    }

    @Override
    public void read(RunMail.Claimed claim) {
        claimed.addAndGet(-Weights.of(claim.firstPage(), claim.messages()));
    }

    @Override
    public void inFlight(long bytes) {
        inFlight.addAndGet(bytes);
    }

    @Override
    public void pinned(long bytes) {
        pinned.addAndGet(bytes);
    }

    @Override
    public void weigh(RunActor actor) {
        if (actor.weight().hasChanged()) {
            cache.touch(actor);
        }
    }

    @Override
    public boolean offer(AttemptOutcome outcome) {
        Optional<RunActor> actor = cache.get(outcome.key().run().runId());
        actor.ifPresent(found -> found.post(new RunMail.Ended(outcome)));
        return actor.isPresent();
    }

    @Override
    public EagerJobs eager() {
        return eager;
    }

    @Override
    public LocalCalls locals() {
        return locals;
    }

    @Override
    public Telemetry telemetry() {
        return telemetry;
    }

    /** Returns the number and the bytes of the runs in memory. */
    public EngineStatistics.Cache memory() {
        return new EngineStatistics.Cache(cache.size(), cache.bytes() + pinned.get(), cache.maxBytes());
    }

    @Override
    public void written(RunActor actor, Transition.@Nullable Close close) {
        if (close == null) {
            weigh(actor);
        } else {
            cache.remove(actor);
            waiters.closed(
                    actor.key().runId(),
                    new RunResult(
                            close.status(),
                            close.result(),
                            close.failure(),
                            close.next() == null ? null : close.next().run().runId()));
        }
    }

    @Override
    public void answered(RunKey run, List<UUID> consumed, List<Reply> replies) {
        waiters.answered(run, consumed, replies);
    }

    @Override
    public void due(Instant at) {
        timers.accept(at);
    }

    /**
     * Sets the listeners for the times at which runs are due.
     *
     * @param parking gets the time of a run that parks here
     * @param stalling gets the time at which a run that stalled here is tried again
     */
    public void onDue(Consumer<Instant> parking, Consumer<Instant> stalling) {
        timers = parking;
        triedAgain = stalling;
    }

    @Override
    public void stalled(RunKey run, Transition.Stall stall) {
        Instant now = bound().store().clock().now();
        stalled.stalled(run.runId(), now);
        triedAgain.accept(now.plus(stall.retryIn()));
        onStall.accept(run, stall.reason());
    }

    /** Returns how many runs stalled here lately. */
    public int stalled() {
        return stalled.count(bound().store().clock().now());
    }

    /** Sets the listener for runs that stall here. */
    public void onStall(BiConsumer<RunKey, String> listener) {
        onStall = listener;
    }

    @Override
    public void unneeded(RunActor actor) {
        cache.remove(actor);
    }

    @Override
    public UUID random() {
        return random.get();
    }

    /** Drops the instance of a run that was terminated or timed out. */
    public void seized(UUID runId) {
        cache.get(runId).ifPresent(actor -> {
            cache.remove(actor);
            actor.post(new RunMail.Evict());
        });
        waiters.look(runId);
    }

    public void forget() {
        cache.clear();
    }
}
