package dev.durable.internal.dispatch;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.commit.HeapShare;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.text.Portion;
import dev.durable.observe.EngineObserver;
import dev.durable.store.ClaimedJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobKey;
import dev.durable.store.QueueStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Claims ready jobs of one task queue, or of a few that share slots, at most as many as there are free slots, and
 * begins each at once: no leased job ever waits here.
 *
 * <pre>
 *   asleep ── its time, a nudge, or slots free that jobs wait for ──► claim ── full ──► claim again
 *     ▲                                                                │
 *     └────── a while that grows with each empty claim ◄───────────────┘ not full
 * </pre>
 *
 * A claim whose reply is lost leaves leases that this process does not know; {@link HeldLeases} gives them back.
 */
public final class ActivityWorker implements Step {
    /** The time between two checks whether the activities that run here leave room for more. */
    private static final Duration CROWDED = Duration.ofMillis(20);

    private final HistoryStore store;
    private final ActivityPool pool;
    private final Set<String> activities;
    private final ActivityStarter starter;
    private final RulesWatch rules;
    private final TransactionalShare share;
    private final PollPace pace;
    private long nextClaim;
    /** The time after which a limit allows more jobs, by the claims of this call; null where none is in the way. */
    private @Nullable Duration retryIn;
    /**
     * An upper bound of the bytes that the claims of this call have brought; where that is a whole portion, more jobs
     * may wait.
     */
    private long bytes;

    /**
     * @param store the store in which jobs are claimed
     * @param pool the queues whose jobs are claimed, with their slots
     * @param activities the activities that this process implements
     * @param starter begins the claimed jobs
     * @param rules the pauses and limits of the queues
     * @param share bounds how many transactional activities run at once
     * @param pace the pauses between claims
     */
    public ActivityWorker(
            HistoryStore store,
            ActivityPool pool,
            Set<String> activities,
            ActivityStarter starter,
            RulesWatch rules,
            TransactionalShare share,
            PollPace pace) {
        this.store = store;
        this.pool = pool;
        this.activities = activities;
        this.starter = starter;
        this.rules = rules;
        this.share = share;
        this.pace = pace;
        this.nextClaim = store.clock().nanoTime();
    }

    @Override
    public Duration runOnce() {
        if (!starter.claims() || activities.isEmpty()) {
            return UNTIL_WOKEN;
        }
        long early = nextClaim - store.clock().nanoTime();
        if (early > 0 && !pool.slots().worthAClaim()) {
            return Duration.ofNanos(early);
        }
        if (starter.host().leases().weight() + starter.host().reports().held() >= HeapShare.backlog()) {
            pool.slots().demand(ActivitySlots.Demand.HUNGRY);
            skipped(EngineObserver.Skipped.BACKLOG);
            return sleep(CROWDED);
        }
        List<ActivitySlots.Slot> slots = pool.slots().takeForClaim();
        if (slots.isEmpty()) {
            pool.slots().demand(ActivitySlots.Demand.HUNGRY);
            skipped(EngineObserver.Skipped.NO_SLOT);
            return sleep(pace.afterFind());
        }
        return claim(slots);
    }

    private void skipped(EngineObserver.Skipped why) {
        starter.host().surroundings().telemetry().observer().claimSkipped(pool.name(), why);
    }

    private Duration claim(List<ActivitySlots.Slot> slots) {
        Object claim = starter.host().leases().claimBegins();
        ArrayDeque<ActivitySlots.Slot> left = new ArrayDeque<>(slots);
        retryIn = null;
        bytes = 0;
        boolean answered = false;
        try {
            fill(left);
            answered = true;
        } finally {
            starter.host().leases().claimEnds(claim);
            left.forEach(ActivitySlots.Slot::free);
            if (!answered) {
                starter.host().leases().claimLost();
            }
        }
        boolean full = left.isEmpty() || bytes >= Portion.BYTES;
        pool.slots().demand(full ? ActivitySlots.Demand.BACKLOG : ActivitySlots.Demand.NONE);
        Duration pause = left.size() < slots.size() ? pace.afterFind() : pace.afterNothing();
        if (retryIn != null && retryIn.compareTo(pause) < 0) {
            pause = retryIn;
        }
        sleep(pause);
        return full ? AGAIN : pause;
    }

    /**
     * Gives each queue its share of the slots, then the slots that are left to the queues that may have more jobs,
     * until none has.
     */
    private void fill(ArrayDeque<ActivitySlots.Slot> left) {
        List<ActivityQueue> asking = new ArrayList<>(pool.queues());
        asking.removeIf(queue -> rules.of(queue.name()).paused());
        List<RuntimeException> failures = new ArrayList<>();
        while (!left.isEmpty() && !asking.isEmpty()) {
            pool.share(left.size(), asking).forEach((queue, share) -> {
                if (!asks(queue, left, share, failures)) {
                    asking.remove(queue);
                }
            });
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }

    /**
     * Claims for one queue; returns whether it may have more jobs. A claim that fails because of its queue's rows does
     * not keep the other queues of the pool from their jobs.
     */
    private boolean asks(
            ActivityQueue queue, ArrayDeque<ActivitySlots.Slot> left, int share, List<RuntimeException> failures) {
        Tries tries = starter.host().surroundings().telemetry().tries();
        String claims = "the claims of jobs of queue " + queue.name();
        try {
            boolean more = begin(queue, left, share) == share;
            tries.worked(claims);
            return more;
        } catch (StoreUnavailableException | CommitUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            tries.failed(claims, e);
            failures.add(e);
            return false;
        }
    }

    /**
     * Claims jobs of a queue and begins them. Transactional jobs need a place besides the slot: where there are places
     * for only some of the slots, that many jobs of any kind are claimed, and then, for the other slots, only jobs that
     * need no place.
     */
    private int begin(ActivityQueue queue, ArrayDeque<ActivitySlots.Slot> left, int most) {
        Set<JobKey> unread =
                starter.host().unread().of(queue.name(), store.clock().nanoTime());
        JobClaim all = new JobClaim(starter.session(), queue.name(), activities, most, unread);
        if (!share.countsAny(activities)) {
            return start(all.session(), queue, left, claimed(all));
        }
        int places = share.take(queue.name(), most);
        List<ClaimedJob> jobs = List.of();
        try {
            jobs = places == 0 ? jobs : claimed(all.atMost(places));
        } finally {
            if (jobs.size() < places) {
                share.sated(queue.name());
            }
            share.giveBack(places - share.needed(jobs));
        }
        int begun = start(all.session(), queue, left, jobs);
        Set<String> others = share.others(activities);
        boolean done = begun < places || begun == most || others.isEmpty();
        JobClaim rest = new JobClaim(all.session(), queue.name(), others, most - begun, unread);
        return done ? begun : begun + start(all.session(), queue, left, claimed(rest));
    }

    private int start(UUID session, ActivityQueue queue, ArrayDeque<ActivitySlots.Slot> left, List<ClaimedJob> jobs) {
        for (ClaimedJob job : jobs) {
            ActivitySlots.Slot slot = left.remove();
            if (share.counts(job.activity())) {
                slot.with(() -> share.giveBack(1));
            }
            starter.start(job, new Leases.Reserved(session, queue, slot));
        }
        return jobs.size();
    }

    private List<ClaimedJob> claimed(JobClaim wanted) {
        if (!rules.of(wanted.taskQueue()).limits().limitsClaims()) {
            return weighed(store.claimJobs(wanted));
        }
        QueueStore.LimitedClaim claim = store.claimLimitedJobs(wanted);
        Duration again = claim.retryIn();
        if (again != null && (retryIn == null || again.compareTo(retryIn) < 0)) {
            retryIn = again;
        }
        return weighed(claim.jobs());
    }

    private List<ClaimedJob> weighed(List<ClaimedJob> jobs) {
        for (ClaimedJob job : jobs) {
            bytes += job.atMost();
        }
        return jobs;
    }

    private Duration sleep(Duration pause) {
        nextClaim = store.clock().nanoTime() + pause.toNanos();
        return pause;
    }
}
