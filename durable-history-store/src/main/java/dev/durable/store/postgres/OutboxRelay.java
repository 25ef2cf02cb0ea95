package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import dev.durable.store.Relayed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Delivers the outbox, pass after pass until one gets something done.
 *
 * <p>What a target can't take now (full, closing, locked) stays, with all that follows it to the same target: such targets
 * are <i>stuck</i>, and passed over before the senders of a pass are chosen, so that they keep nobody else. They get
 * another chance when nothing else waits, and now and then when something always does.
 */
final class OutboxRelay {
    /** Of so many relays one looks at stuck targets, too, whatever else waits. */
    private static final int EVERYBODY = 16;

    private final Connections connections;
    private final Nudges nudges;
    private final int inboxLimit;
    private Set<String> stuck = new HashSet<>();
    private int relays;

    OutboxRelay(Connections connections, Nudges nudges, int inboxLimit) {
        this.connections = connections;
        this.nudges = nudges;
        this.inboxLimit = inboxLimit;
    }

    synchronized Relayed relay(int limit) {
        if (!waits()) {
            stuck.clear();
            return Relayed.NOTHING;
        }
        if (++relays % EVERYBODY == 0) {
            stuck.clear();
        }
        boolean passedOver = !stuck.isEmpty();
        Relayed relayed = pass(limit);
        boolean othersWait = true;
        while (relayed.gone() == 0 && othersWait) {
            int before = stuck.size();
            relayed = pass(limit);
            othersWait = stuck.size() > before;
        }
        if (relayed.gone() == 0 && passedOver) {
            // Nothing else waits: they may have room by now.
            stuck.clear();
            return pass(limit);
        }
        return relayed;
    }

    private boolean waits() {
        List<Boolean> answer = new ArrayList<>();
        return connections.read(Locks.SHORT, tx -> {
            tx.last(new Script().read(RelaySql.WAITS, row -> answer.add(row.getBoolean("waits"))));
            return answer.getLast();
        });
    }

    private Relayed pass(int limit) {
        RelayPass pass = new RelayPass(connections, inboxLimit, limit, Set.copyOf(stuck));
        Relayed relayed = pass.run();
        stuck.addAll(pass.stuck());
        pass.hints().sendTo(nudges);
        return relayed;
    }
}
