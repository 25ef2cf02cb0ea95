package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreContract;
import dev.durable.store.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Tests that the PostgreSQL store keeps the contract of all stores. The class runs beside others on a database of its
 * own, which its tests share, so a lock lets one of them run at a time.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the database of the contract")
class PostgresHistoryStoreTest extends HistoryStoreContract {
    private static final class OwnDatabase {
        static final PostgresFixture.Shared SHARED = new PostgresFixture.Shared();
    }

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture(OwnDatabase.SHARED);
    }
}
