package dev.durable.spring.dev;

import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * How to connect to the embedded server.
 *
 * @param postgres which runs
 */
record EmbeddedConnection(EmbeddedPostgres postgres) implements JdbcConnectionDetails {
    @Override
    public String getUsername() {
        return postgres.username();
    }

    @Override
    public String getPassword() {
        return postgres.password();
    }

    @Override
    public String getJdbcUrl() {
        return postgres.jdbcUrl() + "?sslmode=disable";
    }
}
