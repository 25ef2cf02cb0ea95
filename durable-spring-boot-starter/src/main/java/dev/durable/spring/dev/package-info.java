/**
 * Development with nothing installed: an application without a DataSource, and with {@code durable-embedded-postgres} on its
 * class path, gets a PostgreSQL of its own.
 *
 * <p>Only its address is given, as {@code JdbcConnectionDetails}, where Spring Boot makes the DataSource: so JPA, migrations
 * and everything else that the application does with its DataSource is there, too. Whatever names a database comes first:
 * a {@code DataSource} bean, {@code spring.datasource.*}, a service connection of Testcontainers or Docker Compose, a
 * {@code HistoryStore} bean.
 *
 * <p>An application that was meant to have a database and lost its configuration must not begin on an empty one unnoticed.
 * So the artifact belongs to scope {@code test} or to what development only has, and a profile named in {@code
 * durable.dev.forbidden-profiles} refuses the server at the start.
 */
@NullMarked
package dev.durable.spring.dev;

import org.jspecify.annotations.NullMarked;
