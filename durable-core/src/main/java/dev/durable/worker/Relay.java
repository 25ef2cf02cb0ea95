package dev.durable.worker;

import dev.durable.store.HistoryStore;
import dev.durable.store.Relayed;

/**
 * Delivers what waits in the outbox: messages that callers' transactions have left there. Every worker does; who commits
 * such a transaction wakes them. That is a hint, and looking now and then is enough.
 */
final class Relay implements BatchChore.Work {
    static final int BATCH = 256;

    private final HistoryStore store;
    private volatile long aside;

    Relay(HistoryStore store) {
        this.store = store;
    }

    @Override
    public int upTo(int most) {
        Relayed relayed = store.relay(most);
        aside = relayed.aside();
        return relayed.gone();
    }

    /** Messages that stood aside at the last look, whoever has set them aside. */
    long aside() {
        return aside;
    }
}
