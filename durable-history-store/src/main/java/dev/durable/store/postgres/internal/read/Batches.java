package dev.durable.store.postgres.internal.read;

import dev.durable.internal.text.Portion;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.run.BatchSql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The reads of batches: counts, members, and the places of a batch that are taken. */
public final class Batches {
    private final Connections connections;

    public Batches(Connections connections) {
        this.connections = connections;
    }

    public BatchStore.Tally tally(String batch) {
        return connections.read(TransactionSettings.READ, tx -> {
            List<BatchStore.Tally> tally = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            BatchSql.TALLY,
                            row -> tally.add(new BatchStore.Tally(
                                    row.getLong("completed"),
                                    row.getLong("discarded"),
                                    row.getLong("failed"),
                                    row.getLong("open"),
                                    row.getLong("dead_letters"),
                                    row.getLong("incidents"))),
                            Param.of(batch)));
            return tally.getFirst();
        });
    }

    public Set<BatchPlace> held(Map<BatchPlace, RunKey> runs) {
        List<Map.Entry<BatchPlace, RunKey>> asked = List.copyOf(runs.entrySet());
        return connections.read(TransactionSettings.SHORT, tx -> {
            Set<BatchPlace> held = new HashSet<>();
            tx.last(new SqlScript()
                    .read(
                            BatchSql.HELD,
                            row -> held.add(new BatchPlace(row.getString("batch"), row.getInt("number"))),
                            Param.texts(asked, at -> at.getKey().batch()),
                            Param.ints(asked, at -> at.getKey().number()),
                            Param.uuids(asked, at -> at.getValue().runId()),
                            Param.shorts(asked, at -> at.getValue().shard())));
            return held;
        });
    }

    public List<BatchStore.Member> members(String batch, int after, int limit) {
        return connections.read(TransactionSettings.READ, tx -> {
            List<BatchStore.Member> members = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            BatchSql.MEMBERS,
                            row -> members.add(new BatchStore.Member(row.getInt("number"), Listings.record(row))),
                            Param.of(batch),
                            Param.of(after),
                            Param.of(limit),
                            Param.of((long) Portion.BYTES)));
            return members;
        });
    }
}
