package dev.durable.internal.upkeep;

import dev.durable.internal.drive.BatchChore;
import dev.durable.store.HistoryStore;
import dev.durable.store.Relayed;

/**
 * The work of the chore that delivers messages which committed transactions of callers, and transitions whose code
 * sends to other workflows, have left in the outbox. Every worker does this; such a commit wakes them by a nudge, which
 * may be lost, as polling is enough.
 */
public final class RelayChore implements BatchChore.Work {
    public static final int BATCH = 256;

    private final HistoryStore store;
    private volatile long aside;

    public RelayChore(HistoryStore store) {
        this.store = store;
    }

    @Override
    public int upTo(int most) {
        int gone = 0;
        Relayed relayed;
        do {
            // A pass whose rows wait for their targets in part has delivered fewer than it took: more wait behind them.
            relayed = store.relay(most - gone);
            aside = relayed.aside();
            gone += relayed.gone();
        } while (relayed.more() && relayed.gone() > 0 && gone < most);
        return gone;
    }

    /** Returns how many messages were set aside in outbox_refused at the last read. */
    public long aside() {
        return aside;
    }
}
