package dev.durable.store.contract;

import dev.durable.history.InboxMessage;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.List;

/** An empty, open store, and what a test needs around it. One per test. */
public interface StoreFixture extends AutoCloseable {
    HistoryStore store();

    /** Moves the store's time on. Between two calls time may stand still or pass by itself, but only by moments. */
    void advance(Duration by);

    /** What may wait for one run in this store; little, so that a test can reach it. */
    InboxLimit inboxLimit();

    /**
     * Another process that sends a message to a run and stays in the middle of its transaction: it has its locks and has
     * inserted the message. A store that has no middle sends at once.
     */
    default HeldSender holdSender(RunKey run, InboxMessage message) {
        store().deliver(List.of(new Delivery(run.workflowId(), run.runId(), message)));
        return new HeldSender() {
            @Override
            public void awaitSomebodyWaiting() {}

            @Override
            public void commit() {}
        };
    }

    /** Deadlocks that the database has seen since this fixture was made. */
    default long deadlocks() {
        return 0;
    }

    /** Cleans up. */
    @Override
    void close();

    /** See {@link #holdSender}. */
    interface HeldSender {
        /** Returns when somebody waits for a lock of this sender, or after a moment if nobody does. */
        void awaitSomebodyWaiting();

        void commit();
    }
}
