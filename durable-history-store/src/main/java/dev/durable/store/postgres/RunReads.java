package dev.durable.store.postgres;

import static dev.durable.store.postgres.Param.shorts;
import static dev.durable.store.postgres.Param.uuids;

import dev.durable.store.InboxMessage;
import dev.durable.store.MessageKind;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What an activation reads: the history of a run, and the messages that wait for it. */
final class RunReads {
    private static final String MESSAGES = """
            select u.run_id, m.message_id, m.kind, m.name, m.payload, m.notes, m.at
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select i.message_id, i.kind, i.name, i.payload, i.notes, i.at, i.ord from durable.inbox i
                     where i.run_id = u.run_id and i.shard = u.shard order by i.at, i.ord limit ?) m""";

    private static final String HISTORY = """
            select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
             where e.run_id = ? and e.shard = ? and e.event_id >= ? order by e.event_id limit ?""";

    private final Connections connections;

    RunReads(Connections connections) {
        this.connections = connections;
    }

    Instant now() {
        return connections.transaction(Locks.READ, tx -> {
            List<Instant> now = new ArrayList<>();
            tx.last(new Script().read("select durable.clock() as now", row -> now.add(Times.required(row, "now"))));
            return now.getFirst();
        });
    }

    Map<UUID, List<InboxMessage>> messages(Collection<RunKey> of, int limit) {
        List<RunKey> runs = List.copyOf(of);
        return connections.transaction(Locks.SHORT, tx -> {
            Map<UUID, List<InboxMessage>> found = new HashMap<>();
            tx.last(new Script()
                    .read(
                            MESSAGES,
                            row -> found.computeIfAbsent(row.getObject("run_id", UUID.class), id -> new ArrayList<>())
                                    .add(new InboxMessage(
                                            row.getObject("message_id", UUID.class),
                                            MessageKind.of(row.getInt("kind")),
                                            row.getString("name"),
                                            row.getString("payload"),
                                            row.getString("notes"),
                                            Times.required(row, "at"))),
                            uuids(runs, RunKey::runId),
                            shorts(runs, RunKey::shard),
                            Param.of(limit)));
            return found;
        });
    }

    List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return connections.transaction(Locks.SHORT, tx -> {
            List<StoredEvent> events = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            HISTORY,
                            row -> events.add(new StoredEvent(
                                    row.getLong("event_id"),
                                    row.getString("type"),
                                    Times.required(row, "at"),
                                    row.getObject("message_id", UUID.class),
                                    row.getString("attributes"))),
                            Param.of(runId),
                            Param.of(RunIds.shard(runId)),
                            Param.of(fromEventId),
                            Param.of(limit)));
            return events;
        });
    }
}
