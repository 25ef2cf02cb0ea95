package dev.durable.samples.springorders;

import dev.durable.store.postgres.testing.TestDatabase;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The whole application on a free port, with a database that all these tests share. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class RunningApplication {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    @LocalServerPort
    int port;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", DATABASE::jdbcUrl);
        properties.add("spring.datasource.username", DATABASE::username);
        properties.add("spring.datasource.password", DATABASE::password);
    }
}
