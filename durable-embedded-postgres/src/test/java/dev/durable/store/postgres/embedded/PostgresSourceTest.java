package dev.durable.store.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.JdbcUrl;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresSourceTest {
    private static final String SECRET = "s3cret";

    @TempDir
    Path folder;

    @Test
    void without_a_word_from_the_environment_it_is_the_embedded_server() throws Exception {
        try (PostgresSource source = PostgresSource.open(Map.of(), folder)) {
            assertThat(source.description())
                    .matches("embedded PostgreSQL in " + folder + " \\(jdbc:postgresql://127.0.0.1:\\d+/postgres\\)");
            try (Connection connection = source.dataSource().getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
        }
        assertThat(folder.resolve("attached")).as("and is stopped with it").doesNotExist();
    }

    @Test
    void the_server_that_the_environment_names_is_used() throws Exception {
        try (TestDatabase database = TestDatabase.create();
                PostgresSource source = PostgresSource.open(
                        Map.of(
                                "DURABLE_JDBC_URL", database.jdbcUrl(),
                                "DURABLE_JDBC_USER", database.username(),
                                "DURABLE_JDBC_PASSWORD", database.password()),
                        folder)) {
            assertThat(source.description()).contains(database.name()).doesNotContain(database.password());
            try (Connection connection = source.dataSource().getConnection()) {
                assertThat(connection.getCatalog()).isEqualTo(database.name());
            }
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void a_server_that_does_not_answer_is_named_without_its_password() throws Exception {
        int port = freePort();
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/orders?user=ann&password=" + SECRET + "&ssl=false";
        assertThatThrownBy(() -> open(url))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "PostgreSQL at jdbc:postgresql://127.0.0.1:%1$d/orders?user=ann&password=***&ssl=false cannot be used: Connection to 127.0.0.1:%1$d refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections. (SQLSTATE 08001). Usually no server runs there, or a firewall is between: start it, correct DURABLE_JDBC_URL, or unset DURABLE_JDBC_URL to use the embedded one.",
                        port)
                .satisfies(failure -> assertThat(whole(failure)).doesNotContain(SECRET));
    }

    @Test
    void a_wrong_password_is_called_that() {
        try (TestDatabase database = TestDatabase.create()) {
            assertThatThrownBy(() -> open(database.jdbcUrl() + "?user=ann&password=" + SECRET))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("user=ann&password=*** cannot be used: FATAL: password authentication failed")
                    .hasMessageEndingWith(
                            "(SQLSTATE 28P01). Usually user or password are wrong: see DURABLE_JDBC_USER and DURABLE_JDBC_PASSWORD, or the server's pg_hba.conf.")
                    .satisfies(failure -> assertThat(whole(failure)).doesNotContain(SECRET));
        }
    }

    @Test
    void a_database_that_is_missing_is_called_that() {
        try (TestDatabase database = TestDatabase.create()) {
            String url = database.jdbcUrl().replace(database.name(), "nowhere");
            assertThatThrownBy(() -> PostgresSource.open(
                            Map.of(
                                    "DURABLE_JDBC_URL", url,
                                    "DURABLE_JDBC_USER", database.username(),
                                    "DURABLE_JDBC_PASSWORD", database.password()),
                            folder))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageEndingWith(
                            "(SQLSTATE 3D000). The server answers, but has no such database: create it (createdb), or correct DURABLE_JDBC_URL.");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "postgres://ann:s3cret@host/orders,                  postgres://ann:***@host/orders",
        "jdbc:postgresql://ann:s3@cret@host/orders,          jdbc:postgresql://ann:***@host/orders",
        "jdbc:mysql://host/orders?password=s3cret,           jdbc:mysql://host/orders?password=***",
        "jdbc:postgresql://host:port/orders?password=s3cret, jdbc:postgresql://host:***/orders?password=***",
        "jdbc:postgresql://shop:s3cret@host/orders,          jdbc:postgresql://shop:***@host/orders",
        "jdbc:postgresql://shop:s3/cret@host/orders,         jdbc:postgresql://shop:***@host/orders",
        "jdbc:postgresql://shop:s3?cret@host/orders,         jdbc:postgresql://shop:***@host/orders",
        "jdbc:postgresql://shop:s3cret@localhost:5432/orders, jdbc:postgresql://shop:***@localhost:5432/orders",
        "jdbc:postgresql:shop:s3cret@localhost/orders,       jdbc:postgresql:shop:***@localhost/orders",
        "shop:s3cret@localhost/orders,                       shop:***@localhost/orders",
        "jdbc:postgresql://shop:s3cret/orders,               jdbc:postgresql://shop:***/orders",
        "jdbc:postgresql://host?password=s3cret,             jdbc:postgresql://host?password=***",
        "jdbc:postgresql://host/a/b?password=s3cret,         jdbc:postgresql://host/a/b?password=***",
        "jdbc:postgresql://host/a?password=s3cret%,          jdbc:postgresql://host/a?password=***",
    })
    void what_is_no_url_of_the_driver_is_shown_without_its_password(String url, String shown) {
        StringBuilder logged = new StringBuilder();
        assertThatThrownBy(() -> listening(logged, () -> open(url)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "DURABLE_JDBC_URL is \"%s\", which is no URL of PostgreSQL's JDBC driver. Write jdbc:postgresql://host:port/database, and user and password into DURABLE_JDBC_USER and DURABLE_JDBC_PASSWORD.",
                        shown)
                .hasNoCause()
                .satisfies(failure ->
                        assertThat(whole(failure) + logged).doesNotContain(SECRET, "s3@cret", "s3/cret", "s3?cret"));
        assertThat(logged).as("the driver has not seen it").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql:orders",
                "jdbc:postgresql://host/",
                "jdbc:postgresql:///orders",
                "jdbc:postgresql://host:5432/orders?user=ann@example.org&password=a%40b/c:d@e",
                "jdbc:postgresql://one:5432,two/orders?targetServerType=primary",
                "jdbc:postgresql://[::1]:5432/orders",
                "jdbc:postgresql://my-host_1.example.org/my%20orders",
            })
    void what_is_a_url_of_the_driver_is_taken(String url) {
        assertThat(PostgresSource.simpleDataSource(url, Map.of())).isNotNull();
    }

    /** Collects everything that the driver logs and prints meanwhile. */
    private static void listening(StringBuilder logged, Runnable what) {
        Logger driver = Logger.getLogger("org.postgresql");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.append(new SimpleFormatter().format(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        handler.setLevel(Level.ALL);
        Level before = driver.getLevel();
        driver.setLevel(Level.ALL);
        driver.addHandler(handler);
        try {
            what.run();
        } finally {
            driver.removeHandler(handler);
            driver.setLevel(before);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql:db?password=x&user=u,            jdbc:postgresql:db?password=***&user=u",
        "jdbc:postgresql://h/db?sslpassword=x,            jdbc:postgresql://h/db?sslpassword=***",
        "jdbc:postgresql://h/db?PassWord=x,               jdbc:postgresql://h/db?PassWord=***",
        "jdbc:postgresql://h/db?password=a%26b?c=d&user=u, jdbc:postgresql://h/db?password=***&user=u",
        "jdbc:postgresql://h/db?user=ann@example.org,     jdbc:postgresql://h/db?user=ann@example.org",
        "jdbc:postgresql://h/db?password=a;b&user=u,      jdbc:postgresql://h/db?password=***&user=u",
        "jdbc:postgresql://h/db?pass%77ord=x&user=u,      jdbc:postgresql://h/db?pass%77ord=***&user=u",
        "jdbc:postgresql://h/db?password%3Dx,             jdbc:postgresql://h/db***",
        "jdbc:postgresql://h/db?sslpassphrase=x,          jdbc:postgresql://h/db?sslpassphrase=***",
        "jdbc:postgresql://h/db?pass=x,                   jdbc:postgresql://h/db?pass=***",
        "jdbc:postgresql://h/db?options=-c%20app.token%3Dx, jdbc:postgresql://h/db?options=***",
        "jdbc:postgresql://h/db?options=-c%20search_path%3Dx, jdbc:postgresql://h/db?options=-c%20search_path%3Dx",
        "jdbc:postgresql://h/db?user=u#password=x,        jdbc:postgresql://h/db?user=u#***",
        "jdbc:postgresql://h/db?password=a#b,             jdbc:postgresql://h/db?password=***#***",
        "jdbc:sqlserver://h;user=u;password={a;b},        jdbc:sqlserver://h;user=u;password=***",
        "jdbc:postgresql://h/db?ApplicationName=passenger, jdbc:postgresql://h/db?ApplicationName=passenger",
        "'jdbc:postgresql://h:1,h:2/db',                  'jdbc:postgresql://h:1,h:2/db'",
    })
    void a_url_is_shown_without_what_is_secret_in_it(String url, String shown) {
        assertThat(JdbcUrl.withoutSecrets(url)).isEqualTo(shown);
    }

    @Test
    void a_url_of_many_servers_is_read_to_its_end() {
        assertThat(JdbcUrl.isOfDriver("jdbc:postgresql://" + "h,".repeat(100_000) + "h/db"))
                .isTrue();
        assertThat(JdbcUrl.isOfDriver("jdbc:postgresql://" + "h,".repeat(100_000)))
                .isFalse();
    }

    @Test
    void a_user_without_a_server_is_a_mistake() {
        assertThatThrownBy(() -> PostgresSource.open(Map.of("DURABLE_JDBC_USER", "ann"), folder))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "DURABLE_JDBC_USER or DURABLE_JDBC_PASSWORD is set, but not DURABLE_JDBC_URL: which server are they for? Set it too, or unset them to use the embedded server.");
    }

    private PostgresSource open(String url) {
        return PostgresSource.open(Map.of("DURABLE_JDBC_URL", url), folder);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** With all causes, as a log would show it. */
    private static String whole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
