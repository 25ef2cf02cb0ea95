package dev.durable.store.postgres.internal.run;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the state of one callback: its run, its events, and its outcome if that waits in the inbox. */
public final class Callbacks {
    /**
     * One snapshot, as a transition moves an outcome from the inbox into the history. The outcome has the id of the
     * callback as its message id; the commands that open and cancel it name it in their attributes. The history is read
     * from the event on that can tell of the callback; an open run has all of it in the snapshot that its row is of.
     */
    public static final String STATE = """
            with run as materialized (
                select w.run_id, w.shard, w.closed_at is null as open,
                       coalesce((select s.next_event_id - 1 from durable.run_state s
                                  where s.run_id = w.run_id and +s.shard = w.shard), 0) as last_event
                  from durable.workflow_run w
                 where w.run_id = ? and w.shard = ? and w.workflow_id = ?)
            select r.open, r.last_event, null::bigint as event_id, null::timestamptz as at, null::text as type,
                   null::text as attributes, null::uuid as message_id
              from run r
            union all
            select r.open, r.last_event, e.event_id, e.at, e.type, e.attributes::text, e.message_id
              from run r cross join lateral (select e.* from durable.history_event e
                    where e.run_id = r.run_id and e.event_id >= ? and e.shard = r.shard
                      and (e.message_id = ? or e.type in ('CallbackOpened', 'CallbackCancelled')
                           and strpos(e.attributes::text, ?) > 0) offset 0) e
            union all
            select r.open, r.last_event, null, i.at, i.name, i.payload::text, i.message_id
              from run r cross join lateral (select i.* from durable.inbox i
                    where i.run_id = r.run_id and i.message_id = ? and i.shard = r.shard offset 0) i""";

    private final Connections connections;

    public Callbacks(Connections connections) {
        this.connections = connections;
    }

    /**
     * Returns the state; empty if there is no such run of this workflow id.
     *
     * @param readTo the last event that need not be read again; 0 for none
     */
    public Optional<CallbackState> state(CallbackToken token, long readTo) {
        return connections.read(TransactionSettings.SHORT, tx -> {
            Found found = new Found();
            tx.last(read(token, readTo, found));
            return found.state();
        });
    }

    /** Returns the state as a transaction of the caller sees it; as {@link #state}. */
    public Optional<CallbackState> stateIn(Connection connection, CallbackToken token, long readTo) {
        return connections.in(connection, tx -> {
            Found found = new Found();
            tx.run(read(token, readTo, found));
            return found.state();
        });
    }

    private static SqlScript read(CallbackToken token, long readTo, Found found) {
        return new SqlScript()
                .read(
                        STATE,
                        found::add,
                        Param.of(token.run().runId()),
                        Param.of(token.run().shard()),
                        Param.of(token.run().workflowId()),
                        Param.of(token.firstEvent(readTo)),
                        Param.of(token.callback()),
                        Param.of(token.callback().toString()),
                        Param.of(token.callback()));
    }

    /** The rows of one callback. */
    private static final class Found {
        private final List<StoredEvent> recorded = new ArrayList<>();
        private @Nullable InboxMessage waiting;
        private @Nullable Boolean open;
        private long lastEvent;

        void add(ResultSet row) throws SQLException {
            open = row.getBoolean("open");
            lastEvent = row.getLong("last_event");
            String type = row.getString("type");
            if (type == null) {
                return;
            }
            long id = row.getLong("event_id");
            boolean waits = row.wasNull();
            UUID message = row.getObject("message_id", UUID.class);
            String attributes = Objects.requireNonNull(row.getString("attributes"));
            if (waits) {
                waiting = new InboxMessage(
                        message, MessageKind.CALLBACK, type, attributes, null, TimeColumns.instant(row, "at"));
            } else {
                recorded.add(new StoredEvent(id, type, TimeColumns.required(row, "at"), message, attributes));
            }
        }

        Optional<CallbackState> state() {
            return open == null ? Optional.empty() : Optional.of(new CallbackState(open, lastEvent, recorded, waiting));
        }
    }
}
