package dev.durable.store.memory;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.JobClaim;
import dev.durable.store.NewJob;
import dev.durable.store.QueueRules.Rule;
import dev.durable.store.QueueStore;
import dev.durable.store.RecentStarts;
import dev.durable.store.RunClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements the claims: due runs under the fence of the claim, ready jobs each under a new lease. */
final class Claims {
    private static final Comparator<RunRow> LONGEST_DUE =
            Comparator.comparing(RunRow::dueSince, Comparator.nullsLast(Comparator.naturalOrder()));

    private final Tables tables;

    Claims(Tables tables) {
        this.tables = tables;
    }

    ClaimedRuns runs(RunClaim claim) {
        Instant now = tables.now();
        tables.runs().release(claim.lost());
        String build = tables.sessions().build(claim.session());
        Instant nextDue =
                tables.runs().firstWake(claim.taskQueues(), build, now).orElse(null);
        if (!tables.sessions().isAlive(claim.session())) {
            return ClaimedRuns.none(null, nextDue);
        }
        List<RunRow> due = claim.taskQueues().stream()
                .flatMap(queue -> tables.runs().due(queue, claim, build, now))
                .sorted(LONGEST_DUE)
                .limit(claim.limit())
                .toList();
        Duration left = due.size() == claim.limit()
                ? Duration.ZERO
                : claim.taskQueues().stream()
                        .flatMap(queue -> Stream.concat(
                                tables.runs().leftToOthers(queue, claim, build, now),
                                tables.runs().leftToShares(queue, claim, build, now)))
                        .min(Duration::compareTo)
                        .orElse(null);
        return claim(due, claim, left, nextDue);
    }

    private ClaimedRuns claim(List<RunRow> due, RunClaim claim, @Nullable Duration retryIn, @Nullable Instant nextDue) {
        List<ClaimedRun> claimed = new ArrayList<>();
        Map<UUID, List<InboxMessage>> messages = new HashMap<>();
        Map<UUID, List<StoredEvent>> histories = new HashMap<>();
        long events = 0;
        Room messageRoom = new Room(Portion.BYTES);
        Room eventRoom = new Room(Portion.BYTES);
        for (RunRow run : due) {
            UUID runId = run.key().runId();
            if (!run.inbox().isEmpty()) {
                List<InboxMessage> first = messageRoom.messages(run.inbox().first(ClaimedRuns.MAX_MESSAGES));
                if (!first.isEmpty()) {
                    messages.put(runId, first);
                }
            }
            if (!claim.session().equals(run.hold().lastSession())
                    && run.history().size() <= ClaimedRuns.SHORT_HISTORY
                    && events + run.nextEventId() <= ClaimedRuns.MAX_EVENTS) {
                List<StoredEvent> first = eventRoom.events(run.history());
                if (!first.isEmpty()) {
                    histories.put(runId, first);
                }
                events += run.nextEventId();
            }
            claimed.add(claim(run, claim, tables.now()));
        }
        return new ClaimedRuns(claimed, messages, histories, retryIn, nextDue);
    }

    List<ClaimedJob> jobs(JobClaim claim) {
        Rule rule = tables.settings().rule(claim.taskQueue(), tables.now());
        return rule.isFree() ? take(claim, claim.limit()) : List.of();
    }

    /** Claims as many jobs as the limits of the queue leave. */
    QueueStore.LimitedClaim limited(JobClaim claim) {
        Instant now = tables.now();
        Rule rule = tables.settings().rule(claim.taskQueue(), now);
        if (rule.paused()) {
            return new QueueStore.LimitedClaim(List.of(), null);
        }
        RecentStarts starts = tables.settings().starts(claim.taskQueue());
        int room = claim.limit();
        Integer concurrency = rule.limits().concurrency();
        if (concurrency != null) {
            int kept = tables.places().count(claim.taskQueue(), now, tables.sessions()::isAlive);
            room = Math.min(
                    room,
                    concurrency
                            - kept
                            - (int) tables.jobs().running(claim.taskQueue()).count());
        }
        Integer rate = rule.limits().ratePerSecond();
        int allowed = rate == null ? Integer.MAX_VALUE : rate - starts.in(now);
        List<ClaimedJob> jobs = take(claim, Math.max(0, Math.min(room, allowed)));
        starts.add(now, jobs.size());
        boolean slowed = rate != null && jobs.size() == allowed && allowed < room;
        return new QueueStore.LimitedClaim(jobs, slowed ? starts.freeIn(now) : null);
    }

    private List<ClaimedJob> take(JobClaim claim, int limit) {
        if (!tables.sessions().isAlive(claim.session())) {
            return List.of();
        }
        Set<String> activities = claim.activities().stream()
                .filter(activity -> !tables.settings().pauses(activity, tables.now()))
                .collect(Collectors.toSet());
        List<ClaimedJob> claimed = new ArrayList<>();
        long bytes = 0;
        for (Job job : tables.jobs().claimable(claim, activities, limit, tables.now())) {
            tables.jobs().run(job, new NewJob.Lease(UUID.randomUUID(), claim.session()), tables.now());
            tables.settings().begun(job, tables.now());
            ClaimedJob taken = job.claimed();
            claimed.add(taken);
            bytes += size(taken);
            if (bytes >= Portion.BYTES) {
                break;
            }
        }
        return claimed;
    }

    private static long size(ClaimedJob job) {
        String details = job.heartbeatDetails();
        return (long) job.content().input().length() + (details == null ? 0 : details.length());
    }

    private ClaimedRun claim(RunRow run, RunClaim claim, Instant now) {
        Hold hold = run.hold();
        UUID previous = hold.fence();
        hold.claim(claim.fence(), claim.session(), now.plus(claim.ownedFor()));
        tables.place(run);
        return new ClaimedRun(
                run.key(),
                run.start().type(),
                run.start().taskQueue(),
                hold.fence(),
                previous,
                run.nextEventId(),
                hold.wakeAt(),
                hold.closing(),
                hold.stalls(),
                hold.build());
    }
}
