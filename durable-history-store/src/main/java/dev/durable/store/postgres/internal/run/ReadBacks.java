package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.ReadBack;
import dev.durable.store.ReadBack.Outcome;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds out whether a transaction whose COMMIT gave no answer happened. It reads under the run's lock, so that it waits
 * for a transaction whose connection died but whose backend has not noticed.
 */
public final class ReadBacks {
    private final Connections connections;

    public ReadBacks(Connections connections) {
        this.connections = connections;
    }

    public List<Outcome> readBack(List<ReadBack> attempts) {
        List<Item> items = IntStream.range(0, attempts.size())
                .mapToObj(i -> new Item(i, attempts.get(i)))
                .sorted(Comparator.comparing(item -> item.attempt().run(), RunKey.LOCK_ORDER))
                .toList();
        Map<Integer, Outcome> outcomes = connections.readOwn(TransactionSettings.LONG, tx -> {
            Map<Integer, Outcome> found = new HashMap<>();
            Param runs = uuids(items, item -> item.attempt().run().runId());
            Param shards = shorts(items, item -> item.attempt().run().shard());
            tx.last(new SqlScript()
                    .then(SeizureSql.LOCK_FOR_READ_BACK, runs, shards)
                    .read(
                            SeizureSql.READ_BACK,
                            row -> {
                                int index = row.getInt("item");
                                found.put(
                                        index, outcome(row, attempts.get(index).eventId()));
                            },
                            ints(items, Item::index),
                            runs,
                            shards,
                            uuids(items, item -> item.attempt().fence()),
                            longs(items, item -> item.attempt().eventId())));
            return found;
        });
        return IntStream.range(0, attempts.size()).mapToObj(outcomes::get).toList();
    }

    private static Outcome outcome(ResultSet row, long eventId) throws SQLException {
        if (row.getBoolean("happened")) {
            return Outcome.HAPPENED;
        }
        boolean asBefore = row.getBoolean("open")
                ? row.getLong("next_event_id") == eventId
                : eventId == 1 && !row.getBoolean("known");
        return asBefore ? Outcome.NOT_HAPPENED : Outcome.OVERTAKEN;
    }

    private record Item(int index, ReadBack attempt) {}
}
