package dev.durable.store.postgres.internal.message;

import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.MessageKind;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunIds;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages that transitions send to workflows: rows of the outbox, and rows of the inboxes of runs that send to
 * themselves.
 */
public final class OutgoingRows {
    private final List<Row> rows = new ArrayList<>();
    private final MessageRows toThemselves = new MessageRows();

    private OutgoingRows() {}

    /**
     * Inserts the messages of these transitions. No transaction waits for the rows: each stands under the source that
     * its run's fence protects.
     */
    public static void insert(List<Transition> transitions, SqlScript script) {
        if (transitions.stream().anyMatch(t -> !t.sends().isEmpty())) {
            OutgoingRows all = new OutgoingRows();
            transitions.forEach(all::add);
            all.insert(script);
            markParents(transitions, script);
        }
    }

    /** Inserts messages that a store sends for a chain whose run is open under this workflow id. */
    public static void insert(List<OutgoingMessage> sends, String from, SqlScript script) {
        OutgoingRows all = new OutgoingRows();
        sends.forEach(send -> all.rows.add(new Row(send, from)));
        all.insert(script);
    }

    /**
     * Marks the runs that have children to end with them. Children that a chain asks for when it closes are not started,
     * but those that do not depend on it; a run that another continues is no such close.
     */
    private static void markParents(List<Transition> transitions, SqlScript script) {
        List<Transition> parents = transitions.stream()
                .filter(t -> (t.close() == null || t.close().next() != null)
                        && t.sends().stream().anyMatch(sent -> sent.message().kind() == MessageKind.CHILD_START))
                .toList();
        if (!parents.isEmpty()) {
            script.then(
                    MessageSql.MARK_PARENTS,
                    uuids(parents, t -> t.run().runId()),
                    shorts(parents, t -> t.run().shard()));
        }
    }

    private void add(Transition transition) {
        for (OutgoingMessage sent : transition.sends()) {
            if (sent.isTo(transition.run())) {
                toThemselves.add(transition.run(), sent.message());
            } else {
                rows.add(new Row(sent, transition.run().workflowId()));
            }
        }
    }

    private void insert(SqlScript script) {
        if (!rows.isEmpty()) {
            script.then(
                    MessageSql.SEND,
                    uuids(rows, r -> r.sent().source()),
                    longs(rows, r -> r.sent().number()),
                    uuids(rows, r -> r.sent().chain()),
                    shorts(rows, r -> r.sent().message().kind().code()),
                    shorts(rows, r -> RunIds.shard(r.sent().source())),
                    texts(rows, r -> r.sent().target()),
                    texts(rows, Row::from),
                    texts(rows, r -> r.sent().message().name()),
                    texts(rows, r -> r.sent().message().payload()));
        }
        // The process that writes this goes on with the run itself, so no other is nudged.
        toThemselves.insert(script, new PendingNudges());
    }

    private record Row(OutgoingMessage sent, String from) {}
}
