package dev.durable.store.postgres.internal.transaction;

import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery.Outcome;
import dev.durable.store.InboxLimit;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.Relayed;
import dev.durable.store.RunIds;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.BatchHalving;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass of the relay: locks rows of the outbox, inserts them into their targets' inboxes, and deletes them, in one
 * transaction.
 *
 * <pre>
 *   take ─► deliver ─► deliver to missing targets again ─► delete what is delivered or has no target ─► COMMIT
 *     │ a lock is in the way: by targets, in halves          │ the database refuses something: row by row,
 *     └── a target alone with it is stuck                   └── a row alone with it is set aside
 * </pre>
 *
 * <p>A row is set aside only if another row gets through: while none does, the database may be at fault (a trigger that
 * stops all writes for an hour), and the row waits. The start of a child waits for some passes only, then its parent gets
 * the refusal, if the database takes that.
 */
final class RelayPass {
    private static final Logger log = LoggerFactory.getLogger(RelayPass.class);

    private final Connections connections;
    private final InboxLimit inboxLimit;
    private final int limit;
    private final Set<String> except;
    private final boolean answersStarts;
    private final PendingNudges hints = new PendingNudges();
    private final Set<String> stuck = new HashSet<>();
    private final RelayRefusals refusals;
    private List<Outbox.Row> taken = List.of();
    private int delivered;
    private int accepted;
    private boolean more;

    /**
     * @param limit how many to deliver at most
     * @param except the targets to skip
     * @param answersStarts whether parents are told of refused starts of children also where no other row gets through
     */
    RelayPass(Connections connections, InboxLimit inboxLimit, int limit, Set<String> except, boolean answersStarts) {
        this.connections = connections;
        this.inboxLimit = inboxLimit;
        this.limit = limit;
        this.except = new HashSet<>(except);
        this.answersStarts = answersStarts;
        this.refusals = new RelayRefusals(connections, inboxLimit, hints);
    }

    /** The targets that can't take the messages that wait for them. */
    Set<String> stuck() {
        return stuck;
    }

    /** The nudges for the runs that got messages. */
    PendingNudges hints() {
        return hints;
    }

    Relayed run() {
        try {
            deliverAll();
            if (nothingGetsThrough()) {
                // Behind the refused rows there may be rows for other targets that get through.
                except.addAll(refusals.targets());
                except.addAll(stuck);
                deliverAll();
            }
            return new Relayed(delivered, refusals.setAside(accepted > 0, answersStarts), 0, more);
        } catch (SQLException e) {
            throw connections.failures().of(e);
        }
    }

    /** Logs it if everything that the pass could have delivered was refused; returns whether it was. */
    boolean tellRefusal() {
        if (nothingGetsThrough()) {
            refusals.tell();
            return true;
        }
        return false;
    }

    /** Returns whether everything that the pass could have delivered was refused. */
    boolean nothingGetsThrough() {
        return accepted == 0 && !refusals.isEmpty();
    }

    private void deliverAll() throws SQLException {
        taken = List.of();
        try {
            write(TransactionSettings.SHORT, tx -> taken = take(tx, null));
        } catch (SQLException e) {
            switch (SqlState.of(e)) {
                case LOCKED, AGAIN -> byTargets(SqlState.of(e));
                case UNEXPECTED, NO_PARTITION, UNAVAILABLE, REFUSED, OTHER -> byRows(e);
            }
        }
    }

    /** Delivers to the targets that are not locked; the messages of the others wait. */
    private void byTargets(SqlState why) throws SQLException {
        Set<String> targets = new LinkedHashSet<>();
        taken.forEach(row -> targets.add(row.target()));
        try {
            new BatchHalving<String>(target -> target, part -> write(TransactionSettings.PROBE, tx -> take(tx, part)))
                    .write(List.copyOf(targets), why)
                    .forEach(stuck::add);
        } catch (SQLException e) {
            byRows(e);
        }
    }

    /** Delivers row by row, so that a refused row does not hold up the others. */
    private void byRows(SQLException why) throws SQLException {
        if (taken.isEmpty() || !SqlState.mayBeOneRows(why)) {
            throw why;
        }
        Set<Object> taboo = new HashSet<>(stuck);
        for (Outbox.Row row : taken) {
            if (taboo.contains(row.source()) || taboo.contains(row.target())) {
                continue;
            }
            try {
                if (!write(TransactionSettings.PROBE, tx -> takeOne(tx, row))) {
                    // The row is gone, or another relay has its sender and keeps the order of its messages.
                    taboo.add(row.source());
                }
            } catch (SQLException e) {
                if (SqlState.mayBeOneRows(e)) {
                    refusals.add(row, e);
                } else if (SqlState.of(e) == SqlState.LOCKED || SqlState.of(e) == SqlState.AGAIN) {
                    stuck.add(row.target());
                } else {
                    throw e;
                }
            }
            taboo.addAll(stuck);
        }
    }

    @FunctionalInterface
    private interface Taking {
        List<Outbox.Row> in(Tx tx) throws SQLException;
    }

    /** Delivers rows in one transaction; returns whether there were any. */
    private boolean write(TransactionSettings locks, Taking taking) throws SQLException {
        List<Outbox.Row> found = new ArrayList<>();
        Map<Integer, Outcome> outcomes = new HashMap<>();
        List<Runnable> dropped = new ArrayList<>();
        try {
            delivered += deliver(locks, taking, found, outcomes, dropped);
        } catch (CommitUnknownException e) {
            dropped.forEach(Runnable::run); // the messages may be gone
            throw e;
        }
        dropped.forEach(Runnable::run);
        // A row without a target does not show that the database accepts writes.
        accepted += Collections.frequency(outcomes.values(), Outcome.ACCEPTED);
        return !found.isEmpty();
    }

    /** Delivers rows in one transaction; returns how many are done. What is to be logged follows the commit. */
    private int deliver(
            TransactionSettings locks,
            Taking taking,
            List<Outbox.Row> found,
            Map<Integer, Outcome> outcomes,
            List<Runnable> dropped)
            throws SQLException {
        return connections.attempt(locks, tx -> {
            List<Outbox.Row> rows = taking.in(tx);
            found.addAll(rows);
            if (rows.isEmpty()) {
                return 0;
            }
            for (Outbox.Row row : rows) {
                if (row.unreadable() != null) {
                    // Treated as a refusal by the database: row by row it is found and set aside.
                    throw row.unreadable();
                }
            }
            RelayDelivery delivery = new RelayDelivery(tx, rows, inboxLimit, hints);
            outcomes.putAll(delivery.outcomes());
            List<Outbox.Row> done = judge(rows, outcomes, delivery, dropped);
            findPreceded(tx, done, dropped);
            tx.last(new SqlScript()
                    .then(
                            RelaySql.REMOVE,
                            uuids(done, Outbox.Row::source),
                            longs(done, Outbox.Row::eventId),
                            shorts(done, Outbox.Row::shard)));
            return done.size();
        });
    }

    /** Takes rows, for all targets if {@code targets} is null. */
    private List<Outbox.Row> take(Tx tx, @Nullable List<String> targets) throws SQLException {
        List<Outbox.Row> rows = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        Map<UUID, Long> places = new HashMap<>();
        Param all = Param.of(targets == null);
        Param only = texts(targets == null ? List.of() : targets, target -> target);
        Param others = texts(List.copyOf(except), target -> target);
        tx.run(new SqlScript()
                .read(
                        RelaySql.TAKE,
                        row -> {
                            Outbox.Row next = Outbox.Row.read(row);
                            sizes.add(Portion.atMost(row.getString("payload"))
                                    + Portion.atMost(row.getString("new_run")));
                            if (places.merge(next.source(), 1L, Long::sum) == row.getLong("place")) {
                                rows.add(next);
                            }
                        },
                        all,
                        only,
                        others,
                        Param.of(limit),
                        all,
                        only,
                        others,
                        Param.of(limit),
                        Param.of(limit),
                        Param.of((long) Portion.BYTES)));
        more |= !Portion.isWhole(sizes, limit, size -> size);
        return rows;
    }

    private static List<Outbox.Row> takeOne(Tx tx, Outbox.Row one) throws SQLException {
        List<Outbox.Row> rows = new ArrayList<>();
        tx.run(new SqlScript()
                .read(
                        RelaySql.TAKE_ONE,
                        row -> rows.add(Outbox.Row.read(row)),
                        Param.of(one.source()),
                        Param.of(one.source()),
                        Param.of(one.eventId()),
                        Param.of((short) one.shard())));
        return rows;
    }

    /** The rows that need not wait any longer: delivered, or without a target. */
    private List<Outbox.Row> judge(
            List<Outbox.Row> rows, Map<Integer, Outcome> outcomes, RelayDelivery delivery, List<Runnable> dropped) {
        List<Outbox.Row> done = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Outbox.Row row = rows.get(i);
            switch (outcomes.getOrDefault(i, Outcome.NOT_FOUND)) {
                case ACCEPTED -> done.add(row);
                case NOT_FOUND -> {
                    String why = delivery.whyDropped(i);
                    dropped.add(() -> tellDropped(row, why));
                    done.add(row);
                }
                case CLOSING, INBOX_FULL, INBOX_TOO_LARGE, LOCKED -> stuck.add(row.target());
            }
        }
        return done;
    }

    /** Finds outcomes of callbacks whose inbox has taken in another one before, so that they are dropped. */
    private static void findPreceded(Tx tx, List<Outbox.Row> done, List<Runnable> dropped) throws SQLException {
        List<Outbox.Row> outcomes = done.stream()
                .filter(row -> row.delivery().message().kind() == MessageKind.CALLBACK)
                .toList();
        if (!outcomes.isEmpty()) {
            tx.run(new SqlScript()
                    .read(
                            RelaySql.PRECEDED,
                            found -> {
                                Outbox.Row row = outcomes.get(found.getInt("item") - 1);
                                dropped.add(() -> tellDropped(row, "another outcome of its callback was there"));
                            },
                            uuids(outcomes, row -> row.delivery().runId()),
                            shorts(outcomes, row -> RunIds.shardOf(row.target())),
                            uuids(outcomes, row -> row.delivery().message().messageId()),
                            texts(outcomes, row -> row.delivery().message().name()),
                            texts(outcomes, row -> row.delivery().message().payload())));
        }
    }

    private static void tellDropped(Outbox.Row row, String why) {
        InboxMessage message = row.delivery().message();
        if (row.from() != null && row.delivery().runId() != null) {
            log.debug("{} from {} to {} is dropped: it has ended", message.kind(), row.from(), row.target());
            return;
        }
        if (row.from() != null) {
            log.warn(OutgoingMessage.dropped(message.kind(), message.name(), row.from(), row.target(), why));
            return;
        }
        log.warn(
                "{} {} to workflow {} is dropped: it was sent in a transaction, and after its commit {}",
                message.kind(),
                Bounds.shown(message.name()),
                Bounds.shown(row.target()),
                why);
    }
}
