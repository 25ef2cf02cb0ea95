package dev.durable.store.postgres.internal.transaction;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

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
 *
 * <p>Children are started first, as their inserts wait for other starts of their ids: before any target is locked. Their
 * parents are locked last, without waiting ({@link ChildStarts}).
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
        ChildRows children = new ChildRows(tx, rows);
        children.insert();
        if (endOfLike(0) < rows.size()) {
            lockTargets();
        }
        outcomes.putAll(children.finish(hints));
        List.copyOf(outcomes.keySet()).forEach(this::noteStuck);
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
                .filter(row -> row.child() == null)
                .map(row -> row.delivery().workflowId())
                .distinct()
                .sorted(Comparator.comparingInt(RunIds::shardOf).thenComparing(Utf8Order.INSTANCE))
                .toList();
        tx.run(new SqlScript()
                .then(RelaySql.LOCK_TARGETS, texts(targets, target -> target), shorts(targets, RunIds::shardOf)));
    }

    /** The index behind the rows that follow this one and, as this one, start a run, or a child, or neither. */
    private int endOfLike(int from) {
        int to = from + 1;
        while (to < rows.size() && startsRun(to) == startsRun(from) && startsChild(to) == startsChild(from)) {
            to++;
        }
        return to;
    }

    private boolean startsRun(int item) {
        return rows.get(item).start() != null;
    }

    private boolean startsChild(int item) {
        return rows.get(item).child() != null;
    }

    private void deliver(int from, int to) throws SQLException {
        if (startsChild(from)) {
            return;
        }
        List<Integer> items = new ArrayList<>();
        List<Integer> news = new ArrayList<>();
        for (int item = from; item < to; item++) {
            if (rows.get(item).delivery().message().kind().isLetInWhileClosing()) {
                news.add(item);
            } else if (stuck.contains(rows.get(item).target())) {
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
        items.forEach(this::noteStuck);
        tellParents(news);
    }

    private void noteStuck(int item) {
        if (outcomes.getOrDefault(item, Outcome.ACCEPTED) != Outcome.ACCEPTED) {
            stuck.add(rows.get(item).target());
        }
    }

    /**
     * Delivers news of children, which parents take where they take nothing else: behind the other messages, as a target
     * that refused one of the same source may not get the news of it first.
     */
    private void tellParents(List<Integer> news) throws SQLException {
        if (news.isEmpty()) {
            return;
        }
        Set<Line> held = new HashSet<>();
        outcomes.forEach((item, outcome) -> {
            if (outcome != Outcome.ACCEPTED) {
                held.add(Line.of(rows.get(item)));
            }
        });
        List<Integer> free = new ArrayList<>();
        for (Integer item : news) {
            if (held.contains(Line.of(rows.get(item)))) {
                outcomes.put(item, Outcome.CLOSING);
            } else {
                free.add(item);
            }
        }
        List<Integer> items = withoutMoot(free);
        send(items);
        send(items.stream().filter(i -> !outcomes.containsKey(i)).toList());
    }

    /** The messages of a source to one target, which keep their order. */
    private record Line(UUID source, String target) {
        static Line of(Outbox.Row row) {
            return new Line(row.source(), row.target());
        }
    }

    /** Those of the rows that are not answers about children that do not exist, as their starts were refused. */
    private List<Integer> withoutMoot(List<Integer> items) throws SQLException {
        List<Outbox.Row> asked = items.stream()
                .map(rows::get)
                .filter(row -> row.watched() != null)
                .toList();
        if (asked.isEmpty()) {
            return items;
        }
        Set<UUID> unknown = new HashSet<>();
        tx.run(new SqlScript()
                .read(
                        RelaySql.NOT_STARTED,
                        row -> unknown.add(row.getObject("chain", UUID.class)),
                        texts(asked, Outbox.Row::target),
                        shorts(asked, row -> RunIds.shardOf(row.target())),
                        uuids(asked, row -> Objects.requireNonNull(row.watched()))));
        return items.stream()
                .filter(item -> !unknown.contains(rows.get(item).watched()))
                .toList();
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
