package dev.durable.store.postgres.internal.run;

import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.InboxLimit;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs. It assumes first that all runs of the batch are new, and writes them in one round trip. If a count is
 * wrong, it writes the batch again in one transaction by {@link CarefulStarts}, which checks each start.
 */
public final class Starts {
    static final StartOutcome NEW = new StartOutcome.Started(false);
    private static final int ATTEMPTS_IN_CALLERS = 10;
    private static final StartOutcome AGAIN = new StartOutcome.Started(true);

    private final Connections connections;
    private final SharedNudges nudges;
    private final LockPatience patience;
    private final InboxLimit inboxLimit;

    Starts(Connections connections, SharedNudges nudges, LockPatience patience, InboxLimit inboxLimit) {
        this.inboxLimit = inboxLimit;
        this.connections = connections;
        this.nudges = nudges;
        this.patience = patience;
    }

    List<StartOutcome> start(List<NewRun> starts) {
        if (starts.isEmpty()) {
            return List.of();
        }
        PendingNudges hints = new PendingNudges();
        Map<UUID, StartOutcome> outcomes = write(starts, hints);
        new StartBatch(starts.stream()
                        .filter(s -> isNew(outcomes.get(s.run().runId())))
                        .toList())
                .hint(hints);
        hints.spreadBy(nudges);
        Set<UUID> answered = new HashSet<>();
        return starts.stream()
                .map(s -> {
                    StartOutcome outcome =
                            Objects.requireNonNull(outcomes.get(s.run().runId()));
                    return answered.add(s.run().runId()) || !isNew(outcome) ? outcome : AGAIN;
                })
                .toList();
    }

    /**
     * Writes the starts. Those with a message for an open run mostly meet one, so they have a transaction of their own,
     * and do not hold up new runs; except in a batch in which each start has to be checked anyway.
     */
    private Map<UUID, StartOutcome> write(List<NewRun> starts, PendingNudges hints) {
        if (!mayBeWrittenAtOnce(starts)) {
            return careful(starts, hints);
        }
        List<NewRun> telling = starts.stream().filter(NewRun::tellsOpenRuns).toList();
        if (telling.isEmpty()) {
            return optimistic(starts, hints);
        }
        Map<UUID, StartOutcome> outcomes = careful(telling, hints);
        List<NewRun> others = starts.stream().filter(s -> !s.tellsOpenRuns()).toList();
        if (!others.isEmpty()) {
            outcomes.putAll(optimistic(others, hints));
        }
        return outcomes;
    }

    /**
     * Writes the start inside the caller's transaction; workers are nudged after its commit. An open run is neither
     * locked nor sent a message.
     */
    public StartOutcome startIn(Connection connection, NewRun start, CallerTransactions callers) {
        AtomicBoolean isNew = new AtomicBoolean();
        callers.afterCommit(() -> {
            if (isNew.get()) {
                nudgeOf(start);
            }
        });
        StartOutcome outcome = connections.in(connection, tx -> startIn(tx, start));
        isNew.set(isNew(outcome));
        return outcome;
    }

    private static StartOutcome startIn(Tx tx, NewRun start) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                CarefulStarts judgement = new CarefulStarts(tx, List.of(start), new PendingNudges());
                return Objects.requireNonNull(
                        judgement.writeTheNew().get(start.run().runId()));
            } catch (CarefulStarts.ClosedMeanwhile e) {
                if (attempt == ATTEMPTS_IN_CALLERS) {
                    throw e;
                }
            }
        }
    }

    private static boolean isNew(@Nullable StartOutcome outcome) {
        return outcome instanceof StartOutcome.Started started && !started.resent();
    }

    /** Returns whether the starts may be written without a check: policies need to know the latest run. */
    private static boolean mayBeWrittenAtOnce(List<NewRun> starts) {
        return starts.stream().allMatch(s -> s.policies().reuse() == ReusePolicy.ALLOW_DUPLICATE);
    }

    private Map<UUID, StartOutcome> optimistic(List<NewRun> starts, PendingNudges hints) {
        StartBatch batch = StartBatch.of(starts);
        PendingNudges expected = new PendingNudges();
        batch.hint(expected);
        NudgePassage passage = expected.passage(nudges);
        try {
            Map<UUID, StartOutcome> written = connections.attempt(patience.first(), passage, tx -> {
                SqlScript script = new SqlScript();
                batch.writeIfNew(script);
                tx.last(script);
                Map<UUID, StartOutcome> outcomes = new HashMap<>();
                starts.forEach(s -> outcomes.put(s.run().runId(), NEW));
                return outcomes;
            });
            hints.took(passage);
            return written;
        } catch (CommitUnknownException e) {
            expected.sendTo(nudges);
            throw e;
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case UNEXPECTED, AGAIN -> careful(starts, hints);
                case LOCKED -> halves(starts, SqlState.LOCKED, hints);
                case NO_PARTITION, UNAVAILABLE, REFUSED, OTHER ->
                    throw connections.failures().of(e);
            };
        }
    }

    private Map<UUID, StartOutcome> careful(List<NewRun> starts, PendingNudges hints) {
        Map<UUID, StartOutcome> outcomes = new HashMap<>();
        return withLocked(
                connections.inParts(
                        starts,
                        Starts::row,
                        patience,
                        (locks, part) -> careful(locks, part, hints).forEach(outcomes::putIfAbsent)),
                outcomes);
    }

    private Map<UUID, StartOutcome> halves(List<NewRun> starts, SqlState why, PendingNudges hints) {
        Map<UUID, StartOutcome> outcomes = new HashMap<>();
        return withLocked(
                connections.inHalves(
                        why,
                        starts,
                        Starts::row,
                        part -> careful(patience.parts(), part, hints).forEach(outcomes::putIfAbsent)),
                outcomes);
    }

    private Map<UUID, StartOutcome> careful(TransactionSettings locks, List<NewRun> starts, PendingNudges hints)
            throws SQLException {
        return connections.attempt(locks, tx -> new CarefulStarts(tx, starts, hints).writeAndTell(inboxLimit));
    }

    /**
     * Adds the locked starts to the outcomes: another open transaction is starting a run of their workflow id, and they
     * wait for its end.
     */
    private static Map<UUID, StartOutcome> withLocked(List<NewRun> locked, Map<UUID, StartOutcome> outcomes) {
        locked.forEach(s -> outcomes.put(s.run().runId(), new StartOutcome.Locked()));
        return outcomes;
    }

    private static Object row(NewRun start) {
        return start.run().workflowId();
    }

    private void nudgeOf(NewRun started) {
        PendingNudges hints = new PendingNudges();
        new StartBatch(List.of(started)).hint(hints);
        hints.sendTo(nudges);
    }

    static boolean refuses(ReusePolicy policy, WorkflowStatus latest) {
        return switch (policy) {
            case ALLOW_DUPLICATE -> false;
            case ALLOW_DUPLICATE_FAILED_ONLY -> latest == WorkflowStatus.COMPLETED;
            case REJECT_DUPLICATE -> true;
        };
    }
}
