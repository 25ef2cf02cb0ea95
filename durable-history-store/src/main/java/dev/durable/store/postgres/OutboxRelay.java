package dev.durable.store.postgres;

import static dev.durable.store.postgres.Param.longs;
import static dev.durable.store.postgres.Param.shorts;
import static dev.durable.store.postgres.Param.texts;
import static dev.durable.store.postgres.Param.uuids;

import dev.durable.store.Delivery.Outcome;
import dev.durable.store.Nudges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the outbox: rows locked, put into their targets' inboxes and removed, in one transaction.
 *
 * <pre>
 *   take ─► deliver ─► deliver who was not found once more ─► remove what went or has nowhere to go ─► COMMIT
 * </pre>
 *
 * <p>What a target can't take now (full, closing, locked) stays, with all that follows it to the same target: those
 * targets are passed over until nothing else waits.
 */
final class OutboxRelay {
    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

    private final Connections connections;
    private final Nudges nudges;
    private final int inboxLimit;
    private volatile Set<String> stuck = Set.of();

    OutboxRelay(Connections connections, Nudges nudges, int inboxLimit) {
        this.connections = connections;
        this.nudges = nudges;
        this.inboxLimit = inboxLimit;
    }

    int relay(int limit) {
        Set<String> before = stuck;
        int gone = pass(limit, before);
        if (gone > 0) {
            return gone;
        }
        if (stuck.equals(before)) {
            // Nothing else waits: they may have room by now.
            stuck = Set.of();
        }
        return before.isEmpty() && stuck.isEmpty() ? 0 : pass(limit, stuck);
    }

    private int pass(int limit, Set<String> except) {
        Pass pass = new Pass(limit, except);
        try {
            pass.write(Locks.SHORT, true, List.of());
        } catch (SQLException e) {
            switch (SqlState.of(e)) {
                case LOCKED, AGAIN -> pass.halves(SqlState.of(e));
                default -> throw connections.failures().of(e);
            }
        }
        pass.hints.sendTo(nudges);
        return pass.gone;
    }

    /** One pass over the outbox; its transactions, where a lock is in the way. */
    private final class Pass {
        private final int limit;
        private final Set<String> except;
        private final Hints hints = new Hints();
        private final Set<String> targets = new LinkedHashSet<>();
        private int gone;

        Pass(int limit, Set<String> except) {
            this.limit = limit;
            this.except = except;
        }

        /** Who of the targets is locked waits; the others do not. */
        void halves(SqlState why) {
            try {
                new Halves<String>(target -> target, part -> write(Locks.PROBE, false, part))
                        .write(List.copyOf(targets), why)
                        .forEach(this::isStuck);
            } catch (SQLException e) {
                throw connections.failures().of(e);
            }
        }

        void write(Locks locks, boolean all, List<String> only) throws SQLException {
            gone += connections.attempt(locks, tx -> {
                List<Outbox.Row> rows = take(tx, all, only);
                if (rows.isEmpty()) {
                    return 0;
                }
                rows.forEach(row -> targets.add(row.target()));
                List<Outbox.Row> done = judge(rows, deliver(tx, rows));
                tx.last(new Script()
                        .then(
                                RelaySql.REMOVE,
                                uuids(done, Outbox.Row::source),
                                longs(done, Outbox.Row::eventId),
                                shorts(done, Outbox.Row::shard)));
                return done.size();
            });
        }

        private List<Outbox.Row> take(Tx tx, boolean all, List<String> only) throws SQLException {
            List<Outbox.Row> rows = new ArrayList<>();
            tx.run(new Script()
                    .read(
                            RelaySql.TAKE,
                            row -> rows.add(Outbox.Row.read(row)),
                            Param.of(all),
                            texts(only, target -> target),
                            texts(List.copyOf(except), target -> target),
                            Param.of(limit),
                            Param.of(limit)));
            return rows;
        }

        private Map<Integer, Outcome> deliver(Tx tx, List<Outbox.Row> rows) throws SQLException {
            Map<Integer, Outcome> outcomes = new HashMap<>();
            send(tx, rows, outcomes);
            // Its run may have been written after the statement began that did not find it.
            if (outcomes.size() < rows.size()) {
                send(tx, rows, outcomes);
            }
            return outcomes;
        }

        private void send(Tx tx, List<Outbox.Row> rows, Map<Integer, Outcome> outcomes) throws SQLException {
            List<Integer> items = IntStream.range(0, rows.size())
                    .filter(i -> !outcomes.containsKey(i))
                    .boxed()
                    .toList();
            DeliveryBatch batch =
                    new DeliveryBatch(rows.stream().map(Outbox.Row::delivery).toList(), items);
            tx.run(new Script()
                    .read(
                            RequestSql.DELIVER,
                            row -> {
                                outcomes.put(row.getInt("item"), Outcome.valueOf(row.getString("outcome")));
                                hints.runs(row.getString("task_queue"));
                            },
                            batch.params(inboxLimit)));
        }

        /** What need not wait any longer: delivered, or without a target. */
        private List<Outbox.Row> judge(List<Outbox.Row> rows, Map<Integer, Outcome> outcomes) {
            List<Outbox.Row> done = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                Outbox.Row row = rows.get(i);
                switch (outcomes.getOrDefault(i, Outcome.NOT_FOUND)) {
                    case ACCEPTED -> done.add(row);
                    case NOT_FOUND -> {
                        log.warn(
                                "{} {} to workflow {} is dropped: it was sent in a transaction, and after its commit"
                                        + " there is no open run to take it",
                                row.delivery().message().kind(),
                                row.delivery().message().name(),
                                row.target());
                        done.add(row);
                    }
                    case CLOSING, INBOX_FULL, LOCKED -> isStuck(row.target());
                }
            }
            return done;
        }

        private void isStuck(String target) {
            Set<String> all = new LinkedHashSet<>(stuck);
            all.add(target);
            stuck = Set.copyOf(all);
        }
    }
}
