package dev.durable.store.postgres;

import dev.durable.store.HistoryStore;
import dev.durable.store.StoreProvider;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Makes a {@link PostgresHistoryStore}, with its usual options, for libraries that bring a database only, such as the
 * embedded server.
 */
public final class PostgresStoreProvider implements StoreProvider {
    /** Called by the ServiceLoader. */
    public PostgresStoreProvider() {}

    @Override
    public Optional<HistoryStore> storeOn(Object database) {
        return database instanceof DataSource dataSource
                ? Optional.of(PostgresHistoryStore.of(dataSource))
                : Optional.empty();
    }
}
