package dev.durable.store.memory;

import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.JobClaim;
import dev.durable.store.NewJob;
import dev.durable.store.RunClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** Hands out what is due: runs under a new fence each, jobs under a new lease each. */
final class Claims {
    private static final Comparator<Run> LONGEST_DUE =
            Comparator.comparing(Run::dueSince, Comparator.nullsLast(Comparator.naturalOrder()));

    private final Tables tables;

    Claims(Tables tables) {
        this.tables = tables;
    }

    List<ClaimedRun> runs(RunClaim claim) {
        Instant now = tables.now();
        List<Run> due = claim.taskQueues().stream()
                .flatMap(queue -> tables.runs().due(queue, claim, now))
                .sorted(LONGEST_DUE)
                .limit(claim.limit())
                .toList();
        return due.stream().map(run -> claim(run, claim, now)).toList();
    }

    List<ClaimedJob> jobs(JobClaim claim) {
        if (!tables.sessions().isAlive(claim.session())) {
            return List.of();
        }
        List<ClaimedJob> claimed = new ArrayList<>();
        for (Job job : tables.jobs().claimable(claim.taskQueue(), claim.activities(), claim.limit(), tables.now())) {
            tables.jobs().run(job, new NewJob.Lease(UUID.randomUUID(), claim.session()), tables.now());
            claimed.add(job.claimed());
        }
        return claimed;
    }

    private ClaimedRun claim(Run run, RunClaim claim, Instant now) {
        Hold hold = run.hold();
        UUID previous = hold.fence();
        hold.claim(UUID.randomUUID(), claim.session(), now.plus(claim.ownedFor()));
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
                hold.stalls());
    }
}
