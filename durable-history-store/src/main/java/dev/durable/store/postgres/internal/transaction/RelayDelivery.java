package dev.durable.store.postgres.internal.transaction;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;

import dev.durable.store.Delivery.Outcome;
import dev.durable.store.InboxLimit;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.StartOutcome;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.job.Cancellations;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.run.CarefulStarts;
import dev.durable.store.postgres.internal.run.StartBatch;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * Delivers rows of the outbox to their targets' inboxes, in one transaction and in their order. Rows are named by their
 * index; a row without an outcome has no target that exists.
 */
public final class RelayDelivery {
    private final Tx tx;
    private final List<Outbox.Row> rows;
    private final InboxLimit inboxLimit;
    private final PendingNudges hints;
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private final Map<Integer, String> dropped = new HashMap<>();
    private final Set<String> stuck = new HashSet<>();

    public RelayDelivery(Tx tx, List<Outbox.Row> rows, InboxLimit inboxLimit, PendingNudges hints) throws SQLException {
        this.tx = tx;
        this.rows = rows;
        this.inboxLimit = inboxLimit;
        this.hints = hints;
        if (endOfLike(0) < rows.size()) {
            lockTargets();
        }
        int from = 0;
        while (from < rows.size()) {
            int to = endOfLike(from);
            deliver(from, to);
            from = to;
        }
    }

    public Map<Integer, Outcome> outcomes() {
        return outcomes;
    }

    /** The reason why the row has no target. */
    String whyDropped(int item) {
        return dropped.getOrDefault(item, "there was no open run to take it");
    }

    /**
     * Locks all targets in order. If each group of rows locked its own, the order could cross that of a batch of steps
     * that close the runs.
     */
    private void lockTargets() throws SQLException {
        List<String> targets = rows.stream()
                .map(Outbox.Row::target)
                .distinct()
                .sorted(Comparator.comparingInt(RunIds::shardOf).thenComparing(Utf8Order.INSTANCE))
                .toList();
        tx.run(new SqlScript()
                .then(RelaySql.LOCK_TARGETS, texts(targets, target -> target), shorts(targets, RunIds::shardOf)));
    }

    /** The index behind the rows that follow this one and, as this one, start a run or don't. */
    private int endOfLike(int from) {
        int to = from + 1;
        while (to < rows.size() && startsRun(to) == startsRun(from)) {
            to++;
        }
        return to;
    }

    private boolean startsRun(int item) {
        return rows.get(item).start() != null;
    }

    private void deliver(int from, int to) throws SQLException {
        List<Integer> items = new ArrayList<>();
        for (int item = from; item < to; item++) {
            if (stuck.contains(rows.get(item).target())) {
                outcomes.put(item, Outcome.CLOSING);
            } else {
                items.add(item);
            }
        }
        if (startsRun(from)) {
            start(items);
        } else {
            send(items);
            // The run may have been written after the statement began that did not find it.
            send(items.stream().filter(i -> !outcomes.containsKey(i)).toList());
        }
        items.stream()
                .filter(i -> outcomes.getOrDefault(i, Outcome.ACCEPTED) != Outcome.ACCEPTED)
                .forEach(i -> stuck.add(rows.get(i).target()));
    }

    private void send(List<Integer> items) throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        DeliveryBatch batch =
                new DeliveryBatch(rows.stream().map(Outbox.Row::delivery).toList(), items);
        tx.run(new SqlScript()
                .read(MessageSql.DELIVER, row -> batch.hear(row, outcomes, hints), batch.params(inboxLimit)));
        if (!batch.asked().isEmpty()) {
            SqlScript script = new SqlScript();
            Cancellations.asked(tx, batch.asked()).write(tx, script, hints);
            tx.run(script);
        }
    }

    private void start(List<Integer> items) throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        List<NewRun> starts = items.stream()
                .map(item -> Objects.requireNonNull(rows.get(item).start()))
                .toList();
        Map<UUID, StartOutcome> became = new CarefulStarts(tx, starts, hints).writeAndTellFirst(inboxLimit);
        for (int i = 0; i < starts.size(); i++) {
            NewRun start = starts.get(i);
            started(
                    items.get(i),
                    start,
                    Objects.requireNonNull(became.get(start.run().runId())));
        }
    }

    private void started(int item, NewRun start, StartOutcome outcome) {
        switch (outcome) {
            case StartOutcome.Started ignored -> {
                new StartBatch(List.of(start)).hint(hints);
                outcomes.put(item, Outcome.ACCEPTED);
            }
            case StartOutcome.AlreadyOpen open -> {
                Outcome told = open.message();
                if (told != null) {
                    outcomes.put(item, told);
                } else {
                    dropped.put(
                            item,
                            "the open run, " + open.runId() + ", is one of " + open.type() + ", not of "
                                    + start.type());
                }
            }
            case StartOutcome.Refused refused ->
                dropped.put(
                        item,
                        "no run is open, and the reuse policy "
                                + start.policies().reuse() + " allows no other after " + refused.latestRunId()
                                + ", which is " + refused.latestStatus());
            case StartOutcome.Locked ignored -> throw new IllegalStateException("a lock comes as an error");
        }
    }
}
