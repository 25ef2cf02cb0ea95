package dev.durable.store.postgres.testing;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * Starts PostgreSQL with Testcontainers, which is an optional dependency that only this class uses. Its container is
 * removed when this process has ended.
 */
final class ContainerServer {
    private static final String IMAGE = "durable.test.postgres.image";

    private ContainerServer() {}

    // The container lives as long as the process: Testcontainers' reaper ends it, no caller closes it.
    @SuppressWarnings("resource")
    static TestServer start() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            throw TestServerErrors.noDocker();
        }
        PostgreSQLContainer container = new PostgreSQLContainer(System.getProperty(IMAGE, "postgres:18-alpine"));
        container.start();
        return new TestServer(container.getJdbcUrl(), container.getUsername(), container.getPassword());
    }
}
