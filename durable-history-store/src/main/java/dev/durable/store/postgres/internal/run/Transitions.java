package dev.durable.store.postgres.internal.run;

import dev.durable.DurableException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.Transition.Outcome;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.BatchHalving;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Writes transitions of runs: optimistically in one round trip, with a slow path if one is stale or locked.
 *
 * <pre>
 *   optimistic: all at once, counted, one round trip ── a count is wrong ──► careful: lock, find the stale ones, write the
 *                                                                            others, in one transaction
 *                                                    ── a lock is late ────► careful, by {@link BatchHalving}: items that
 *                                                                            wait are LOCKED, the others are written
 * </pre>
 */
final class Transitions {
    private final Connections connections;
    private final SharedNudges nudges;
    private final LockPatience patience;

    Transitions(Connections connections, SharedNudges nudges, LockPatience patience) {
        this.connections = connections;
        this.nudges = nudges;
        this.patience = patience;
    }

    List<Outcome> commit(List<Transition> transitions) {
        if (transitions.isEmpty()) {
            return List.of();
        }
        refuseTwoOfOneRun(transitions);
        PendingNudges hints = new PendingNudges();
        Map<RunKey, Outcome> outcomes;
        try {
            outcomes = mayBeWrittenAtOnce(transitions) ? optimistic(transitions, hints) : careful(transitions, hints);
        } finally {
            wakeRelay(transitions); // after an error, too: some may be written
        }
        hintOf(transitions, outcomes, hints);
        hints.spreadBy(nudges);
        return transitions.stream().map(t -> outcomes.get(t.run())).toList();
    }

    /**
     * Returns whether the transitions may be written without a check: the effect of a cancellation depends on the job
     * that is found, and that of a start on the messages of the run whose place it takes.
     */
    private static boolean mayBeWrittenAtOnce(List<Transition> transitions) {
        return transitions.stream().allMatch(t -> t.jobs().cancelled().isEmpty() && !t.isByStart());
    }

    private Map<RunKey, Outcome> optimistic(List<Transition> transitions, PendingNudges hints) {
        TransitionBatch batch = new TransitionBatch(transitions);
        PendingNudges expected = new PendingNudges();
        hintOf(transitions, applied(transitions, Set.of()), expected);
        NudgePassage passage = expected.passage(nudges);
        try {
            Map<RunKey, Outcome> written = connections.attempt(patience.first(), passage, tx -> {
                SqlScript script = new SqlScript();
                Set<UUID> waiting = new HashSet<>();
                batch.lock(script);
                batch.write(script, waiting);
                batch.append(script);
                tx.last(script);
                return applied(transitions, waiting);
            });
            hints.took(passage);
            return written;
        } catch (CommitUnknownException e) {
            expected.sendTo(nudges);
            throw e;
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case UNEXPECTED, AGAIN -> careful(transitions, hints);
                case LOCKED -> halves(transitions, SqlState.LOCKED, hints);
                case NO_PARTITION, UNAVAILABLE, REFUSED, OTHER ->
                    throw connections.failures().of(e);
            };
        }
    }

    private Map<RunKey, Outcome> careful(List<Transition> transitions, PendingNudges hints) {
        try {
            return careful(patience.first(), transitions, hints);
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case AGAIN, LOCKED -> halves(transitions, SqlState.of(e), hints);
                case UNEXPECTED, NO_PARTITION, UNAVAILABLE, REFUSED, OTHER ->
                    throw connections.failures().of(e);
            };
        }
    }

    private Map<RunKey, Outcome> careful(TransactionSettings locks, List<Transition> transitions, PendingNudges hints)
            throws SQLException {
        return connections.attempt(locks, tx -> new CarefulTransitions(tx, transitions, hints).writeTheGood());
    }

    private Map<RunKey, Outcome> halves(List<Transition> transitions, SqlState why, PendingNudges hints) {
        Map<RunKey, Outcome> outcomes = new HashMap<>();
        try {
            connections
                    .inHalves(
                            why,
                            transitions,
                            Transition::run,
                            part -> outcomes.putAll(careful(patience.parts(), part, hints)))
                    .forEach(t -> outcomes.put(t.run(), Outcome.LOCKED));
            return outcomes;
        } catch (DurableException e) {
            hintOf(transitions, outcomes, hints);
            hints.sendTo(nudges);
            throw outcomes.isEmpty() ? e : partlyWritten(e);
        }
    }

    /** The error for a batch of which a part was written: the caller has to read back each transition. */
    private static CommitUnknownException partlyWritten(Exception e) {
        return new CommitUnknownException(
                "a batch that was written in parts broke off in the middle: "
                        + Thrown.of(e).words(),
                e);
    }

    static Map<RunKey, Outcome> applied(List<Transition> transitions, Set<UUID> waiting) {
        Map<RunKey, Outcome> outcomes = new HashMap<>();
        for (Transition t : transitions) {
            boolean more = waiting.contains(t.run().runId()) || (t.park() && t.close() == null && t.sendsToItself());
            outcomes.put(t.run(), more ? Outcome.APPLIED_MORE : Outcome.APPLIED);
        }
        return outcomes;
    }

    private static void hintOf(List<Transition> transitions, Map<RunKey, Outcome> outcomes, PendingNudges hints) {
        for (Transition t : transitions) {
            Outcome outcome = outcomes.get(t.run());
            if (outcome != null && outcome.isApplied()) {
                t.jobs().scheduled().stream()
                        .filter(job -> job.eager() == null)
                        .forEach(job -> hints.jobs(job.route().taskQueue()));
                Transition.Stall stall = t.stall();
                if (stall != null && stall.queueOfOthers() != null) {
                    hints.runs(stall.queueOfOthers());
                }
                if (!t.appends().isEmpty()) {
                    hints.written(t.mail().chain());
                }
                if (t.close() != null) {
                    hints.closed(t.run().runId());
                } else if (t.answersUpdates()) {
                    hints.answered(t.mail().chain());
                }
                NewRun next = t.next();
                if (next != null && next.firstTurn().delay().isZero()) {
                    hints.runs(next.taskQueue());
                }
            }
        }
    }

    /**
     * Wakes the relay of this process, if it may have got messages: also by the end of a run that has a parent or
     * children. Those of other processes need not look for the same messages.
     */
    private void wakeRelay(List<Transition> transitions) {
        if (transitions.stream()
                .anyMatch(t ->
                        !t.sends().isEmpty() || (t.close() != null && t.close().related()))) {
            nudges.deliverToOne(List.of(new Nudges.OutboxFilled()));
        }
    }

    private static void refuseTwoOfOneRun(List<Transition> transitions) {
        Set<UUID> runs = new HashSet<>();
        for (Transition t : transitions) {
            if (!runs.add(t.run().runId())) {
                throw new IllegalArgumentException("two transitions of " + t.run()
                        + " in one batch: the second can't know the fence that the first sets; send it when the first is"
                        + " answered");
            }
        }
    }
}
