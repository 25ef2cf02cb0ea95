package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.CommitUnknownException;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/** Applies the updates of lease holders to their jobs: outcomes, retries, releases, heartbeats. */
public final class JobUpdates {
    private final Connections connections;
    private final SharedNudges nudges;
    private final LockPatience patience;

    public JobUpdates(Connections connections, SharedNudges nudges, LockPatience patience) {
        this.connections = connections;
        this.nudges = nudges;
        this.patience = patience;
    }

    public List<Outcome> update(List<JobUpdate> updates) {
        if (updates.isEmpty()) {
            return List.of();
        }
        List<Item> items = IntStream.range(0, updates.size())
                .mapToObj(i -> new Item(i, updates.get(i)))
                .toList();
        Map<Integer, Outcome> outcomes = write(items);
        settledBefore(items.stream()
                        .filter(item ->
                                item.update().said() instanceof JobUpdate.Settle && !outcomes.containsKey(item.index()))
                        .toList())
                .forEach(index -> outcomes.put(index, Outcome.DUPLICATE));
        return items.stream()
                .map(item -> outcomes.getOrDefault(item.index(), Outcome.STALE))
                .toList();
    }

    private Map<Integer, Outcome> write(List<Item> items) {
        Map<Integer, Outcome> outcomes = new HashMap<>();
        connections
                .inParts(
                        items,
                        item -> rowOf(item.update()),
                        patience,
                        (locks, part) -> outcomes.putAll(write(locks, part)))
                .forEach(item -> outcomes.put(item.index(), Outcome.LOCKED));
        return outcomes;
    }

    /** Returns the row that an update may wait for: of an append the stream's, which jobs of one run share. */
    private static Record rowOf(JobUpdate update) {
        return update instanceof JobUpdate.Append append
                ? new StreamRow(append.key().run().runId(), append.entry().stream())
                : update.key();
    }

    private record StreamRow(UUID run, String stream) {}

    /** Other processes are told of what is written behind the COMMIT, as far as that is known before it; else after it. */
    private Map<Integer, Outcome> write(TransactionSettings locks, List<Item> items) throws SQLException {
        PendingNudges hints = new PendingNudges();
        try {
            Map<Integer, Outcome> outcomes =
                    connections.attempt(locks, tx -> new JobUpdateBatch(tx, items, hints).write(nudges));
            hints.spreadBy(nudges);
            return outcomes;
        } catch (CommitUnknownException e) {
            hints.sendTo(nudges);
            throw e;
        }
    }

    private List<Integer> settledBefore(List<Item> items) {
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
                            uuids(items, item -> item.update().key().run().runId()),
                            shorts(items, item -> item.update().key().run().shard()),
                            uuids(items, item -> item.update().lease())));
            return found;
        });
    }

    /** An update and its index in the list of the caller. */
    public record Item(int index, JobUpdate update) {}
}
