package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreContract;
import dev.durable.store.contract.StoreFixture;

/** The PostgreSQL store keeps the contract of all stores. */
class PostgresHistoryStoreTest extends HistoryStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }
}
