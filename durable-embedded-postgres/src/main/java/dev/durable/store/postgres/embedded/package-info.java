/**
 * A real PostgreSQL for development, samples and tests, without installation. {@link
 * dev.durable.store.postgres.embedded.EmbeddedPostgres} is the server, {@link
 * dev.durable.store.postgres.embedded.PostgresSource} takes the server that the environment names where it names one.
 *
 * <p>This artifact knows the JDBC driver and of Durable's core what a {@code StoreSource} is. It does not know the history
 * store, whose own tests run on it: the store is found at run time, as a {@link dev.durable.store.StoreProvider}.
 */
@NullMarked
package dev.durable.store.postgres.embedded;

import org.jspecify.annotations.NullMarked;
