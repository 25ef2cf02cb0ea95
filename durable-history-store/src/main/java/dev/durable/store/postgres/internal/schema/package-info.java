/**
 * Creates and changes the tables, and grants rights on them.
 *
 * <ul>
 *   <li>A migration is a file, {@code V…__….sql}; each of its steps is one transaction, or one statement outside of any, and can
 *       be repeated.
 *   <li>No statement waits for a lock for long: all other statements would wait behind it ({@link
 *       dev.durable.store.postgres.internal.schema.Ddl}).
 *   <li>All rights stand in one file, {@code grants.sql}.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.schema;

import org.jspecify.annotations.NullMarked;
