package dev.durable.spring;

import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Refuses a HistoryStore bean of the application's own that knows nothing of Spring's transactions in its DataSource:
 * starts would stay when they are rolled back, and transactional activities would not commit with what they write.
 */
final class StoreCheck {
    private StoreCheck() {}

    static void check(HistoryStore store, ListableBeanFactory beans) {
        if (store instanceof PostgresHistoryStore postgres) {
            postgres.withoutTransactions().map(StoreDataSource::target).ifPresent(dataSource -> {
                Set<String> managers =
                        StoreDataSource.managers(beans, dataSource).keySet();
                if (!managers.isEmpty()) {
                    throw refused(managers);
                }
            });
        }
    }

    private static SetupException refused(Set<String> managers) {
        return new SetupException(
                "The HistoryStore bean was built without transactions, and its DataSource has Spring's, by "
                        + String.join(", ", managers) + ": a workflow that is started in @Transactional would stay when"
                        + " that is rolled back, and what a transactional activity writes would be committed apart from its"
                        + " completion.",
                "Leave the bean out and mark its DataSource as @DurableDataSource (durable.schema and durable.migrate"
                        + " count then), or build it with SpringTransactions.store(dataSource, transactionManager). If it"
                        + " shall stay out of Spring's transactions, say .transactions(CallerTransactions.NONE).");
    }
}
