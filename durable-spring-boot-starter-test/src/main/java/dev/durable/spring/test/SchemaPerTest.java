package dev.durable.spring.test;

import dev.durable.spring.SpringTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import dev.durable.testing.PostgresTestEngine;
import dev.durable.testing.TestEngine;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/** Makes engines in the application's database, each in a schema of its own. */
final class SchemaPerTest implements Supplier<TestEngine> {
    /** One for all: roles are the server's, and no test drops them. */
    private static final String ROLES = "durable_test";

    private final Supplier<DataSource> dataSource;
    private final ObjectProvider<PlatformTransactionManager> managers;

    SchemaPerTest(Supplier<DataSource> dataSource, ObjectProvider<PlatformTransactionManager> managers) {
        this.dataSource = dataSource;
        this.managers = managers;
    }

    @Override
    public TestEngine get() {
        DataSource chosen = dataSource.get();
        PlatformTransactionManager manager = managers.getIfUnique();
        PostgresHistoryStoreBuilder store =
                manager == null ? PostgresHistoryStore.builder(chosen) : SpringTransactions.store(chosen, manager);
        String schema = "test_" + UUID.randomUUID().toString().replace("-", "");
        return PostgresTestEngine.on(chosen, schema, store.rolePrefix(ROLES));
    }
}
