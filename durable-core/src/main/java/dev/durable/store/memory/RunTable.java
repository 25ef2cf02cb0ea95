package dev.durable.store.memory;

import dev.durable.store.BatchPlace;
import dev.durable.store.BuildRamps;
import dev.durable.store.JobStart;
import dev.durable.store.NewRun;
import dev.durable.store.RunClaim;
import dev.durable.store.RunIds;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of the in-memory store: all by their ids, the open ones by when they are due, and the batches. */
final class RunTable {
    /** How long a due run is left to the session that has it cached. */
    static final Duration CACHED_FIRST = Duration.ofMillis(100);

    private final TreeMap<UUID, RunRow> byRunId = new TreeMap<>(RunIds.ORDER);
    private final Map<UUID, RunRow> index = new HashMap<>();
    /** In the order of their starts: only the last run of a workflow id can be open. */
    private final Map<String, List<RunRow>> byWorkflowId = new HashMap<>();

    /** The open children by the chains of their parents. */
    private final Map<UUID, Set<RunRow>> children = new HashMap<>();

    /** The last run that was started at each place. */
    private final Map<String, NavigableMap<Integer, RunRow>> byBatch = new HashMap<>();

    private final Map<String, Agenda<RunRow>> claimable = new HashMap<>();
    private final Agenda<RunRow> expiring = new Agenda<>();

    void add(RunRow run) {
        index.put(run.key().runId(), run);
        byRunId.put(run.key().runId(), run);
        byWorkflowId
                .computeIfAbsent(run.key().workflowId(), id -> new ArrayList<>(1))
                .add(run);
        BatchPlace at = run.start().place();
        if (at != null) {
            byBatch.computeIfAbsent(at.batch(), batch -> new TreeMap<>()).put(at.number(), run);
        }
        NewRun.Parent parent = run.parent();
        if (parent != null) {
            children.computeIfAbsent(parent.chain(), chain -> new LinkedHashSet<>())
                    .add(run);
        }
        place(run);
    }

    /** The open children of a chain, in the order of their starts. */
    Set<RunRow> openChildren(UUID chain) {
        return children.getOrDefault(chain, Set.of());
    }

    /** Takes a run that has ended out of the children of its parent. */
    void leaveParent(RunRow run) {
        NewRun.Parent parent = run.parent();
        if (parent != null) {
            children.computeIfPresent(parent.chain(), (chain, open) -> {
                open.remove(run);
                return open.isEmpty() ? null : open;
            });
        }
    }

    NavigableMap<Integer, RunRow> batch(String id) {
        return byBatch.getOrDefault(id, new TreeMap<>());
    }

    /** Returns whether it is the run at this place of a batch. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    boolean isAt(@Nullable BatchPlace place, RunRow run) {
        return place != null && batch(place.batch()).get(place.number()) == run;
    }

    /** Sorts a run anew; to be called after each change of the time at which it is due. */
    void place(RunRow run) {
        agenda(run.start().taskQueue()).put(run, run.claimableAt());
        expiring.put(run, run.expiresAt());
    }

    @Nullable
    RunRow find(UUID runId) {
        return index.get(runId);
    }

    @Nullable
    RunRow findOpen(UUID runId) {
        RunRow run = find(runId);
        return run == null || !run.isOpen() ? null : run;
    }

    /** The open run of a workflow id, if this is its id or that of its chain. */
    @Nullable
    RunRow findOpen(String workflowId, UUID id) {
        RunRow run = latest(workflowId);
        return run == null || !run.isOpen() || !run.isAddressedBy(id) ? null : run;
    }

    /** The open run of a workflow id, else the one that closed last. */
    @Nullable
    RunRow latest(String workflowId) {
        List<RunRow> runs = byWorkflowId.get(workflowId);
        return runs == null ? null : runs.getLast();
    }

    /** The newest run of the chain of a run. */
    UUID newestOf(RunRecord one) {
        return byWorkflowId.getOrDefault(one.run().workflowId(), List.of()).reversed().stream()
                .filter(run -> run.chainId().equals(one.links().chainId()))
                .findFirst()
                .orElseThrow()
                .key()
                .runId();
    }

    /** Runs of this workflow id that closed since then, the latest first. */
    Stream<RunRow> closedSince(String workflowId, Instant since) {
        return byWorkflowId.getOrDefault(workflowId, List.of()).reversed().stream()
                .filter(run -> !run.isOpen())
                .takeWhile(run -> run.closedSince(since));
    }

    /**
     * This run, or the newest of the chain whose first run it is; where no run id is given the latest of the workflow id.
     */
    @Nullable
    RunRow find(String workflowId, @Nullable UUID runId) {
        RunRow latest = latest(workflowId);
        return runId == null || (latest != null && latest.isAddressedBy(runId)) ? latest : find(runId);
    }

    NavigableMap<UUID, RunRow> all() {
        return byRunId;
    }

    /** Due runs of one queue that the claimer can serve. */
    Stream<RunRow> due(String taskQueue, RunClaim claim, @Nullable String build, Instant now) {
        return agenda(taskQueue).due(now).filter(run -> serves(claim, build, run, now));
    }

    /** Releases runs that lost claims have taken under these fences. */
    void release(Set<UUID> fences) {
        byRunId.values().stream()
                .filter(run -> !fences.isEmpty()
                        && run.isOpen()
                        && fences.contains(run.hold().fence()))
                .forEach(run -> {
                    run.hold().release();
                    place(run);
                });
    }

    /** Releases the runs of a session that has ended. */
    void disown(UUID session) {
        byRunId.values().stream()
                .filter(run -> run.isOpen() && session.equals(run.hold().lastSession()))
                .forEach(run -> {
                    run.hold().disown();
                    place(run);
                });
    }

    Stream<RunRow> expired(Instant now) {
        return expiring.due(now);
    }

    @Nullable
    Instant firstExpiry() {
        return expiring.first();
    }

    /** The first wake after this time of a parked run of these queues. */
    Optional<Instant> firstWake(Collection<String> taskQueues, @Nullable String build, Instant after) {
        return taskQueues.stream()
                .flatMap(queue -> agenda(queue).inOrder())
                .filter(run -> run.hold().isFor(build))
                .flatMap(run -> wakeOfParked(run.hold(), after).stream())
                .min(Instant::compareTo);
    }

    /**
     * The times after this one at which the runs change by time alone: a run becomes due, is given up by its owner or
     * its cache, or expires.
     */
    Stream<Instant> timesAfter(Instant now) {
        Stream<Instant> due = claimable.values().stream().flatMap(agenda -> agenda.firstAfter(now).stream());
        Stream<Instant> leftToCache = claimable.values().stream()
                .flatMap(agenda -> agenda.due(now))
                .filter(run -> run.hold().lastSession() != null)
                .flatMap(RunTable::openToAll)
                .filter(now::isBefore);
        Stream<Instant> heldBack = claimable.values().stream()
                .flatMap(agenda -> agenda.due(now))
                .flatMap(run -> Stream.ofNullable(run.hold().notBeforeForStalled()))
                .filter(now::isBefore);
        return Stream.of(due, leftToCache, heldBack, expiring.firstAfter(now).stream())
                .flatMap(times -> times);
    }

    /** How long the due runs that this session can serve are still left to other sessions that have them cached. */
    Stream<Duration> leftToOthers(String taskQueue, RunClaim claim, @Nullable String build, Instant now) {
        return agenda(taskQueue)
                .due(now)
                .filter(run -> suits(claim, build, run, now) && !serves(claim, build, run, now))
                .flatMap(RunTable::openToAll)
                .map(then -> Duration.between(now, then));
    }

    /** How long the due runs of other shares, which this session could serve, are still left to the builds of those. */
    Stream<Duration> leftToShares(String taskQueue, RunClaim claim, @Nullable String build, Instant now) {
        if (claim.share(taskQueue).strict()) {
            return Stream.empty();
        }
        return agenda(taskQueue)
                .due(now)
                .filter(run -> claim.takes(run.start().type())
                        && run.hold().isFor(build)
                        && !isShared(claim, run, now)
                        && !run.hold().holdsBack(build, now))
                .flatMap(run -> Stream.ofNullable(run.dueSince()))
                .map(since -> Duration.between(now, since.plus(BuildRamps.PATIENCE)));
    }

    /** The time from which the session that has a run cached has no precedence any more. */
    private static Stream<Instant> openToAll(RunRow run) {
        Instant since = run.dueSince();
        return since == null ? Stream.empty() : Stream.of(since.plus(CACHED_FIRST));
    }

    private static boolean serves(RunClaim claim, @Nullable String build, RunRow run, Instant now) {
        Instant since = run.dueSince();
        return since != null
                && suits(claim, build, run, now)
                && run.hold().openTo(claim.session(), since, now, CACHED_FIRST);
    }

    private static boolean suits(RunClaim claim, @Nullable String build, RunRow run, Instant now) {
        return claim.takes(run.start().type())
                && run.hold().isFor(build)
                && isShared(claim, run, now)
                && !run.hold().holdsBack(build, now);
    }

    /** Returns whether the ramps of builds let the claimer have the run. */
    private static boolean isShared(RunClaim claim, RunRow run, Instant now) {
        BuildRamps.Share share = claim.share(run.start().taskQueue());
        Instant since = run.dueSince();
        return run.hold().pinnedTo() != null
                || run.start().type().equals(JobStart.TYPE)
                || share.has(RunIds.shard(run.key().runId()))
                || !share.strict()
                        && since != null
                        && !since.plus(BuildRamps.PATIENCE).isAfter(now);
    }

    private static Optional<Instant> wakeOfParked(Hold hold, Instant after) {
        Instant wake = hold.wakeAt();
        Instant held = hold.notBefore();
        boolean counts = hold.ownedUntil() == null && !hold.paused();
        return Optional.ofNullable(wake)
                .filter(at -> counts && at.isAfter(after) && (held == null || !held.isAfter(at)));
    }

    private Agenda<RunRow> agenda(String taskQueue) {
        return claimable.computeIfAbsent(taskQueue, queue -> new Agenda<>());
    }
}
