package dev.durable.store.postgres.testing;

import dev.durable.StoreUnavailableException;
import java.sql.SQLException;

/** The error texts of tests that get no database. */
final class TestServerErrors {
    private static final String EMBEDDED = "-D" + TestServer.CHOICE + "=embedded";

    private TestServerErrors() {}

    static StoreUnavailableException unknownChoice(String choice) {
        return new StoreUnavailableException(
                "-D%s=%s names no server for tests: it is embedded (the default), testcontainers or url."
                        .formatted(TestServer.CHOICE, choice));
    }

    static StoreUnavailableException noUrl() {
        return new StoreUnavailableException(
                "-D%s=url needs the environment variable DURABLE_JDBC_URL (and DURABLE_JDBC_USER, DURABLE_JDBC_PASSWORD), of a server where this user may create databases. Or use %s."
                        .formatted(TestServer.CHOICE, EMBEDDED));
    }

    static StoreUnavailableException noTestcontainers(NoClassDefFoundError missing) {
        return new StoreUnavailableException(
                "-D%s=testcontainers needs org.testcontainers:testcontainers-postgresql on the test class path (%s is missing). Add it with scope test, or use %s."
                        .formatted(
                                TestServer.CHOICE,
                                String.valueOf(missing.getMessage()).replace('/', '.'),
                                EMBEDDED),
                missing);
    }

    static StoreUnavailableException noDocker() {
        return new StoreUnavailableException(
                "-D%s=testcontainers needs Docker, and none answers here. Usually it is not started, or this user may not use it (docker info tells). Or use %s, which needs none."
                        .formatted(TestServer.CHOICE, EMBEDDED));
    }

    static StoreUnavailableException refused(String sql, SQLException failure) {
        return new StoreUnavailableException(
                "The test server did not do \"%s\": %s (SQLSTATE %s). Usually this user may not create databases there."
                        .formatted(sql, failure.getMessage(), failure.getSQLState()),
                failure);
    }
}
