package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.Nudges;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Applies orders of operators, token holders and timeouts to jobs. The orders may wait for a lock for seconds. */
public final class JobOrders {
    private final Connections connections;
    private final Nudges nudges;

    public JobOrders(Connections connections, Nudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public List<Outcome> order(List<JobOrder> orders) {
        if (orders.isEmpty()) {
            return List.of();
        }
        refuseTwins(orders);
        List<Item> items = IntStream.range(0, orders.size())
                .mapToObj(i -> new Item(i, orders.get(i)))
                .toList();
        PendingNudges hints = new PendingNudges();
        Map<Integer, Outcome> outcomes = write(items, hints);
        hints.sendTo(nudges);
        endedBefore(items.stream()
                        .filter(item -> item.order() instanceof JobOrder.End && !outcomes.containsKey(item.index()))
                        .toList())
                .forEach(index -> outcomes.put(index, Outcome.DUPLICATE));
        return items.stream()
                .map(item -> outcomes.getOrDefault(item.index(), Outcome.NOT_FOUND))
                .toList();
    }

    private static void refuseTwins(List<JobOrder> orders) {
        Set<JobKey> keys = new HashSet<>();
        for (JobOrder order : orders) {
            if (!keys.add(order.key())) {
                throw new IllegalArgumentException(
                        "two orders for " + order.key() + " in one batch: send the second when the first is answered");
            }
        }
    }

    private Map<Integer, Outcome> write(List<Item> items, PendingNudges hints) {
        Map<Integer, Outcome> outcomes = new HashMap<>();
        connections
                .inParts(
                        items,
                        item -> item.order().key(),
                        // A batch that waits for one lock must not keep the rows of its other orders locked meanwhile.
                        items.size() == 1 ? LockPatience.LONG : LockPatience.SHORT,
                        (locks, part) -> outcomes.putAll(
                                connections.attempt(locks, tx -> new JobOrderBatch(tx, part, hints).write())))
                .forEach(item -> outcomes.put(item.index(), Outcome.LOCKED));
        return outcomes;
    }

    private List<Integer> endedBefore(List<Item> items) {
        if (items.isEmpty()) {
            return List.of();
        }
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<Integer> found = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            JobSql.SETTLED_BEFORE,
                            row -> found.add(row.getInt("item")),
                            ints(items, Item::index),
                            uuids(items, item -> item.order().key().run().runId()),
                            shorts(items, item -> item.order().key().run().shard()),
                            uuids(
                                    items,
                                    item -> ((JobOrder.End) item.order())
                                            .outcome()
                                            .messageId())));
            return found;
        });
    }

    /** An order and its index in the list of the caller. */
    record Item(int index, JobOrder order) {}
}
