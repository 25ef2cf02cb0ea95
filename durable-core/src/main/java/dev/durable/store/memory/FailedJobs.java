package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.JobFilter;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists dead letters and incidents in groups of one failure, finds the groups that are due for an alert, and purges old dead
 * letters.
 */
final class FailedJobs {
    private static final Comparator<OpenJob> BY_BURIAL =
            Comparator.comparing(job -> Objects.requireNonNull(job.burial()).at());

    private final Tables tables;
    private final Reads reads;
    private final Map<String, Told> told = new HashMap<>();

    private record Told(Instant at, Instant until) {}

    FailedJobs(Tables tables, Reads reads) {
        this.tables = tables;
        this.reads = reads;
    }

    List<FailedJobGroup> groups(JobFilter filter, int limit) {
        return groups(reads.all(filter))
                .sorted(Comparator.comparing(FailedJobGroup::lastSeen).reversed())
                .limit(limit)
                .toList();
    }

    List<FailedJobGroup> alertsDue(Duration quiet, int limit) {
        Instant now = tables.now();
        List<FailedJobGroup> due = groups(reads.all(JobFilter.ALL))
                .filter(group -> isDue(group, told.get(group.fingerprint()), now.minus(quiet)))
                .limit(limit)
                .toList();
        due.forEach(group -> told.put(group.fingerprint(), new Told(now, group.lastSeen())));
        return due;
    }

    int purge(Duration kept, int maxDeadLetters, int limit) {
        Instant before = tables.now().minus(kept);
        List<Job> dead = tables.runs().all().values().stream()
                .flatMap(run -> run.jobs().values().stream())
                .filter(job -> job.state() == ActivityState.DEAD)
                .sorted(Comparator.comparing((Job job) ->
                                Objects.requireNonNull(job.burial()).at())
                        .reversed())
                .toList();
        List<Job> over = Stream.concat(
                        dead.stream().skip(maxDeadLetters),
                        dead.stream()
                                .limit(maxDeadLetters)
                                .filter(job -> Objects.requireNonNull(job.burial())
                                        .at()
                                        .isBefore(before)))
                .limit(limit)
                .toList();
        over.forEach(tables::purge);
        return over.size();
    }

    private static boolean isDue(FailedJobGroup group, @Nullable Told last, Instant quietSince) {
        return last == null
                || !last.at().isAfter(quietSince) && group.lastSeen().isAfter(last.until());
    }

    private static Stream<FailedJobGroup> groups(Stream<OpenJob> jobs) {
        return jobs
                .filter(job -> job.burial() != null)
                .collect(Collectors.groupingBy(
                        job -> Objects.requireNonNull(job.burial()).fingerprint()))
                .values()
                .stream()
                .map(FailedJobs::group);
    }

    private static FailedJobGroup group(List<OpenJob> alike) {
        OpenJob first = alike.stream().min(BY_BURIAL).orElseThrow();
        OpenJob last = alike.stream().max(BY_BURIAL).orElseThrow();
        OpenJob.Burial burial = Objects.requireNonNull(last.burial());
        return new FailedJobGroup(
                burial.fingerprint(),
                last.route().activity(),
                alike.size(),
                Objects.requireNonNull(first.burial()).at(),
                burial.at(),
                last.report().lastFailure(),
                last.key());
    }
}
