package dev.durable.store.postgres.internal.message;

import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The rows that a batch inserts into the inboxes of open runs, in the order in which they were given. */
public final class MessageRows {
    /** The order in which rows are inserted, so that two senders of equal ids never lock in opposite orders. */
    private static final Comparator<Row> LOCK_ORDER = Comparator.<Row, java.util.UUID>comparing(
                    r -> r.run().runId(), RunIds.ORDER)
            .thenComparing(r -> r.message().messageId(), RunIds.ORDER);

    private final List<Row> rows = new ArrayList<>();

    public void add(RunKey run, InboxMessage message) {
        int place = rows.size();
        rows.add(new Row(run, message.at() == null ? place : Integer.MIN_VALUE + place, message));
    }

    public void insert(SqlScript script, PendingNudges hints) {
        if (!rows.isEmpty()) {
            rows.sort(LOCK_ORDER);
            script.read(
                    MessageSql.MESSAGES,
                    row -> hints.runs(row.getString("task_queue")),
                    uuids(rows, r -> r.run().runId()),
                    shorts(rows, r -> r.run().shard()),
                    uuids(rows, r -> r.message().messageId()),
                    instants(rows, r -> r.message().at()),
                    ints(rows, Row::ord),
                    shorts(rows, r -> r.message().kind().code()),
                    texts(rows, r -> r.message().name()),
                    texts(rows, r -> r.message().payload()),
                    texts(rows, r -> r.message().notes()));
        }
    }

    /** @param ord its place among the messages of the batch, which is before all others of the time at which it was accepted */
    private record Row(RunKey run, int ord, InboxMessage message) {}
}
