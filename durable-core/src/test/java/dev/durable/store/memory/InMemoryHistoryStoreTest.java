package dev.durable.store.memory;

import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.contract.HistoryStoreContract;
import dev.durable.store.contract.StoreFixture;
import java.time.Duration;

/** The in-memory store keeps the contract of all stores. */
class InMemoryHistoryStoreTest extends HistoryStoreContract {
    private static final InboxLimit INBOX_LIMIT = new InboxLimit(50, 20 << 20);

    @Override
    protected StoreFixture newFixture() {
        VirtualClock time = new VirtualClock();
        InMemoryHistoryStore store = InMemoryHistoryStore.on(time, INBOX_LIMIT);
        return new StoreFixture() {
            @Override
            public HistoryStore store() {
                return store;
            }

            @Override
            public void advance(Duration by) {
                time.advance(by);
            }

            @Override
            public InboxLimit inboxLimit() {
                return INBOX_LIMIT;
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }
}
