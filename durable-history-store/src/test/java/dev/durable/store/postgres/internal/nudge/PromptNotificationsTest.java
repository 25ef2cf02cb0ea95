package dev.durable.store.postgres.internal.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Trials;
import dev.durable.store.postgres.PostgresFixture;
import dev.durable.store.postgres.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class PromptNotificationsTest {
    private static final int TIMES = 1_000;

    /** A thousand waits of a millisecond take more than half a second, and a thousand reads take some milliseconds. */
    private static final Duration WITHOUT_WAITING = Duration.ofMillis(500);

    @Test
    void the_driver_has_the_fields_and_looks_without_waiting_until_they_are_set_back() throws Exception {
        Trials.once(number -> looksWithoutWaitingUntilTheyAreSetBack());
    }

    private static void looksWithoutWaitingUntilTheyAreSetBack() throws SQLException {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            try (PromptNotifications prompt = PromptNotifications.on(connection)) {
                assertThat(prompt.isInForce()).isTrue();
                assertThat(looks(connection)).isLessThan(WITHOUT_WAITING);
            }
            assertThat(looks(connection)).isGreaterThan(WITHOUT_WAITING);
        }
    }

    @Test
    void what_was_notified_in_one_moment_comes_together_and_nothing_is_lost() throws SQLException {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection();
                PromptNotifications prompt = PromptNotifications.on(connection)) {
            assertThat(prompt.isInForce()).isTrue();
            try (var listen = connection.createStatement()) {
                listen.execute("listen prompt");
            }
            Sql.execute(PostgresFixture.pool(), "select pg_notify('prompt', n::text) from generate_series(1, 100) n");

            Stream.Builder<String> heard = Stream.builder();
            for (int left = 100; left > 0; ) {
                PGNotification[] some = connection.unwrap(PGConnection.class).getNotifications(10_000);
                assertThat(some).isNotEmpty();
                Stream.of(some).map(PGNotification::getParameter).forEach(heard);
                left -= some.length;
            }
            assertThat(heard.build()).hasSize(100).doesNotHaveDuplicates().startsWith("1", "2", "3");
        }
    }

    private static Duration looks(Connection connection) throws SQLException {
        long before = System.nanoTime();
        for (int i = 0; i < TIMES; i++) {
            connection.unwrap(PGConnection.class).getNotifications();
        }
        return Duration.ofNanos(System.nanoTime() - before);
    }
}
