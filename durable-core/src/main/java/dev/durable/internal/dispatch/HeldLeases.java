package dev.durable.internal.dispatch;

import dev.durable.internal.attempt.Attempt;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.store.HeldJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that compares the jobs that the store has under this session with the leases that the process knows, so that
 * no lease depends on an answer that may be lost:
 *
 * <ul>
 *   <li>held there, unknown here: the reply to a claim was lost; given back, once no claim is under way that may bring it;
 *   <li>known here, not held there: the run was closed, or another worker took over; the attempt is stale;
 *   <li>changed by orders (a deadline, options): the attempt applies the changes;
 *   <li>cancel requested: the attempt is cancelled, whether it heartbeats or not;
 *   <li>handed over to a run, and still held after several checks: the outcome goes to the run's inbox.
 * </ul>
 */
public final class HeldLeases implements Chore {
    private static final Logger log = LoggerFactory.getLogger(HeldLeases.class);
    private static final int PATIENCE = 3;
    /**
     * The factor by which the store is asked less often while neither it nor this process has a lease of the session.
     */
    private static final int WHEN_IDLE = 3;
    /** The first pause after a claim whose answer was lost; it doubles, which makes five reads within a second. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(25);

    private static final Duration LAST_LOOK = Duration.ofMillis(400);

    private final HistoryStore store;
    private final ActivityStarter starter;
    private final ActivityReports reports;
    private final Duration interval;
    private final ChoreTally tally = new ChoreTally();
    private final Map<UUID, Set<Object>> suspects = new HashMap<>();
    /** The pause before the next read, for a while after a claim whose answer was lost; null otherwise. */
    private @Nullable Duration soon;
    /** How many times in a row no lease was held here since the store was asked and had none either. */
    private int idle = WHEN_IDLE;

    public HeldLeases(HistoryStore store, ActivityStarter starter, ActivityReports reports, Duration interval) {
        this.store = store;
        this.starter = starter;
        this.reports = reports;
        this.interval = interval;
    }

    @Override
    public Duration interval() {
        return interval.multipliedBy(WHEN_IDLE);
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        if (leases().takeClaimLost()) {
            soon = FIRST_LOOK;
        } else if (soon == null && leases().isEmpty() && ++idle < WHEN_IDLE) {
            return interval;
        }
        UUID session = starter.session();
        // Collected before the store is asked: leases that come later may be missing from its answer.
        List<Attempt> attempts = leases().attempts();
        List<Leases.HandedOver> handedOver = leases().handedOver();
        Set<UUID> known = leases().tokens();
        Map<UUID, HeldJob> held = store.held(session).stream().collect(Collectors.toMap(HeldJob::lease, job -> job));
        attempts.stream()
                .filter(attempt -> attempt.session().equals(session))
                .forEach(attempt -> compare(attempt, held.get(attempt.lease())));
        compare(handedOver, held.keySet());
        idle = known.isEmpty() && held.isEmpty() ? 0 : WHEN_IDLE;
        held.keySet().removeAll(known);
        tally.did(giveBackUnknown(held.values()));
        return nextLook();
    }

    /**
     * Returns the pause before the next read. The leases of a claim whose answer was lost may become visible only now,
     * and while other claims are under way they are known to be lost only at the second read.
     */
    private Duration nextLook() {
        Duration look = soon;
        if (look == null) {
            return interval;
        }
        Duration next = look.multipliedBy(2);
        soon = next.compareTo(LAST_LOOK) > 0 ? null : next;
        return look.compareTo(interval) < 0 ? look : interval;
    }

    private static void compare(Attempt attempt, @Nullable HeldJob held) {
        if (held == null) {
            attempt.becomeStale("its job is gone: the workflow ended, or another worker has it");
            return;
        }
        if (held.ordered() != null) {
            attempt.hear(held.ordered());
        }
        if (held.cancelRequested()) {
            attempt.cancel();
        }
    }

    private void compare(List<Leases.HandedOver> handedOver, Set<UUID> held) {
        int left = 0;
        for (Leases.HandedOver taken : handedOver) {
            AttemptOutcome outcome = taken.outcome();
            if (!held.contains(outcome.lease())) {
                if (leases().remove(outcome.lease())) {
                    // Settled just now, or taken by another worker.
                    reports.taken(outcome.key(), outcome.lease());
                }
            } else if (taken.looks() < PATIENCE) {
                leases().replace(taken, taken.lookedAt());
            } else if (!taken.toInbox()) {
                // Sent only once: while the database takes no writes, the outcome waits in its lane, as it would with
                // its run.
                log.debug("the outcome of {} goes to the inbox", outcome.key());
                leases().replace(taken, taken.sent());
                reports.toInbox(outcome);
                left++;
            }
        }
        if (left > 0) {
            log.info("{} outcomes were not written by their runs and go to the inbox", left);
        }
    }

    /** Gives leases back that this process does not know; returns how many. */
    private int giveBackUnknown(Collection<HeldJob> held) {
        int givenBack = 0;
        Set<Object> underWay = leases().claimsUnderWay();
        List<HeldJob> unknown =
                held.stream().filter(job -> !leases().knows(job.lease())).toList();
        suspects.keySet().retainAll(unknown.stream().map(HeldJob::lease).toList());
        for (HeldJob job : unknown) {
            Set<Object> mayBringIt = suspects.computeIfAbsent(job.lease(), lease -> underWay);
            if (Collections.disjoint(mayBringIt, underWay)) {
                log.info("{} is leased to this process, which does not know of it: given back", job.key());
                suspects.remove(job.lease());
                boolean begun = leases().isForgotten(job.lease());
                JobUpdate release = new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, begun, null);
                reports.tell(release, (outcome, error) -> {
                    if (error == null) {
                        leases().givenBack(job.lease());
                    }
                });
                givenBack++;
            }
        }
        return givenBack;
    }

    private Leases leases() {
        return starter.host().leases();
    }
}
