package dev.durable.store.postgres.endtoend;

import dev.durable.store.StoreSource;
import dev.durable.store.contract.UndescribableEnds;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class PostgresUndescribableEndsTest extends UndescribableEnds {
    private final TestDatabase database = TestDatabase.migrated();

    @Override
    protected StoreSource store() {
        return PostgresHistoryStore.of(database.pooledDataSource(20));
    }

    @Override
    protected boolean hasTransactions() {
        return true;
    }

    @Override
    protected void drop() {
        database.close();
    }
}
