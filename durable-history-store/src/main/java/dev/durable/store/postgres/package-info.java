/** The history store on PostgreSQL: its builder, its schema as SQL, transactions that it can join, DBAs' tools. */
@NullMarked
package dev.durable.store.postgres;

import org.jspecify.annotations.NullMarked;
