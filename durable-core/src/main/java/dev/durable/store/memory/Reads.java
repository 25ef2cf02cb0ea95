package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.client.BoundedCount;
import dev.durable.client.WorkflowDescription.Parent;
import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.BuildRuns;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.ClosedRun;
import dev.durable.store.JobFilter;
import dev.durable.store.NewRun;
import dev.durable.store.OpenJob;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StallCause;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements the reads of the store: histories, messages, runs, jobs. */
final class Reads {
    private final RunTable runs;
    private final Sessions sessions;

    Reads(RunTable runs, Sessions sessions) {
        this.runs = runs;
        this.sessions = sessions;
    }

    Map<UUID, List<InboxMessage>> messages(Collection<RunKey> of, int limit, long bytes) {
        Map<UUID, List<InboxMessage>> found = new LinkedHashMap<>();
        Room room = new Room(bytes);
        for (RunKey key : of) {
            RunRow run = runs.findOpen(key.runId());
            if (run != null && !run.inbox().isEmpty()) {
                List<InboxMessage> first = room.messages(run.inbox().first(limit));
                if (!first.isEmpty()) {
                    found.put(key.runId(), first);
                }
            }
        }
        return found;
    }

    /** Counts the open runs of builds. */
    List<BuildRuns> buildRuns(int most) {
        List<Hold> open = runs.all().values().stream()
                .filter(RunRow::isOpen)
                .map(RunRow::hold)
                .toList();
        Map<String, Long> turns = counted(open.stream().limit(most).map(Hold::build));
        Map<String, Long> pinned = counted(open.stream().map(Hold::pinnedTo));
        return Stream.of(turns, pinned)
                .flatMap(counts -> counts.keySet().stream())
                .distinct()
                .sorted()
                .map(build -> new BuildRuns(
                        build,
                        new BoundedCount(turns.getOrDefault(build, 0L), open.size() > most),
                        new BoundedCount(
                                Math.min(most, pinned.getOrDefault(build, 0L)), pinned.getOrDefault(build, 0L) > most)))
                .toList();
    }

    private static Map<String, Long> counted(Stream<@Nullable String> builds) {
        return builds.filter(Objects::nonNull).collect(Collectors.groupingBy(build -> build, Collectors.counting()));
    }

    Optional<CallbackState> callback(CallbackToken token, long readTo) {
        RunRow run = runs.find(token.run().runId());
        return run == null || !run.key().equals(token.run())
                ? Optional.empty()
                : Optional.of(run.callback(token, readTo));
    }

    List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return history(runId, fromEventId, limit, new Room(Portion.BYTES));
    }

    private List<StoredEvent> history(UUID runId, long fromEventId, int limit, Room room) {
        RunRow run = runs.find(runId);
        if (run == null) {
            return List.of();
        }
        int from = Math.clamp(fromEventId - 1, 0, run.history().size());
        int to = (int) Math.min((long) from + limit, run.history().size());
        return room.events(run.history().subList(from, to));
    }

    Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit) {
        Map<UUID, List<StoredEvent>> found = new LinkedHashMap<>();
        Room room = new Room(Portion.BYTES);
        for (UUID id : runIds) {
            List<StoredEvent> events = history(id, 1, limit, room);
            if (!events.isEmpty()) {
                found.put(id, events);
            }
        }
        return found;
    }

    Optional<RunRecord> run(UUID runId) {
        return Optional.ofNullable(runs.find(runId)).map(RunRow::record);
    }

    Optional<RunRecord> latest(String workflowId) {
        return Optional.ofNullable(runs.latest(workflowId)).map(RunRow::record);
    }

    List<ClosedRun> closed(Collection<UUID> runIds) {
        List<ClosedRun> all = runIds.stream()
                .map(runs::find)
                .filter(Objects::nonNull)
                .filter(run -> !run.isOpen())
                .map(RunRow::record)
                .map(run -> new ClosedRun(
                        run.run().runId(),
                        run.status(),
                        run.result(),
                        run.failure(),
                        run.links().next() == null ? null : runs.newestOf(run)))
                .toList();
        return new Room(Portion.BYTES).first(all, Reads::size);
    }

    Set<UUID> unknown(Collection<UUID> runIds) {
        return runIds.stream().filter(id -> runs.find(id) == null).collect(Collectors.toSet());
    }

    List<RunRecord> page(RunFilter filter, int limit) {
        return new Room(Portion.BYTES).first(matching(filter).limit(limit).toList(), Reads::size);
    }

    long count(RunFilter filter, long limit) {
        return matching(filter).limit(limit).count();
    }

    Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return matching(filter).collect(Collectors.groupingBy(RunRecord::status, Collectors.counting()));
    }

    Optional<RunDetails> details(UUID runId) {
        return Optional.ofNullable(runs.find(runId)).map(Reads::describe);
    }

    Map<UUID, String> stalledBy(Collection<UUID> runIds) {
        Map<UUID, String> found = new LinkedHashMap<>();
        for (UUID id : runIds) {
            RunRow run = runs.findOpen(id);
            String reason = run == null ? null : run.hold().stalledBy();
            if (reason != null) {
                found.put(id, reason);
            }
        }
        return found;
    }

    List<OpenJob> jobs(JobFilter filter, int limit) {
        return new Room(Portion.BYTES).first(all(filter).limit(limit).toList(), Reads::size);
    }

    Stream<OpenJob> all(JobFilter filter) {
        return matching(filter).map(job -> open(job, filter.isOne()));
    }

    private static long size(RunRecord run) {
        return size(run.result())
                + size(run.failure())
                + run.memo().entrySet().stream()
                        .mapToLong(
                                note -> note.getKey().length() + note.getValue().length())
                        .sum();
    }

    private static long size(ClosedRun run) {
        return size(run.result()) + size(run.failure());
    }

    private static long size(OpenJob job) {
        return size(job.options())
                + size(job.report().lastFailure())
                + size(job.report().heartbeatDetails());
    }

    private static long size(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    long count(JobFilter filter, long limit) {
        return matching(filter).limit(limit).count();
    }

    OpenJob open(Job job, boolean whole) {
        return job.open(sessions::identity, whole);
    }

    private Stream<Job> matching(JobFilter filter) {
        return runs.all().values().stream()
                .filter(run -> filter.workflowId() == null
                        || filter.workflowId().equals(run.key().workflowId()))
                .filter(run -> filter.runId() == null
                        || filter.runId().equals(run.key().runId()))
                .flatMap(run -> run.jobs().values().stream())
                .filter(job -> FilterMatch.matches(filter, job));
    }

    private static RunDetails describe(RunRow run) {
        Hold hold = run.hold();
        boolean open = run.isOpen();
        List<PendingActivity> jobs =
                run.jobs().values().stream().map(Job::describe).toList();
        return new RunDetails(
                run.record(),
                run.history().size(),
                open ? hold.stalledBy() : null,
                open ? hold.ownedUntil() : null,
                open ? hold.lastSession() : null,
                open ? hold.wakeAt() : null,
                run.inbox().size(),
                jobs,
                run.startedBy(),
                open && hold.paused(),
                parent(run.parent()));
    }

    private static @Nullable Parent parent(NewRun.@Nullable Parent parent) {
        return parent == null
                ? null
                : new Parent(parent.workflowId(), parent.chain(), parent.number(), parent.rootChain());
    }

    private Stream<RunRecord> matching(RunFilter filter) {
        return from(filter.after(), filter.newestFirst())
                .filter(run -> filter.batch() == null || isMember(filter.batch(), run))
                .filter(run -> filter.activity() == null || filter.activity().equals(run.activityOfJob()))
                .filter(run -> isBelow(filter, run.parent()))
                .filter(run -> !filter.stalled() || isStalled(run, filter.stallCause()))
                .map(RunRow::record)
                .filter(record -> FilterMatch.matches(filter, record));
    }

    private static boolean isStalled(RunRow run, @Nullable StallCause cause) {
        String stalledBy = run.isOpen() ? run.hold().stalledBy() : null;
        return stalledBy != null
                && (cause == null || cause.equals(StallCause.of(run.start().type(), run.key(), stalledBy)));
    }

    private static boolean isBelow(RunFilter filter, NewRun.@Nullable Parent parent) {
        return (filter.parent() == null || parent != null && filter.parent().equals(parent.chain()))
                && (filter.root() == null || parent != null && filter.root().equals(parent.rootChain()));
    }

    /** Returns whether the run is a member of the batch: of a job that was enqueued again, only the latest run is. */
    private boolean isMember(String batch, RunRow run) {
        BatchPlace place = run.start().place();
        return place != null && place.batch().equals(batch) && runs.isAt(place, run);
    }

    BatchStore.Tally batch(String id) {
        long[] counts = new long[6];
        for (RunRow run : runs.batch(id).values()) {
            RunRecord record = run.record();
            boolean completed = record.status() == WorkflowStatus.COMPLETED;
            if (run.isOpen()) {
                counts[3]++;
                counts[4] += any(run, ActivityState.DEAD);
                counts[5] += any(run, ActivityState.INCIDENT);
            } else {
                counts[completed ? record.failure() == null ? 0 : 1 : 2]++;
            }
        }
        return new BatchStore.Tally(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
    }

    private static int any(RunRow run, ActivityState state) {
        return run.jobs().values().stream().anyMatch(job -> job.state() == state) ? 1 : 0;
    }

    List<BatchStore.Member> members(String batch, int after, int limit) {
        List<BatchStore.Member> first = runs.batch(batch).tailMap(after, false).entrySet().stream()
                .limit(limit)
                .map(member ->
                        new BatchStore.Member(member.getKey(), member.getValue().record()))
                .toList();
        return new Room(Portion.BYTES).first(first, member -> size(member.run()));
    }

    Set<BatchPlace> held(Map<BatchPlace, RunKey> wanted) {
        return wanted.entrySet().stream()
                .filter(at -> {
                    RunRow run = runs.batch(at.getKey().batch()).get(at.getKey().number());
                    return run != null && run.key().equals(at.getValue());
                })
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private Stream<RunRow> from(@Nullable UUID after, boolean newestFirst) {
        NavigableMap<UUID, RunRow> all = newestFirst ? runs.all().descendingMap() : runs.all();
        return (after == null ? all : all.tailMap(after, false)).values().stream();
    }
}
