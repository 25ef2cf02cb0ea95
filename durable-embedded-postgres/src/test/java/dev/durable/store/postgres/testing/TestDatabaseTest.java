package dev.durable.store.postgres.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;

class TestDatabaseTest {

    @Test
    void each_is_empty_whatever_was_done_to_the_one_before() throws Exception {
        try (TestDatabase first = TestDatabase.create()) {
            execute(first.dataSource(), "CREATE TABLE note (text text)");
            try (TestDatabase second = TestDatabase.create()) {
                assertThat(second.name()).isNotEqualTo(first.name());
                assertThat(tables(second.dataSource())).isZero();
            }
        }
    }

    @Test
    void a_copy_has_what_the_original_has() throws Exception {
        try (TestDatabase original = TestDatabase.create()) {
            execute(original.dataSource(), "CREATE TABLE note (text text)");
            try (TestDatabase copy = TestDatabase.copyOf(original)) {
                assertThat(tables(copy.dataSource())).isEqualTo(1);
            }
        }
    }

    @Test
    void it_is_dropped_when_it_is_closed_even_while_somebody_is_connected() throws Exception {
        TestDatabase database = TestDatabase.create();
        DataSource pool = database.pooledDataSource(2);
        assertThat(tables(pool)).isZero();
        try (Connection forgotten = database.dataSource().getConnection()) {
            database.close();
            database.close();
            assertThat(forgotten.isValid(1)).isFalse();
        }
        assertThatThrownBy(() -> tables(database.dataSource())).isInstanceOf(SQLException.class);
        assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
    }

    @Test
    void a_choice_that_there_is_not_is_named() {
        assertThatThrownBy(() -> TestServer.start("h2", Map.of()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "-Ddurable.test.postgres=h2 names no server for tests: it is embedded (the default), testcontainers or url.");
    }

    @Test
    void a_server_of_your_own_must_be_named() {
        assertThatThrownBy(() -> TestServer.start("url", Map.of()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "-Ddurable.test.postgres=url needs the environment variable DURABLE_JDBC_URL (and DURABLE_JDBC_USER, DURABLE_JDBC_PASSWORD), of a server where this user may create databases. Or use -Ddurable.test.postgres=embedded.");
    }

    @Test
    void a_server_of_your_own_is_used() throws Exception {
        TestServer shared = TestServer.shared();
        String url = shared.url() + (shared.url().contains("?") ? "&" : "?") + "ApplicationName=mine";
        TestServer named = TestServer.start(
                "url",
                Map.of(
                        "DURABLE_JDBC_URL", url,
                        "DURABLE_JDBC_USER", String.valueOf(shared.user()),
                        "DURABLE_JDBC_PASSWORD", String.valueOf(shared.password())));
        assertThat(named.dataSource("elsewhere").getUrl())
                .contains("/elsewhere?")
                .contains("ApplicationName=mine");
        assertThat(tables(named.dataSource())).isZero();
    }

    @Test
    void containers_run_or_the_error_says_why_there_are_none() throws Exception {
        if (DockerClientFactory.instance().isDockerAvailable()) {
            assertThat(tables(TestServer.start("testcontainers", Map.of()).dataSource()))
                    .isZero();
        } else {
            assertThatThrownBy(() -> TestServer.start("testcontainers", Map.of()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage(
                            "-Ddurable.test.postgres=testcontainers needs Docker, and none answers here. Usually it is not started, or this user may not use it (docker info tells). Or use -Ddurable.test.postgres=embedded, which needs none.");
        }
    }

    @Test
    void a_missing_library_is_named() {
        assertThat(TestServerErrors.noTestcontainers(
                        new NoClassDefFoundError("org/testcontainers/DockerClientFactory")))
                .hasMessage(
                        "-Ddurable.test.postgres=testcontainers needs org.testcontainers:testcontainers-postgresql on the test class path (org.testcontainers.DockerClientFactory is missing). Add it with scope test, or use -Ddurable.test.postgres=embedded.");
    }

    private static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int tables(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
            result.next();
            return result.getInt(1);
        }
    }
}
