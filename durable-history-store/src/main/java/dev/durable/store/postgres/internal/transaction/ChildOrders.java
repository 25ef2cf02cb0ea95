package dev.durable.store.postgres.internal.transaction;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.ParentClosePolicy;
import dev.durable.history.MessageKind;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.text.Bounds;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.ParentClosed;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.run.Seizures;
import dev.durable.store.postgres.internal.run.Seizures.LockedRun;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the orders of the outbox that end runs: the order of a chain that has ended, to apply the parent-close
 * policies of its open children, the order of a parent to terminate one child, and that of an operator, given by the
 * function {@code terminate} of the schema, to terminate one run. Each portion is a transaction of its
 * own, as it locks children against their senders, which a pass of the relay must not do beside the locks that it holds.
 *
 * <p>The order of a chain stands in the outbox until no child is left to which its policy is to be applied. So a process
 * that dies between two portions leaves the rest to others, and a child whose row is locked is tried again. A child that
 * is ended here writes such an order for its own children with its close.
 */
final class ChildOrders {
    /** How many children one transaction ends. */
    static final int PORTION = 50;

    private static final Logger log = LoggerFactory.getLogger(ChildOrders.class);

    private final Connections connections;
    private final InboxLimit inboxLimit;
    private final Set<UUID> refused;
    private final PendingNudges hints = new PendingNudges();
    /** The last order that this pass could not carry out; those before it are left to the next pass. */
    private UUID passedSource = new UUID(0, 0);

    private long passedNumber;
    /** Orders of which the database has refused a portion: from then on one child is ended at a time. */
    private final Set<UUID> oneByOne = new HashSet<>();
    /** The children that this pass could not end: the database has refused it, or their inboxes are full. */
    private final Set<UUID> kept = new HashSet<>();

    /** @param refused gets the sources of orders that the database refuses; those in it are not logged again */
    ChildOrders(Connections connections, InboxLimit inboxLimit, Set<UUID> refused) {
        this.connections = connections;
        this.inboxLimit = inboxLimit;
        this.refused = refused;
    }

    /** The nudges for the runs that were closed or got messages. */
    PendingNudges hints() {
        return hints;
    }

    /**
     * An order of the outbox.
     *
     * @param chain the chain whose children it ends, or the chain of the one child
     * @param target the workflow id of that chain
     * @param parent the workflow id of the parent; null where an operator has given the order
     * @param payload the name of the operator and the reason, as a JSON object; of an order of a parent it is empty
     */
    private record Order(
            UUID source,
            long number,
            int shard,
            boolean ofChain,
            UUID chain,
            String target,
            @Nullable String parent,
            String payload) {
        @Override
        public String toString() {
            return "Order[" + source + ", " + number + ", " + target + "]";
        }

        static Order read(ResultSet row) throws SQLException {
            return new Order(
                    row.getObject("run_id", UUID.class),
                    row.getLong("event_id"),
                    row.getInt("shard"),
                    row.getInt("kind") == MessageKind.PARENT_CLOSED.code(),
                    row.getObject("target_run_id", UUID.class),
                    row.getString("target_workflow_id"),
                    row.getString("source_workflow_id"),
                    row.getString("payload"));
        }

        /** Returns how it closes a run. */
        Seizure terminate(RunKey run) {
            UUID fence = UUID.randomUUID();
            if (parent != null) {
                String reason = ofChain ? ParentClosed.ENDED : ParentClosed.UNDONE;
                return ParentClosed.terminate(run.workflowId(), run.runId(), parent, reason, fence);
            }
            JsonObjectReader in = JsonObjectReader.ofAny(payload);
            String by = in.stringIfAny("by");
            String reason = in.stringIfAny("reason");
            return ParentClosed.ordered(
                    run, by == null ? "operator" : by, reason == null ? "no reason given" : reason, fence);
        }

        /** Returns what it says of the runs that it ends, for the log. */
        String shown() {
            return parent == null
                    ? "workflow " + Bounds.shown(target) + ", which an operator has ordered to be terminated,"
                    : "children of workflow " + Bounds.shown(parent) + ", which "
                            + (ofChain ? "has ended" : "is being undone") + ",";
        }

        Param[] key() {
            return new Param[] {Param.of(source), Param.of(number), Param.of((short) shard)};
        }

        Param[] child() {
            return new Param[] {Param.of(target), Param.of(RunIds.shardOf(target)), Param.of(chain)};
        }
    }

    /**
     * The result of a portion.
     *
     * @param gone whether the order is done
     * @param more whether other children of the order are to be tried in this pass
     */
    private record Portion(Order order, int ended, boolean gone, boolean more) {}

    /** Ends about so many children at most; returns how many were ended, and orders were done. */
    int run(int limit) throws SQLException {
        int done = 0;
        while (done < limit) {
            Optional<Portion> next = portion();
            if (next.isEmpty()) {
                return done;
            }
            Portion portion = next.get();
            done += portion.ended + (portion.gone ? 1 : 0);
            if (!portion.gone && !portion.more) {
                passedSource = portion.order.source;
                passedNumber = portion.order.number;
            }
        }
        return done;
    }

    /** Carries out a portion of the next order; empty if there is none to be had. */
    private Optional<Portion> portion() throws SQLException {
        List<Order> taken = new ArrayList<>();
        List<LockedChild> locked = new ArrayList<>();
        try {
            return connections.attempt(TransactionSettings.SHORT, tx -> {
                taken.clear();
                locked.clear();
                taken.addAll(take(tx));
                return taken.isEmpty() ? Optional.empty() : Optional.of(carryOut(tx, taken.getFirst(), locked));
            });
        } catch (SQLException e) {
            if (taken.isEmpty()) {
                throw e;
            }
            return switch (SqlState.of(e)) {
                case LOCKED, AGAIN -> Optional.of(new Portion(taken.getFirst(), 0, false, false));
                case UNEXPECTED, REFUSED, NO_PARTITION -> Optional.of(refused(taken.getFirst(), locked, e));
                case OTHER -> {
                    if (!SqlState.mayBeOneRows(e)) {
                        throw e;
                    }
                    yield Optional.of(refused(taken.getFirst(), locked, e));
                }
                case UNAVAILABLE -> throw e;
            };
        }
    }

    /** Goes on with the children one by one, and without one that the database refuses to end alone. */
    private Portion refused(Order order, List<LockedChild> locked, SQLException e) {
        if (locked.size() > 1) {
            oneByOne.add(order.source);
            return new Portion(order, 0, false, true);
        }
        locked.forEach(child -> kept.add(child.run().runId()));
        tellRefused(order, e);
        return new Portion(order, 0, false, order.ofChain && !locked.isEmpty());
    }

    /** Logs that the database refuses to end a child, once for each order. */
    private void tellRefused(Order order, SQLException e) {
        if (refused.add(order.source)) {
            log.warn(
                    "{} can't be ended and stay open: the database refuses it"
                            + " (SQLSTATE {}): {}. It is tried again as long as they are open. Usual cause: a trigger or"
                            + " constraint of one's own on Durable's tables",
                    order.shown(),
                    e.getSQLState(),
                    StoreErrors.withoutRow(e).getMessage());
        }
    }

    /** Locks the next order behind those that were passed, if there is one. */
    private List<Order> take(Tx tx) throws SQLException {
        List<Order> found = new ArrayList<>();
        tx.run(new SqlScript()
                .read(
                        RelaySql.TAKE_ORDER,
                        row -> found.add(Order.read(row)),
                        Param.of(passedSource),
                        Param.of(passedNumber)));
        return found;
    }

    /** A child whose row is locked, and whether it is asked to cancel instead of being terminated. */
    private record LockedChild(RunKey run, long nextEventId, boolean isAsked) {
        static LockedChild read(ResultSet row) throws SQLException {
            return new LockedChild(
                    new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                    row.getLong("next_event_id"),
                    row.getInt("parent_policy") == ParentClosePolicy.CANCEL.code());
        }
    }

    private Portion carryOut(Tx tx, Order order, List<LockedChild> locked) throws SQLException {
        int most = oneByOne.contains(order.source) ? 1 : PORTION;
        SqlScript locks = new SqlScript();
        SqlScript.Row reader = row -> locked.add(LockedChild.read(row));
        tx.run(
                order.ofChain
                        ? locks.read(
                                RelaySql.LOCK_CHILDREN,
                                reader,
                                Param.of(order.chain),
                                uuids(List.copyOf(kept), child -> child),
                                Param.of(most))
                        : locks.read(RelaySql.LOCK_CHILD, reader, order.child()));
        List<LockedRun> terminated = locked.stream()
                .filter(child -> !child.isAsked())
                .map(child -> new LockedRun(child.run(), child.nextEventId(), order.terminate(child.run())))
                .toList();
        Seizures.end(tx, terminated);
        List<RunKey> asked = locked.stream()
                .filter(LockedChild::isAsked)
                .map(LockedChild::run)
                .toList();
        List<RunKey> told = ask(tx, order, asked);
        asked.stream().filter(child -> !told.contains(child)).forEach(child -> kept.add(child.runId()));
        List<Boolean> gone = new ArrayList<>();
        SqlScript last = new SqlScript();
        if (!told.isEmpty()) {
            last.then(RelaySql.POLICY_APPLIED, uuids(told, RunKey::runId), shorts(told, RunKey::shard));
        }
        tx.last(
                order.ofChain
                        ? last.read(
                                RelaySql.ALL_APPLIED, row -> gone.add(true), with(order.key(), Param.of(order.chain)))
                        : last.read(RelaySql.TERMINATED, row -> gone.add(true), with(order.key(), order.child())));
        terminated.forEach(run -> hints.closed(run.run().runId()));
        return new Portion(
                order, terminated.size() + told.size(), !gone.isEmpty(), order.ofChain && locked.size() == most);
    }

    /** Asks children to cancel. Returns those that have the request; the others are about to close, or full. */
    private List<RunKey> ask(Tx tx, Order order, List<RunKey> children) throws SQLException {
        if (children.isEmpty()) {
            return List.of();
        }
        String parent = Objects.requireNonNull(order.parent);
        List<Delivery> requests = children.stream()
                .map(child ->
                        new Delivery(child.workflowId(), child.runId(), ParentClosed.cancel(child.runId(), parent)))
                .toList();
        DeliveryBatch batch = new DeliveryBatch(
                requests, IntStream.range(0, requests.size()).boxed().toList());
        Map<Integer, Delivery.Outcome> outcomes = new HashMap<>();
        tx.run(new SqlScript()
                .read(MessageSql.DELIVER, row -> batch.hear(row, outcomes, hints), batch.params(inboxLimit)));
        return IntStream.range(0, children.size())
                .filter(i -> outcomes.get(i) == Delivery.Outcome.ACCEPTED)
                .mapToObj(children::get)
                .toList();
    }

    private static Param[] with(Param[] first, Param... rest) {
        Param[] all = Arrays.copyOf(first, first.length + rest.length);
        System.arraycopy(rest, 0, all, first.length, rest.length);
        return all;
    }
}
