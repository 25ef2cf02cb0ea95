/** For tests, here and in applications: an empty database on a real PostgreSQL, a new one each time it is asked for. */
@NullMarked
package dev.durable.store.postgres.testing;

import org.jspecify.annotations.NullMarked;
