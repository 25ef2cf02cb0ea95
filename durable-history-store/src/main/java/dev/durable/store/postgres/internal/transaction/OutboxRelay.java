package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.InboxLimit;
import dev.durable.store.Nudges;
import dev.durable.store.Relayed;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the messages of the table {@code outbox} to the inboxes of their targets, in passes. If a pass has only
 * found stuck targets, messages for others may wait behind theirs, so another pass follows that skips them.
 *
 * <p>A message that its target can't take now (full, closing, locked) stays, with all later ones to that target: such
 * targets are <i>stuck</i>, and skipped before the senders of a pass are chosen, so that they hold up no other target.
 * They are tried again when no other message waits, and in one of {@link #ALL_AGAIN} passes otherwise.
 */
public final class OutboxRelay {
    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);
    /** One in so many passes tries stuck targets, too, even if other messages wait. */
    private static final int ALL_AGAIN = 16;
    /** The number of passes in a row through which nothing gets before parents are told of refused starts. */
    static final int PATIENCE = 10;

    private final Connections connections;
    private final Nudges nudges;
    private final InboxLimit inboxLimit;
    private final Set<UUID> refusedOrders = new HashSet<>();
    private Set<String> stuck = new HashSet<>();
    private int relays;
    private boolean refusalTold;
    private int refusedPasses;
    private long unknown;

    public OutboxRelay(Connections connections, Nudges nudges, InboxLimit inboxLimit) {
        this.connections = connections;
        this.nudges = nudges;
        this.inboxLimit = inboxLimit;
    }

    public synchronized Relayed relay(int limit) {
        Look look = look();
        tellUnknown(look.unknown);
        if (!look.waits) {
            stuck.clear();
            refusedOrders.clear();
            refusalTold = false;
            refusedPasses = 0;
            return new Relayed(0, 0, look.aside);
        }
        Relayed relayed = deliver(limit);
        int ended = look.orders ? endChildren(limit) : 0;
        return new Relayed(
                relayed.delivered() + ended, relayed.refused(), look.aside + relayed.refused(), relayed.more());
    }

    private int endChildren(int limit) {
        ChildOrders orders = new ChildOrders(connections, inboxLimit, refusedOrders);
        try {
            return orders.run(limit);
        } catch (SQLException e) {
            throw connections.failures().of(e);
        } finally {
            orders.hints().sendTo(nudges);
        }
    }

    private void tellUnknown(long count) {
        if (count > 0 && unknown == 0) {
            log.warn(
                    "{} messages wait in {} whose kind this version of Durable does not know; all others are delivered. Usual"
                            + " cause: a newer version has sent them, and its workers deliver them. If there is none, the"
                            + " column kind was changed by hand: mend it, or delete the rows",
                    count,
                    connections.schema().in("durable.outbox"));
        }
        unknown = count;
    }

    private Relayed deliver(int limit) {
        if (++relays % ALL_AGAIN == 0) {
            stuck.clear();
        }
        boolean passedOver = !stuck.isEmpty();
        Relayed relayed;
        int before;
        do {
            before = stuck.size();
            relayed = pass(limit);
        } while (relayed.gone() == 0 && stuck.size() > before);
        if (relayed.gone() == 0 && passedOver) {
            // No other message waits, so the stuck targets are tried again: they may take messages by now.
            stuck.clear();
            return pass(limit);
        }
        return relayed;
    }

    /**
     * The state of the outbox for an idle relay.
     *
     * @param waits whether there is anything to deliver
     * @param aside messages that were set aside
     * @param unknown messages of kinds that this version does not know
     * @param orders whether there is an order to end children
     */
    private record Look(boolean waits, long aside, long unknown, boolean orders) {}

    private Look look() {
        List<Look> answer = new ArrayList<>();
        return connections.read(TransactionSettings.SHORT, tx -> {
            tx.last(new SqlScript()
                    .read(
                            RelaySql.LOOK,
                            row -> answer.add(new Look(
                                    row.getBoolean("waits"),
                                    row.getLong("aside"),
                                    row.getLong("unknown"),
                                    row.getBoolean("orders")))));
            return answer.getLast();
        });
    }

    /** The time at which the oldest message that waits was written. */
    public Optional<Instant> since() {
        List<Optional<Instant>> answer = new ArrayList<>();
        return connections.read(TransactionSettings.READ, tx -> {
            tx.last(new SqlScript()
                    .read(RelaySql.SINCE, row -> answer.add(Optional.ofNullable(TimeColumns.instant(row, "since")))));
            return answer.getLast();
        });
    }

    private Relayed pass(int limit) {
        RelayPass pass = new RelayPass(connections, inboxLimit, limit, Set.copyOf(stuck), refusedPasses >= PATIENCE);
        Relayed relayed = pass.run();
        refusedPasses = pass.nothingGetsThrough() ? refusedPasses + 1 : 0;
        stuck.addAll(pass.stuck());
        pass.hints().sendTo(nudges);
        if (relayed.delivered() > 0) {
            refusalTold = false;
        }
        if (!refusalTold) {
            refusalTold = pass.tellRefusal();
        }
        return relayed;
    }
}
