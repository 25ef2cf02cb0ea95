package dev.durable.store.postgres.internal.run;

import dev.durable.store.InboxLimit;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.StartOutcome;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Starts runs with a copy of another run's first events. A fork is judged as any start is; the events of the run that is
 * forked never change, so that run is not locked. Only retention may remove them: then the transaction is given up.
 */
public final class Forks {
    private final Connections connections;
    private final SharedNudges nudges;

    public Forks(Connections connections, SharedNudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public Optional<StartOutcome> fork(NewRun fork) {
        try {
            StartOutcome outcome = connections.transaction(TransactionSettings.LONG, tx -> fork(tx, fork));
            if (outcome instanceof StartOutcome.Started) {
                PendingNudges hints = new PendingNudges();
                new StartBatch(List.of(fork)).hint(hints);
                hints.sendTo(nudges);
            }
            return Optional.of(outcome);
        } catch (HistoryGoneException e) {
            return Optional.empty();
        }
    }

    private static StartOutcome fork(Tx tx, NewRun fork) throws SQLException {
        UUID runId = fork.run().runId();
        PendingNudges unused = new PendingNudges();
        StartOutcome outcome = Objects.requireNonNull(new CarefulStarts(tx, List.of(fork), unused)
                .writeAndTellFirst(InboxLimit.DEFAULT)
                .get(runId));
        SqlScript rest = new SqlScript();
        if (outcome instanceof StartOutcome.Started started && !started.resent()) {
            NewRun.Copied copied = Objects.requireNonNull(fork.firstTurn().copied());
            copy(tx, fork);
            MessageRows messages = new MessageRows();
            copied.messages().forEach(message -> messages.add(fork.run(), message));
            messages.insert(rest, unused);
            audit(fork, rest);
        }
        tx.last(rest);
        return outcome;
    }

    /** Copies the events. */
    static void copy(Tx tx, NewRun fork) throws SQLException {
        NewRun.Copied copied = Objects.requireNonNull(fork.firstTurn().copied());
        UUID from = copied.from().runId();
        tx.run(new SqlScript()
                .read(
                        ForkSql.COPY,
                        row -> {
                            if (row.getLong("copied") != copied.events()) {
                                throw new HistoryGoneException();
                            }
                        },
                        Param.of(fork.run().runId()),
                        Param.of(fork.run().shard()),
                        Param.of(from),
                        Param.of(RunIds.shard(from)),
                        Param.of(copied.events())));
    }

    static void audit(NewRun fork, SqlScript script) {
        NewRun.Copied copied = Objects.requireNonNull(fork.firstTurn().copied());
        script.then(
                MessageSql.AUDIT,
                Param.of(fork.fence()),
                Param.of(SafeText.storable(copied.actor())),
                Param.of(NewRun.Copied.ACTION),
                Param.of(copied.from().workflowId()),
                Param.of(copied.details(fork.run())));
    }

    /** Gives up the transaction of a fork whose events are not all there. */
    static final class HistoryGoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        HistoryGoneException() {
            super("the history that is to be copied is not there", null, false, false);
        }
    }
}
