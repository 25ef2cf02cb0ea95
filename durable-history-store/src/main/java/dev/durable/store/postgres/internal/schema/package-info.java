/**
 * Makes and changes the tables, and gives rights on them.
 *
 * <ul>
 *   <li>A migration is a file, {@code V…__….sql}; each of its steps is one transaction, or one statement outside of any, and can
 *       be repeated.
 *   <li>No statement waits for a lock for long: behind it all others would wait ({@link
 *       dev.durable.store.postgres.internal.schema.Ddl}).
 *   <li>Who may do what stands in one file, {@code grants.sql}.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.schema;

import org.jspecify.annotations.NullMarked;
