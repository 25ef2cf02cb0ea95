package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.ClaimedJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims ready jobs of one task queue, never more than it has free slots for, and begins each at once.
 *
 * <pre>
 *   asleep ── its time, a nudge, or slots free that jobs wait for ──► claim ── full ──► claim again
 *     ▲                                                                │
 *     └────── a while that grows with each empty claim ◄───────────────┘ not full
 * </pre>
 *
 * A claim whose reply is lost leaves leases that nobody here knows; {@link HeldLeases} gives them back.
 */
final class ActivityWorker implements Step {
    private static final Logger log = LoggerFactory.getLogger(ActivityWorker.class);
    private static final Duration DATABASE_AWAY = Duration.ofMillis(500);

    private final HistoryStore store;
    private final ActivityQueue queue;
    private final Set<String> activities;
    private final ActivityStarter starter;
    private final PollPace pace;
    private long nextClaim;

    /**
     * @param store where jobs are claimed
     * @param queue which jobs, and where they run
     * @param activities what this process implements
     * @param starter begins them
     * @param pace how often to look
     */
    ActivityWorker(
            HistoryStore store, ActivityQueue queue, Set<String> activities, ActivityStarter starter, PollPace pace) {
        this.store = store;
        this.queue = queue;
        this.activities = activities;
        this.starter = starter;
        this.pace = pace;
        this.nextClaim = store.clock().nanoTime();
    }

    @Override
    public Duration runOnce() {
        if (starter.draining() || activities.isEmpty()) {
            return UNTIL_WOKEN;
        }
        long early = nextClaim - store.clock().nanoTime();
        if (early > 0 && !queue.slots().worthAClaim()) {
            return Duration.ofNanos(early);
        }
        List<Slots.Slot> slots = queue.slots().takeForClaim();
        if (slots.isEmpty()) {
            queue.slots().demand(Slots.Demand.HUNGRY);
            return sleep(pace.afterFind());
        }
        try {
            return claim(slots);
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("claiming jobs of queue {} waits for the database: {}", queue.name(), e.getMessage());
            return sleep(DATABASE_AWAY);
        }
    }

    private Duration claim(List<Slots.Slot> slots) {
        Object claim = starter.host().leases().claimBegins();
        int begun = 0;
        boolean full;
        try {
            JobClaim wanted = new JobClaim(starter.session(), queue.name(), activities, slots.size());
            List<ClaimedJob> jobs = store.claimJobs(wanted);
            full = jobs.size() == slots.size();
            for (ClaimedJob job : jobs) {
                starter.start(job, new Leases.Reserved(wanted.session(), queue, slots.get(begun++)));
            }
        } finally {
            starter.host().leases().claimEnds(claim);
            slots.subList(begun, slots.size()).forEach(Slots.Slot::free);
        }
        queue.slots().demand(full ? Slots.Demand.BACKLOG : Slots.Demand.NONE);
        Duration pause = sleep(begun > 0 ? pace.afterFind() : pace.afterNothing());
        return full ? AGAIN : pause;
    }

    private Duration sleep(Duration pause) {
        nextClaim = store.clock().nanoTime() + pause.toNanos();
        return pause;
    }
}
