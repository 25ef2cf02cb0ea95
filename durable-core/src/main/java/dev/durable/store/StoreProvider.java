package dev.durable.store;

import java.util.Optional;

/**
 * Makes the history store on a database that another library opened. By it a library that brings a database but no
 * store, such as the embedded PostgreSQL, can be a {@link StoreSource}: it asks the providers that {@link
 * java.util.ServiceLoader} finds. Providers have a public constructor without arguments, and are safe for use by
 * several threads.
 */
public interface StoreProvider {
    /**
     * Returns the store on a database, which is not closed together with the store.
     *
     * @param database for PostgreSQL a {@code javax.sql.DataSource}
     * @return empty if this provider has no store for databases of that kind
     */
    Optional<HistoryStore> storeOn(Object database);
}
