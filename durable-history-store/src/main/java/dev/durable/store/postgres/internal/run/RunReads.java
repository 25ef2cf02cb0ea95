package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads the history of a run and the messages that wait for it. */
public final class RunReads {
    private final Connections connections;

    public RunReads(Connections connections) {
        this.connections = connections;
    }

    public Instant now() {
        return connections.read(TransactionSettings.READ, tx -> {
            List<Instant> now = new ArrayList<>();
            tx.last(new SqlScript()
                    .read("select durable.clock() as now", row -> now.add(TimeColumns.required(row, "now"))));
            return now.getFirst();
        });
    }

    public Map<UUID, List<InboxMessage>> messages(Collection<RunKey> of, int limit, long bytes) {
        List<RunKey> runs = List.copyOf(of);
        return connections.read(TransactionSettings.SHORT, tx -> {
            Map<UUID, List<InboxMessage>> found = new HashMap<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.MESSAGES,
                            row -> addMessage(found, row),
                            uuids(runs, RunKey::runId),
                            shorts(runs, RunKey::shard),
                            Param.of(limit),
                            Param.of(bytes)));
            return found;
        });
    }

    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<StoredEvent> events = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.HISTORY,
                            row -> events.add(event(row)),
                            Param.of(runId),
                            Param.of(RunIds.shard(runId)),
                            Param.of(fromEventId),
                            Param.of(limit),
                            Param.of((long) Portion.BYTES)));
            return events;
        });
    }

    public Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit) {
        List<UUID> runs = List.copyOf(runIds);
        return connections.read(TransactionSettings.SHORT, tx -> {
            Map<UUID, List<StoredEvent>> found = new HashMap<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.HISTORIES,
                            row -> addEvent(found, row),
                            uuids(runs, id -> id),
                            shorts(runs, RunIds::shard),
                            Param.of(limit),
                            Param.of((long) Portion.BYTES)));
            return found;
        });
    }

    static void addEvent(Map<UUID, List<StoredEvent>> found, ResultSet row) throws SQLException {
        found.computeIfAbsent(row.getObject("run_id", UUID.class), id -> new ArrayList<>())
                .add(event(row));
    }

    static void addMessage(Map<UUID, List<InboxMessage>> found, ResultSet row) throws SQLException {
        found.computeIfAbsent(row.getObject("run_id", UUID.class), id -> new ArrayList<>())
                .add(new InboxMessage(
                        row.getObject("message_id", UUID.class),
                        MessageKind.of(row.getInt("kind")),
                        row.getString("name"),
                        row.getString("payload"),
                        row.getString("notes"),
                        TimeColumns.required(row, "at")));
    }

    private static StoredEvent event(ResultSet row) throws SQLException {
        return new StoredEvent(
                row.getLong("event_id"),
                row.getString("type"),
                TimeColumns.required(row, "at"),
                row.getObject("message_id", UUID.class),
                row.getString("attributes"));
    }
}
