package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreCore;
import dev.durable.store.contract.StoreFixture;

/**
 * The core of the contract on the oldest server. The class is not called a test, so that only the build's execution
 * {@code oldest-postgres} runs it; on the other servers the whole contract is run.
 */
class CoreOnOldestServer extends HistoryStoreCore {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }
}
