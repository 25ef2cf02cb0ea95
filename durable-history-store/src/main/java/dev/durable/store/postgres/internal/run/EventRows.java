package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.StoredEvent;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a batch appends to {@code history_event}. The fence stands on the first event of each transition, for
 * read-backs.
 */
record EventRows(List<Row> rows) {

    static EventRows of(List<Transition> transitions) {
        EventRows all = new EventRows(new ArrayList<>());
        transitions.forEach(t -> all.add(t.run(), t.fences().next(), t.events()));
        return all;
    }

    static EventRows ofStarts(List<NewRun> starts) {
        EventRows all = new EventRows(new ArrayList<>());
        starts.forEach(s -> all.add(s.run(), s.fence(), s.firstTurn().events()));
        return all;
    }

    void insert(SqlScript script) {
        if (!isEmpty()) {
            script.then(TransitionSql.EVENTS, params().toArray(Param[]::new));
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The columns, also those that are empty. */
    List<Param> params() {
        return List.of(
                uuids(rows, r -> r.run().runId()),
                longs(rows, r -> r.event().id()),
                instants(rows, r -> r.event().at()),
                uuids(rows, r -> r.event().messageId()),
                uuids(rows, Row::fence),
                shorts(rows, r -> r.run().shard()),
                texts(rows, r -> r.event().type()),
                texts(rows, r -> r.event().attributes()));
    }

    private void add(RunKey run, UUID fence, List<StoredEvent> events) {
        for (int i = 0; i < events.size(); i++) {
            rows.add(new Row(run, i == 0 ? fence : null, events.get(i)));
        }
    }

    record Row(RunKey run, @Nullable UUID fence, StoredEvent event) {
        @Override
        public String toString() {
            return "Row[" + run + ", " + event + "]";
        }
    }
}
