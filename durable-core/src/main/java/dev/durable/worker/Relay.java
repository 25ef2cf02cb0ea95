package dev.durable.worker;

import dev.durable.store.HistoryStore;
import dev.durable.store.Relayed;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Delivers what waits in the outbox: messages that callers' transactions have left there. Every worker does; who commits
 * such a transaction wakes them. That is a hint, and looking now and then is enough.
 */
final class Relay implements BatchChore.Work {
    static final int BATCH = 256;

    private final HistoryStore store;
    private final AtomicLong refused = new AtomicLong();

    Relay(HistoryStore store) {
        this.store = store;
    }

    @Override
    public int upTo(int most) {
        Relayed relayed = store.relay(most);
        refused.addAndGet(relayed.refused());
        return relayed.gone();
    }

    /** Messages that were set aside here since the start. */
    long refused() {
        return refused.get();
    }
}
