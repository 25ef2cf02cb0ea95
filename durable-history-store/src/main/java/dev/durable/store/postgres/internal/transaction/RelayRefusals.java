package dev.durable.store.postgres.internal.transaction;

import dev.durable.internal.text.Bounds;
import dev.durable.store.ChildOutcome;
import dev.durable.store.ChildStart;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles messages of the outbox that the database refuses. If others get through, it sets them aside in the table
 * {@code outbox_refused}, where operators see them, and answers orders to start a child; else they wait in the outbox, and
 * a line in the log says so. Orders to start a child wait for some passes only, as their parents wait for an answer.
 */
final class RelayRefusals {
    private static final Logger log = LoggerFactory.getLogger(RelayRefusals.class);
    private static final int MAX_ERROR = 2_000;

    private final Connections connections;
    private final InboxLimit inboxLimit;
    private final PendingNudges hints;
    private final List<Refusal> refusals = new ArrayList<>();

    private record Refusal(Outbox.Row row, SQLException why) {
        /** The error without the row, as the message stands in the row already, and other people read the error. */
        String error() {
            return String.valueOf(StoreErrors.withoutRow(why).getMessage());
        }

        /** The first line of the error, for the log. */
        String reason() {
            return error().lines().findFirst().orElse("");
        }
    }

    RelayRefusals(Connections connections, InboxLimit inboxLimit, PendingNudges hints) {
        this.connections = connections;
        this.inboxLimit = inboxLimit;
        this.hints = hints;
    }

    void add(Outbox.Row row, SQLException why) {
        refusals.add(new Refusal(row, why));
    }

    boolean isEmpty() {
        return refusals.isEmpty();
    }

    Set<String> targets() {
        Set<String> targets = new HashSet<>();
        refusals.forEach(refusal -> targets.add(refusal.row.target()));
        return targets;
    }

    /**
     * Sets messages aside, and answers starts of children. Returns how many, without those that another relay has set
     * aside.
     *
     * @param all all of them, or only those that can't be read, which are at fault whether others get through or not
     * @param starts all starts of children, too
     */
    int setAside(boolean all, boolean starts) throws SQLException {
        List<Refusal> judged = refusals.stream()
                .filter(refusal -> all || refusal.row.unreadable() != null || (starts && refusal.row.child() != null))
                .toList();
        refusals.removeAll(judged);
        int aside = 0;
        for (Refusal refusal : judged) {
            try {
                aside += setAside(refusal) ? 1 : 0;
            } catch (SQLException e) {
                if (refusal.row.child() == null || !SqlState.mayBeOneRows(e)) {
                    throw e;
                }
                refusals.add(refusal); // the database refuses the answer, too: the start waits as other messages do
            }
        }
        return aside;
    }

    private boolean setAside(Refusal refusal) throws SQLException {
        Outbox.Row row = refusal.row;
        ChildStart child = row.child();
        if (child != null) {
            return answer(row, child, refusal.error());
        }
        String error = refusal.error();
        List<Long> gone = new ArrayList<>();
        connections.attempt(TransactionSettings.SHORT, tx -> {
            tx.last(new SqlScript()
                    .read(
                            RelaySql.SET_ASIDE,
                            found -> gone.add(found.getLong("event_id")),
                            Param.of(row.source()),
                            Param.of(row.eventId()),
                            Param.of((short) row.shard()),
                            Param.of(refusal.why.getSQLState()),
                            Param.of(SafeText.storable(Bounds.cut(error, MAX_ERROR)))));
            return true;
        });
        if (gone.isEmpty()) {
            return false;
        }
        log.error(
                "{} {} to workflow {} is set aside: the database refuses it (SQLSTATE {}): {}. Usual cause: a trigger"
                        + " or constraint of one's own on Durable's tables. It stands in {}; mend the cause, then:"
                        + " select {}('{}', {}); or delete the row there",
                row.delivery().message().kind(),
                Bounds.shown(row.delivery().message().name()),
                Bounds.shown(row.target()),
                refusal.why.getSQLState(),
                refusal.reason(),
                in("durable.outbox_refused"),
                in("durable.resend_refused"),
                row.source(),
                row.eventId());
        return true;
    }

    /** Tells the parent that its child is not started, instead of setting the order to start it aside. */
    private boolean answer(Outbox.Row row, ChildStart child, String error) throws SQLException {
        Delivery answer = new Delivery(
                child.parent().workflowId(),
                child.parent().chain(),
                ChildOutcome.notStarted(
                        child.runId(),
                        child.parent().number(),
                        "the database refuses it: " + SafeText.storable(Bounds.cut(error, MAX_ERROR))));
        DeliveryBatch batch = new DeliveryBatch(List.of(answer), List.of(0));
        Map<Integer, Delivery.Outcome> outcomes = new HashMap<>();
        List<Long> gone = new ArrayList<>();
        connections.attempt(TransactionSettings.SHORT, tx -> {
            tx.run(new SqlScript()
                    .read(
                            RelaySql.REMOVE_ONE,
                            found -> gone.add(found.getLong("event_id")),
                            Param.of(row.source()),
                            Param.of(row.eventId()),
                            Param.of((short) row.shard())));
            if (!gone.isEmpty()) {
                tx.last(new SqlScript()
                        .read(
                                MessageSql.DELIVER,
                                found -> batch.hear(found, outcomes, hints),
                                batch.params(inboxLimit)));
            }
            return true;
        });
        return !gone.isEmpty();
    }

    void tell() {
        Refusal first = refusals.getFirst();
        Outbox.Row row = first.row;
        log.error(
                "{} messages wait in the outbox: the database refuses them, and no other gets through that would show that"
                        + " it is their own fault. The first is {} {} to workflow {} (SQLSTATE {}): {}. Usual cause: a"
                        + " trigger or constraint of one's own on Durable's tables. Mend it, and they are delivered; or"
                        + " give up the first: delete from {} where run_id = '{}' and event_id = {}",
                refusals.size(),
                row.delivery().message().kind(),
                Bounds.shown(row.delivery().message().name()),
                Bounds.shown(row.target()),
                first.why.getSQLState(),
                first.reason(),
                in("durable.outbox"),
                row.source(),
                row.eventId());
    }

    private String in(String name) {
        return connections.schema().in(name);
    }
}
