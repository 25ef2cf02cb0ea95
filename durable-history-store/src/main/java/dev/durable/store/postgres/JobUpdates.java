package dev.durable.store.postgres;

import static dev.durable.store.postgres.Param.ints;
import static dev.durable.store.postgres.Param.shorts;
import static dev.durable.store.postgres.Param.uuids;

import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.Nudges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Applies the changes that lease holders report for their jobs. */
final class JobUpdates {
    private final Connections connections;
    private final Nudges nudges;
    private final Patience patience;

    JobUpdates(Connections connections, Nudges nudges, Patience patience) {
        this.connections = connections;
        this.nudges = nudges;
        this.patience = patience;
    }

    List<Outcome> update(List<JobUpdate> updates) {
        if (updates.isEmpty()) {
            return List.of();
        }
        List<Item> items = IntStream.range(0, updates.size())
                .mapToObj(i -> new Item(i, updates.get(i)))
                .toList();
        Hints hints = new Hints();
        Map<Integer, Outcome> outcomes = write(items, hints);
        hints.sendTo(nudges);
        settledBefore(items.stream()
                        .filter(item ->
                                item.update().said() instanceof JobUpdate.Settle && !outcomes.containsKey(item.index()))
                        .toList())
                .forEach(index -> outcomes.put(index, Outcome.DUPLICATE));
        return items.stream()
                .map(item -> outcomes.getOrDefault(item.index(), Outcome.STALE))
                .toList();
    }

    private Map<Integer, Outcome> write(List<Item> items, Hints hints) {
        Map<Integer, Outcome> outcomes = new HashMap<>();
        connections
                .inParts(
                        items,
                        item -> item.update().key(),
                        patience,
                        (locks, part) -> outcomes.putAll(write(locks, part, hints)))
                .forEach(item -> outcomes.put(item.index(), Outcome.LOCKED));
        return outcomes;
    }

    private Map<Integer, Outcome> write(Locks locks, List<Item> items, Hints hints) throws SQLException {
        return connections.attempt(locks, tx -> new JobUpdateBatch(tx, items, hints).write());
    }

    private List<Integer> settledBefore(List<Item> items) {
        if (items.isEmpty()) {
            return List.of();
        }
        return connections.read(Locks.SHORT, tx -> {
            List<Integer> found = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            JobSql.SETTLED_BEFORE,
                            row -> found.add(row.getInt("item")),
                            ints(items, Item::index),
                            uuids(items, item -> item.update().key().run().runId()),
                            shorts(items, item -> item.update().key().run().shard()),
                            uuids(items, item -> item.update().lease())));
            return found;
        });
    }

    /** An update and its place in what was asked. */
    record Item(int index, JobUpdate update) {}
}
