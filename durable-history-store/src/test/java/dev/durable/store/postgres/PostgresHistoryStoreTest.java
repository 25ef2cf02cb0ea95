package dev.durable.store.postgres;

import dev.durable.store.contract.HistoryStoreContract;
import dev.durable.store.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The PostgreSQL store keeps the contract of all stores. Runs beside other classes on a database of its own; its tests share
 * that, for which the lock lets one run at a time.
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
