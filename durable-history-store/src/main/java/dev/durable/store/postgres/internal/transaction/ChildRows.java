package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.ChildStart;
import dev.durable.store.Delivery.Outcome;
import dev.durable.store.NewRun;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.run.ChildStarts;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of a pass of the relay that start children. */
final class ChildRows {
    private final List<Outbox.Row> rows;
    private final Map<Integer, NewRun> children = new LinkedHashMap<>();
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private final @Nullable ChildStarts starts;

    /** Reads the store's clock, by which the durations of the starts become times, if there are any. */
    ChildRows(Tx tx, List<Outbox.Row> rows) throws SQLException {
        this.rows = rows;
        if (rows.stream().noneMatch(row -> row.child() != null)) {
            starts = null;
            return;
        }
        List<Instant> now = new ArrayList<>();
        tx.run(new SqlScript().read(RelaySql.NOW, row -> now.add(TimeColumns.required(row, "now"))));
        choose(now.getFirst());
        starts = new ChildStarts(tx, List.copyOf(children.values()));
    }

    /** Chooses the children to start. One behind another row for the same workflow id waits for the next pass. */
    private void choose(Instant now) {
        Set<String> before = new HashSet<>();
        for (int item = 0; item < rows.size(); item++) {
            Outbox.Row row = rows.get(item);
            ChildStart child = row.child();
            if (child != null) {
                if (before.contains(row.target())) {
                    outcomes.put(item, Outcome.LOCKED);
                } else {
                    children.put(item, child.newRun(row.target(), now, UUID.randomUUID()));
                }
            }
            before.add(row.target());
        }
    }

    /** Inserts the children, before any other row is locked. */
    void insert() throws SQLException {
        if (starts != null) {
            starts.insert();
        }
    }

    /**
     * Locks the parents, after all other rows, and starts the children.
     *
     * @return the outcomes of these rows; none of a child whose parent has ended
     */
    Map<Integer, Outcome> finish(PendingNudges hints) throws SQLException {
        if (starts != null) {
            Map<UUID, ChildStarts.Result> results = starts.finish(hints);
            children.forEach((item, child) -> {
                switch (Objects.requireNonNull(results.get(child.run().runId()))) {
                    case STARTED, REFUSED -> outcomes.put(item, Outcome.ACCEPTED);
                    case LATER -> outcomes.put(item, Outcome.LOCKED);
                    case UNWANTED -> {}
                }
            });
        }
        return outcomes;
    }
}
