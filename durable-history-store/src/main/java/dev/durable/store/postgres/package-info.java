/** The history store on PostgreSQL. */
@NullMarked
package dev.durable.store.postgres;

import org.jspecify.annotations.NullMarked;
