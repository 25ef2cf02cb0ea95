/**
 * The history store on PostgreSQL: its builder, its schema as SQL, the transactions that it can join, and tools for
 * DBAs.
 */
@NullMarked
package dev.durable.store.postgres;

import org.jspecify.annotations.NullMarked;
