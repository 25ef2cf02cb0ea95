package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreContract;
import dev.durable.store.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The PostgreSQL store keeps the contract of all stores. */
@Tag("slow")
class PostgresHistoryStoreTest extends HistoryStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }
}
