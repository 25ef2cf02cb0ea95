package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.ChildOutcome;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Starts children whose parents have asked for them, in a transaction of the relay.
 *
 * <pre>
 *   insert run_state (may wait) ─► judge: resent, in use, reuse policy ─► lock the parents' open runs, without waiting
 *        ─► take back those whose parent has ended, or is about to ─► write the rest, and the answers of refused starts
 * </pre>
 *
 * <p>The share lock on the parent's open run decides between the start and the parent's end: the start is committed
 * before, and the order that ends the children finds the child; or the child is not started. Children of policy ABANDON
 * need no open parent. The lock is the last thing that could wait, and it does not: a transaction that holds it waits for
 * no other.
 */
public final class ChildStarts {
    /** The result of the order to start a child. */
    public enum Result {
        /** The child is started, or was before. */
        STARTED,
        /** The start is refused, and the parent has the answer in its inbox. */
        REFUSED,
        /** The parent has ended: nobody wants the child any more. */
        UNWANTED,
        /** The parent's run, or the run in the way, ends just now: the order is to be tried again. */
        LATER
    }

    private final Tx tx;
    private final StartBatch asked;
    private final Map<UUID, Result> results = new HashMap<>();
    private final Map<UUID, StartOutcome> refusals = new HashMap<>();
    private final Set<UUID> inserted = new HashSet<>();

    /** @param starts at most one of each workflow id; each has a parent */
    public ChildStarts(Tx tx, List<NewRun> starts) {
        this.tx = tx;
        this.asked = StartBatch.of(starts);
    }

    /** Inserts the runs, and so waits for other transactions that start runs of these workflow ids. */
    public void insert() throws SQLException {
        tx.run(new SqlScript()
                .read(
                        StartSql.STATES_OF_CHILDREN,
                        row -> inserted.add(row.getObject("run_id", UUID.class)),
                        asked.statesOfChildren()));
        StartBatch others = with(s -> !inserted.contains(s.run().runId()));
        if (!others.starts().isEmpty()) {
            findInTheWay(others);
        }
        StartBatch judged =
                with(s -> inserted.contains(s.run().runId()) && s.policies().reuse() != ReusePolicy.ALLOW_DUPLICATE);
        if (!judged.starts().isEmpty()) {
            refuseByPolicy(judged);
        }
    }

    /**
     * Locks the parents and writes the rest.
     *
     * @param hints gets the queues in which runs are due
     */
    public Map<UUID, Result> finish(PendingNudges hints) throws SQLException {
        Map<Parent, UUID> locked = new HashMap<>();
        Set<Parent> gone = new HashSet<>();
        lockParents(locked, gone);
        MessageRows answers = new MessageRows();
        for (NewRun child : asked.starts()) {
            UUID id = child.run().runId();
            Parent parent = Parent.of(child);
            StartOutcome refusal = refusals.get(id);
            if (results.containsKey(id)) {
                continue;
            }
            if (refusal == null && StartBatch.parent(child).closePolicy() == ParentClosePolicy.ABANDON) {
                results.put(id, Result.STARTED);
            } else if (!locked.containsKey(parent)) {
                results.put(id, gone.contains(parent) ? Result.UNWANTED : Result.LATER);
            } else if (refusal == null) {
                results.put(id, Result.STARTED);
            } else {
                results.put(id, Result.REFUSED);
                answers.add(
                        new RunKey(Objects.requireNonNull(locked.get(parent)), parent.workflowId()),
                        ChildOutcome.notStarted(
                                id,
                                StartBatch.parent(child).number(),
                                ChildOutcome.reason(child.run().workflowId(), refusal)));
            }
        }
        write(answers, hints);
        return results;
    }

    private void write(MessageRows answers, PendingNudges hints) throws SQLException {
        StartBatch takenBack = with(
                s -> inserted.contains(s.run().runId()) && results.get(s.run().runId()) != Result.STARTED);
        StartBatch started = with(
                s -> inserted.contains(s.run().runId()) && results.get(s.run().runId()) == Result.STARTED);
        SqlScript script = new SqlScript();
        if (!takenBack.starts().isEmpty()) {
            script.then(StartSql.DROP_REFUSED, takenBack.runs(), takenBack.shards());
        }
        started.writeChildren(script);
        answers.insert(script, hints);
        tx.run(script);
        started.hint(hints);
    }

    private StartBatch with(Predicate<NewRun> which) {
        return new StartBatch(asked.starts().stream().filter(which).toList());
    }

    private void findInTheWay(StartBatch others) throws SQLException {
        others.starts().forEach(s -> results.put(s.run().runId(), Result.LATER));
        tx.run(new SqlScript()
                .read(
                        StartSql.IN_THE_WAY,
                        row -> {
                            UUID run = row.getObject("run_id", UUID.class);
                            UUID open = row.getObject("open", UUID.class);
                            if (row.getBoolean("resent")) {
                                results.put(run, Result.STARTED);
                            } else if (open != null) {
                                results.remove(run);
                                refusals.put(run, new StartOutcome.AlreadyOpen(open, row.getString("type"), null));
                            }
                        },
                        others.runs(),
                        others.shards(),
                        others.workflowIds(),
                        Param.bools(others.starts(), s -> false),
                        others.batches(),
                        others.numbers()));
    }

    private void refuseByPolicy(StartBatch judged) throws SQLException {
        Map<UUID, ReusePolicy> policies = new HashMap<>();
        judged.starts().forEach(s -> policies.put(s.run().runId(), s.policies().reuse()));
        tx.run(new SqlScript()
                .read(
                        StartSql.LATEST,
                        row -> {
                            UUID run = row.getObject("run_id", UUID.class);
                            WorkflowStatus latest = WorkflowStatus.valueOf(row.getString("status"));
                            if (Starts.refuses(Objects.requireNonNull(policies.get(run)), latest)) {
                                refusals.put(
                                        run,
                                        new StartOutcome.Refused(row.getObject("latest", UUID.class), latest, false));
                            }
                        },
                        judged.runs(),
                        judged.shards(),
                        judged.workflowIds(),
                        judged.batches(),
                        judged.numbers()));
    }

    /** Finds the open runs of the parents and locks them; those that are locked by others are in neither. */
    private void lockParents(Map<Parent, UUID> locked, Set<Parent> gone) throws SQLException {
        List<Parent> parents = asked.starts().stream()
                .map(Parent::of)
                .distinct()
                .sorted(Parent.LOCK_ORDER)
                .toList();
        Param[] keys = {
            texts(parents, Parent::workflowId),
            shorts(parents, p -> RunIds.shardOf(p.workflowId())),
            uuids(parents, Parent::chain)
        };
        Set<Parent> open = new HashSet<>();
        tx.run(new SqlScript()
                .read(
                        StartSql.LOCK_PARENTS,
                        row -> locked.put(parents.get(row.getInt("parent") - 1), row.getObject("run_id", UUID.class)),
                        keys)
                .read(StartSql.OPEN_PARENTS, row -> open.add(parents.get(row.getInt("parent") - 1)), keys));
        parents.stream().filter(p -> !open.contains(p)).forEach(gone::add);
    }

    private record Parent(String workflowId, UUID chain) {
        static final Comparator<Parent> LOCK_ORDER = Comparator.comparingInt(
                        (Parent p) -> RunIds.shardOf(p.workflowId()))
                .thenComparing(Parent::workflowId, Utf8Order.INSTANCE)
                .thenComparing(Parent::chain, RunIds.ORDER);

        static Parent of(NewRun child) {
            NewRun.Parent parent = StartBatch.parent(child);
            return new Parent(parent.workflowId(), parent.chain());
        }
    }
}
