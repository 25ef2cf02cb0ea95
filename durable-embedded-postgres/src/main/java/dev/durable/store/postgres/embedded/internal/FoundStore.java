package dev.durable.store.postgres.embedded.internal;

import dev.durable.store.HistoryStore;
import dev.durable.store.StoreProvider;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/** Makes the history store on a database of the embedded server, with the provider that the class path has. */
public final class FoundStore {
    private FoundStore() {}

    /**
     * The store on this database.
     *
     * @throws dev.durable.StoreUnavailableException where no history store is on the class path
     */
    public static HistoryStore on(DataSource database) {
        return ServiceLoader.load(StoreProvider.class, FoundStore.class.getClassLoader()).stream()
                .flatMap(provider -> provider.get().storeOn(database).stream())
                .findFirst()
                .orElseThrow(EmbeddedErrors::noStore);
    }
}
