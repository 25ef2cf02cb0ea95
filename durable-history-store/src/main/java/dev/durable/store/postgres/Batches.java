package dev.durable.store.postgres;

import dev.durable.store.BatchMember;
import dev.durable.store.BatchTally;
import java.util.ArrayList;
import java.util.List;

/** Batches of background jobs, as their handles see them. */
final class Batches {
    private final Connections connections;

    Batches(Connections connections) {
        this.connections = connections;
    }

    BatchTally tally(String batch) {
        return connections.read(Locks.READ, tx -> {
            List<BatchTally> tally = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            BatchSql.TALLY,
                            row -> tally.add(new BatchTally(
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

    List<BatchMember> members(String batch, int after, int limit) {
        return connections.read(Locks.READ, tx -> {
            List<BatchMember> members = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            BatchSql.MEMBERS,
                            row -> members.add(new BatchMember(row.getInt("number"), Listings.record(row))),
                            Param.of(batch),
                            Param.of(after),
                            Param.of(limit)));
            return members;
        });
    }
}
