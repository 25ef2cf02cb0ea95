package dev.durable.store.postgres.internal.run;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.WorkflowTerminated;
import dev.durable.store.ChildOutcome;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.ParentClosed;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunReset;
import dev.durable.store.Seizure;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.message.OutgoingRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Puts forks in the places of runs. All rows of other runs are locked first, in lock order; a fork of a closed run makes
 * the row of the open run before it judges, as a start does, since judging first would accept a run that another one has
 * replaced meanwhile.
 */
public final class Resets {
    private final Connections connections;
    private final SharedNudges nudges;

    public Resets(Connections connections, SharedNudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public RunReset.Outcome reset(RunReset reset) {
        try {
            connections.transaction(TransactionSettings.LONG, tx -> {
                write(tx, reset);
                return reset;
            });
        } catch (Forks.HistoryGoneException e) {
            return RunReset.Outcome.GONE;
        } catch (GivenUpException e) {
            return e.outcome;
        }
        PendingNudges hints = new PendingNudges();
        new StartBatch(List.of(reset.fork())).hint(hints);
        hints.sendTo(nudges);
        List<Nudges.Nudge> told = new ArrayList<>();
        told.add(new Nudges.RunClosed(reset.replaced().runId()));
        if (!reset.sends().isEmpty()) {
            told.add(new Nudges.OutboxFilled());
        }
        nudges.send(told);
        return RunReset.Outcome.DONE;
    }

    private static void write(Tx tx, RunReset reset) throws SQLException {
        NewRun fork = reset.fork();
        if (reset.copied().events() >= reset.nextEventId()) {
            throw new Forks.HistoryGoneException();
        }
        OpenRow open = lock(tx, reset);
        if (open == null) {
            reopen(tx, reset);
        } else {
            replaceOpen(tx, reset, open);
        }
        Forks.copy(tx, fork);
        SqlScript rest = new SqlScript();
        JobRows.ofStarts(List.of(fork)).insert(rest);
        MessageRows messages = new MessageRows();
        reset.copied().messages().forEach(message -> messages.add(fork.run(), message));
        if (!reset.children().isEmpty()) {
            lookUp(tx, reset, messages);
        }
        messages.insert(rest, new PendingNudges());
        OutgoingRows.insert(reset.sends(), fork.run().workflowId(), rest);
        Forks.audit(fork, rest);
        tx.last(rest);
    }

    /** The row of the open run of the workflow id, which is locked. */
    private record OpenRow(
            UUID runId, long nextEventId, @Nullable String pinnedTo) {}

    private static @Nullable OpenRow lock(Tx tx, RunReset reset) throws SQLException {
        RunKey own = reset.fork().run();
        List<RunKey> family = new ArrayList<>();
        family.add(own);
        NewRun.Parent parent = reset.fork().parent();
        if (parent != null) {
            family.add(new RunKey(parent.chain(), parent.workflowId()));
        }
        reset.children().forEach(child -> family.add(new RunKey(child.chain(), child.workflowId())));
        family.sort(RunKey.LOCK_ORDER);
        List<OpenRow> open = new ArrayList<>();
        tx.run(new SqlScript()
                .read(
                        ForkSql.LOCK_FAMILY,
                        row -> {
                            UUID run = row.getObject("run_id", UUID.class);
                            if (run != null) {
                                open.add(new OpenRow(run, row.getLong("next_event_id"), row.getString("pinned_to")));
                            }
                        },
                        Param.texts(family, RunKey::workflowId),
                        Param.shorts(family, RunKey::shard),
                        Param.bools(family, run -> run.equals(own))));
        return open.isEmpty() ? null : open.getFirst();
    }

    /** Tells the fork of children that have ended, were not started and will not be, or are open and watched. */
    private static void lookUp(Tx tx, RunReset reset, MessageRows messages) throws SQLException {
        RunKey fork = reset.fork().run();
        List<RunReset.Child> children = reset.children();
        Param chain = Param.of(reset.chain());
        Param workflowIds = Param.texts(children, RunReset.Child::workflowId);
        Param shards = Param.shorts(children, child -> RunIds.shard(child.chain()));
        Param chains = Param.uuids(children, RunReset.Child::chain);
        List<RunReset.Child> ended = new ArrayList<>();
        tx.run(new SqlScript().read(ForkSql.LOCK_STARTS, row -> {}, chain, Param.of(fork.shard())));
        tx.run(new SqlScript()
                .read(
                        ForkSql.CHILDREN,
                        row -> {
                            RunReset.Child child = children.get(row.getInt("item") - 1);
                            if (!row.getBoolean("started")) {
                                if (!row.getBoolean("ordered")) {
                                    messages.add(fork, child.notStarted());
                                }
                                return;
                            }
                            WorkflowStatus status = WorkflowStatus.valueOf(row.getString("status"));
                            if (status.closed()) {
                                ended.add(child);
                                messages.add(
                                        fork,
                                        ChildOutcome.ended(
                                                child.chain(),
                                                child.number(),
                                                status,
                                                row.getString("result"),
                                                row.getString("failure")));
                            } else if (child.watched()) {
                                messages.add(fork, ChildOutcome.started(child.chain(), child.number()));
                            }
                        },
                        chain,
                        workflowIds,
                        shards,
                        chains));
        tx.run(new SqlScript()
                .then(
                        ForkSql.TAKE_BACK_OUTCOMES,
                        Param.uuids(ended, RunReset.Child::chain),
                        Param.shorts(ended, child -> RunIds.shard(child.chain())),
                        Param.of(ChildOutcome.NUMBER))
                .then(
                        ForkSql.DEPEND_AGAIN,
                        workflowIds,
                        shards,
                        chains,
                        Param.shorts(children, child -> child.policy().code())));
    }

    private static void replaceOpen(Tx tx, RunReset reset, OpenRow open) throws SQLException {
        RunKey replaced = reset.replaced();
        NewRun fork = reset.fork();
        if (!open.runId().equals(replaced.runId()) || open.nextEventId() != reset.nextEventId()) {
            throw givenUp(tx, reset);
        }
        Seizure end = new Seizure(
                replaced.workflowId(),
                replaced.runId(),
                false,
                fork.fence(),
                WorkflowStatus.TERMINATED,
                WorkflowTerminated.class.getSimpleName(),
                dropped -> reset.closed().attributes(),
                reset.closed().failure());
        Seizures.replace(tx, new Seizures.LockedRun(replaced, open.nextEventId(), end), fork);
        Param run = Param.of(fork.run().runId());
        Param shard = Param.of(fork.run().shard());
        tx.run(new SqlScript()
                .then(
                        ForkSql.GO_ON_BEHIND,
                        run,
                        shard,
                        Param.of(fork.firstTurn().length() + 1),
                        Param.of((Object) open.pinnedTo()),
                        run,
                        shard));
    }

    /** Makes the row of the open run, and the fork the next run of the closed one. */
    private static void reopen(Tx tx, RunReset reset) throws SQLException {
        NewRun fork = reset.fork();
        NewRun.Parent parent = fork.parent();
        boolean[] made = new boolean[1];
        tx.run(new SqlScript()
                .read(
                        ForkSql.REOPEN,
                        row -> made[0] = true,
                        Param.of(fork.run().runId()),
                        Param.of(fork.run().shard()),
                        Param.of(fork.run().workflowId()),
                        Param.of(fork.type()),
                        Param.of(fork.taskQueue()),
                        Param.of(fork.fence()),
                        Param.of(reset.chain()),
                        Param.of(fork.firstTurn().length() + 1),
                        Param.instant(fork.deadlines().timesOutAt()),
                        Param.of((Object) (parent == null ? null : parent.workflowId())),
                        Param.of((Object) (parent == null ? null : parent.chain())),
                        Param.of((Object) (parent == null ? null : parent.rootChain())),
                        Param.of((Object)
                                (parent == null ? null : parent.closePolicy().code()))));
        if (!made[0] || !isStillTheLatest(tx, reset)) {
            throw givenUp(tx, reset);
        }
        Param run = Param.of(reset.replaced().runId());
        Param shard = Param.of(reset.replaced().shard());
        Param chain = Param.of(reset.chain());
        Param end = Param.of(ParentClosed.NUMBER);
        SqlScript script = new SqlScript()
                .then(ForkSql.TAKE_PLACE, Param.of(fork.run().runId()), run, shard)
                .then(ForkSql.TAKE_BACK_END, chain, end, shard, chain, end, shard);
        EventRows.ofStarts(List.of(fork)).insert(script);
        tx.run(script);
    }

    private static boolean isStillTheLatest(Tx tx, RunReset reset) throws SQLException {
        boolean[] latest = new boolean[1];
        tx.run(new SqlScript()
                .read(
                        ForkSql.LATEST,
                        row -> {
                            if (row.getObject("last", Long.class) == null) {
                                throw new Forks.HistoryGoneException();
                            }
                            latest[0] = row.getObject("run_id", UUID.class)
                                            .equals(reset.replaced().runId())
                                    && row.getBoolean("closed")
                                    && row.getLong("last") + 1 == reset.nextEventId();
                        },
                        Param.of(reset.fork().run().workflowId()),
                        Param.of(reset.fork().run().shard())));
        return latest[0];
    }

    /** Returns the reason for which nothing is written: an earlier send has done it, or the run is another now. */
    private static GivenUpException givenUp(Tx tx, RunReset reset) throws SQLException {
        boolean[] known = new boolean[1];
        tx.run(new SqlScript()
                .read(
                        ForkSql.IS_KNOWN,
                        row -> known[0] = true,
                        Param.of(reset.fork().run().runId()),
                        Param.of(reset.fork().run().shard())));
        return new GivenUpException(known[0] ? RunReset.Outcome.DONE : RunReset.Outcome.CHANGED);
    }

    /** Gives up the transaction of a reset that is written already, or can't be. */
    private static final class GivenUpException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final RunReset.Outcome outcome;

        GivenUpException(RunReset.Outcome outcome) {
            super("the reset is " + outcome, null, false, false);
            this.outcome = outcome;
        }
    }
}
