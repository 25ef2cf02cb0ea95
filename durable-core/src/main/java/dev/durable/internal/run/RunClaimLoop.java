package dev.durable.internal.run;

import dev.durable.StoreUnavailableException;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.drive.IdleInterval;
import dev.durable.internal.drive.Loop;
import dev.durable.internal.drive.Step;
import dev.durable.internal.text.Portion;
import dev.durable.store.BuildRamps;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that claims due runs from the store and hands them to their {@link RunActor}s. Where the answer to a claim
 * is lost, the next claim names its fence and takes the runs again that it had claimed. A statement that still runs on
 * the server holds its rows locked, so the process claims again and again until the runs of the lost claim would have
 * been given up anyway. The claims of a process that dies end with its session.
 *
 * <pre>
 *   asleep ── a nudge, or the time to look has come ──► claim ── full ──► claim again
 *     ▲  └─── a run parks or stalls here and is due earlier: until then    │
 *     └──── until the next run is due, at most an idle interval ◄─────────┘ not full
 * </pre>
 */
public final class RunClaimLoop implements Step {
    private static final Logger log = LoggerFactory.getLogger(RunClaimLoop.class);
    private static final int BATCH = 200;
    /** The time between two claims while due runs are left to the processes that have them in memory. */
    private static final Duration LEFT_AT_LEAST = Duration.ofMillis(25);
    /** The time between two checks whether there is room for more runs. */
    private static final Duration CROWDED = Duration.ofMillis(5);
    /** How long a claimed run is owned before others may claim it. */
    public static final Duration OWNED_FOR = Duration.ofSeconds(15);
    /** The time between two claims while a lost claim may still take runs. */
    private static final Duration LOST_AT_MOST = Duration.ofMillis(500);

    /** The time between two reads of messages for runs that leave no room for a claim. */
    private static final Duration TOLD_AGAIN = Duration.ofSeconds(1);

    /** The span of time whose stalled runs are tried again together, at its end. */
    private static final Duration TRIED_TOGETHER = Duration.ofMillis(25);

    private final HistoryStore store;
    private final Wanted wanted;
    private final Supplier<UUID> session;
    private final Supplier<UUID> fences;
    private final Takers takers;
    private final IdleInterval idle;
    /** True where the next call claims, whatever the time is. */
    private final AtomicBoolean nudged = new AtomicBoolean(true);
    /** The earliest time at which a run that parked here since the last claim is due. */
    private final AtomicReference<Instant> parked = new AtomicReference<>(Instant.MAX);
    /** The times at which runs that stalled here are tried again, which no claim tells. */
    private final ConcurrentSkipListSet<Instant> stalled = new ConcurrentSkipListSet<>();

    /** True where there may have been no room for all messages of the last claim. */
    private boolean full;

    private long toldNanos;
    private volatile Instant nextLook = Instant.MIN;
    /** The earliest due time that the last claim left and that had come when it was answered. */
    private @Nullable Instant dueHere;
    /**
     * The fences of claims that were not answered, with the time of the monotonic clock until which the runs that they
     * took are owned under them.
     */
    private final Map<UUID, Long> lost = new HashMap<>();

    private volatile Runnable wake = () -> {};

    /**
     * The runs that this worker can take.
     *
     * @param taskQueues the queues that it serves
     * @param types the workflow types that it has
     * @param anyType whether it has a workflow for all other types, too
     * @param shares gives the share of its build in the runs of each task queue; empty where no build has a ramp
     */
    public record Wanted(
            Set<String> taskQueues,
            Set<String> types,
            boolean anyType,
            Supplier<Map<String, BuildRamps.Share>> shares) {}

    /** The runs of this process. */
    interface Takers {
        /** Returns whether this process has an instance of the run. */
        boolean isCached(UUID runId);

        /** Returns whether so many runs wait here already that newly claimed ones would have to wait, too. */
        default boolean isCrowded() {
            return false;
        }

        /**
         * Returns the runs that keep all others from being claimed, as they wait for local activities; empty where
         * there is room.
         */
        default List<RunKey> unclaimable() {
            return List.of();
        }

        /** Has a run look for messages, as some wait for it and it goes on without a claim. */
        default void hasMessages(UUID runId) {}

        /** Hands a claimed run over. */
        void claimed(RunMail.Claimed claim);
    }

    /**
     * @param session the session under which runs are claimed
     * @param fences makes fences
     */
    public RunClaimLoop(
            HistoryStore store,
            Wanted wanted,
            Supplier<UUID> session,
            Supplier<UUID> fences,
            Takers takers,
            IdleInterval idle) {
        this.store = store;
        this.wanted = wanted;
        this.session = session;
        this.fences = fences;
        this.takers = takers;
        this.idle = idle;
        this.toldNanos = store.clock().nanoTime();
    }

    /** Sets the action that ends the sleep of the loop. */
    public void onWake(Runnable waker) {
        wake = waker;
    }

    /** Has the loop claim, as a nudge announced that runs are due. */
    public void nudge() {
        nudged.set(true);
        wake.run();
    }

    /**
     * Notes when a run that parked here is due. Without this call a short timer would fire late, at the next poll.
     * Callable from any thread.
     */
    public void due(Instant at) {
        if (at.isBefore(nextLook)) {
            parked.accumulateAndGet(at, RunClaimLoop::earlier);
            wake.run();
        }
    }

    /**
     * Notes when a run that stalled here is tried again. Runs that stall one after the other are tried together: a back-off
     * is a minute at most, so few times are kept, however many runs stall. Callable from any thread.
     */
    public void triedAgain(Instant at) {
        long millis = TRIED_TOGETHER.toMillis();
        Instant together = Instant.ofEpochMilli((at.toEpochMilli() / millis + 1) * millis);
        stalled.add(together);
        if (together.isBefore(nextLook)) {
            wake.run();
        }
    }

    @Override
    public Duration runOnce() {
        Instant before = store.clock().now();
        Instant look = earlier(nextLook, earliestHere());
        if (!nudged.getAndSet(false) && before.isBefore(look)) {
            return sleepUntil(look, before);
        }
        if (takers.isCrowded()) {
            nudged.set(true);
            tellUnclaimable();
            return CROWDED;
        }
        // Due times of runs that park from here on are kept, until the time of the next claim is known.
        nextLook = Instant.MAX;
        parked.set(Instant.MAX);
        stalled.headSet(before, true).clear();
        try {
            ClaimedRuns got = claim();
            handOver(got);
            return Duration.ZERO.equals(got.retryIn()) ? again() : untilNextDue(retryIn(got), got.nextDue());
        } catch (RuntimeException | Error e) {
            // The drive waits and calls again; the next call must claim, so the flag is set again.
            nudged.set(true);
            throw e;
        }
    }

    /**
     * Has runs that leave no room look for messages: a request to cancel may be what ends them. Their fences let them
     * go on without a claim.
     */
    private void tellUnclaimable() {
        long now = store.clock().nanoTime();
        if (now - toldNanos < TOLD_AGAIN.toNanos()) {
            return;
        }
        toldNanos = now;
        List<RunKey> runs = takers.unclaimable();
        if (!runs.isEmpty()) {
            store.messages(runs, 1).keySet().forEach(takers::hasMessages);
        }
    }

    private ClaimedRuns claim() {
        long now = store.clock().nanoTime();
        lost.values().removeIf(until -> until - now < 0);
        UUID fence = fences.get();
        RunClaim claim = new RunClaim(
                session.get(),
                wanted.taskQueues(),
                wanted.types(),
                wanted.anyType(),
                BATCH,
                OWNED_FOR,
                fence,
                lost.keySet(),
                wanted.shares().get());
        try {
            return store.claimRuns(claim);
        } catch (StoreUnavailableException e) {
            throw e; // Nothing was claimed.
        } catch (RuntimeException e) {
            lost.put(fence, store.clock().nanoTime() + OWNED_FOR.toNanos());
            throw e;
        }
    }

    /**
     * Hands claimed runs over: first those that need no history, or whose history came with the claim; then the others,
     * whose histories are read together, a page at a time. They are read here, where waiting for the database delays
     * only claims, and not where workflow code runs.
     */
    private void handOver(ClaimedRuns got) {
        full = isFull(got);
        List<ClaimedRun> unread = new ArrayList<>();
        for (ClaimedRun run : got.runs()) {
            UUID runId = run.run().runId();
            List<StoredEvent> whole = got.histories().get(runId);
            if ((whole != null && isWhole(run, whole)) || takers.isCached(runId)) {
                handOver(run, got, whole);
            } else {
                unread.add(run);
            }
        }
        int from = 0;
        long events = 0;
        for (int i = 0; i < unread.size(); i++) {
            events += unread.get(i).nextEventId();
            if (i + 1 == unread.size() || events + unread.get(i + 1).nextEventId() > HistoryReplay.PAGE) {
                readAndHandOver(unread.subList(from, i + 1), got);
                Loop.progressed();
                from = i + 1;
                events = 0;
            }
        }
    }

    private void readAndHandOver(List<ClaimedRun> runs, ClaimedRuns got) {
        Map<UUID, List<StoredEvent>> pages = Map.of();
        try {
            pages = store.histories(runs.stream().map(run -> run.run().runId()).toList(), HistoryReplay.PAGE);
        } catch (RuntimeException e) {
            // The runs are claimed and must be handed over: each reads its own history.
            log.debug("the histories of {} claimed runs could not be read together", runs.size(), e);
        }
        for (ClaimedRun run : runs) {
            List<StoredEvent> page = pages.get(run.run().runId());
            // A run whose page was left out for lack of room reads its own.
            handOver(run, got, page != null && (page.size() == HistoryReplay.PAGE || isWhole(run, page)) ? page : null);
        }
    }

    private void handOver(ClaimedRun run, ClaimedRuns got, @Nullable List<StoredEvent> firstPage) {
        List<InboxMessage> messages = got.messages().getOrDefault(run.run().runId(), List.of());
        takers.claimed(new RunMail.Claimed(run, messages, firstPage, full));
    }

    private static boolean isWhole(ClaimedRun run, List<StoredEvent> events) {
        return events.size() == run.nextEventId() - 1;
    }

    /** Returns whether messages may have been left out because the others are large. */
    private static boolean isFull(ClaimedRuns got) {
        return got.messages().values().stream()
                        .flatMap(List::stream)
                        .mapToLong(message -> Portion.atMost(message.payload()))
                        .sum()
                >= Portion.BYTES;
    }

    /**
     * Returns when to claim again; where nothing was claimed not at once, however many messages come for runs that
     * other workers serve.
     */
    private static @Nullable Duration retryIn(ClaimedRuns got) {
        Duration retryIn = got.retryIn();
        boolean tooSoon = retryIn != null && got.runs().isEmpty() && retryIn.compareTo(LEFT_AT_LEAST) < 0;
        return tooSoon ? LEFT_AT_LEAST : retryIn;
    }

    /**
     * Returns the time until the next claim, at most the idle interval. Runs that were due before the claim and were
     * not claimed belong to other workers and are no reason to hurry, unless they were left to them for a moment; runs
     * that have become due since are.
     */
    private Duration untilNextDue(@Nullable Duration retryIn, @Nullable Instant nextDue) {
        Instant now = store.clock().now();
        Duration longest = idle.next();
        Instant poll = now.plus(lost.isEmpty() || longest.compareTo(LOST_AT_MOST) < 0 ? longest : LOST_AT_MOST);
        Instant latest = retryIn == null ? poll : earlier(now.plus(retryIn).plusMillis(1), poll);
        Instant due = nextDue == null ? latest : nextDue;
        if (due.isAfter(now)) {
            return sleepUntil(earlier(due.plusMillis(1), latest), now);
        }
        if (!due.equals(dueHere)) {
            dueHere = due;
            return again();
        }
        // Due by this process's clock and, asked again, not yet by the store's, which was set back.
        return sleepUntil(now.plus(LEFT_AT_LEAST), now);
    }

    private Duration again() {
        nudged.set(true);
        return AGAIN;
    }

    private Duration sleepUntil(Instant look, Instant now) {
        nextLook = look;
        Instant at = earlier(look, earliestHere());
        return at.isAfter(now) ? Duration.between(now, at) : AGAIN;
    }

    private Instant earliestHere() {
        Instant again = stalled.ceiling(Instant.MIN);
        return again == null ? parked.get() : earlier(parked.get(), again);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
