package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreCore;
import dev.durable.store.contract.StoreFixture;

/** Not called a test, so that only the build's execution {@code oldest-postgres} runs it: on the others the whole contract is. */
class CoreOnOldestServer extends HistoryStoreCore {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }
}
