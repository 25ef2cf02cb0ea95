package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThatCode;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first joining(connection) of a process whose callers hold all connections of the pool. */
class BreakJoinTest {
    @Test
    void joining_needs_no_second_connection() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            HikariDataSource pool = (HikariDataSource) database.pooledDataSource(3);
            pool.setConnectionTimeout(1_000);
            try (PostgresHistoryStore store = PostgresHistoryStore.builder(pool).build()) {
                store.open();
                List<Connection> held = new ArrayList<>();
                try {
                    for (int i = 0; i < 3; i++) {
                        held.add(pool.getConnection());
                        held.get(i).setAutoCommit(false);
                    }
                    assertThatCode(() -> store.joined(held.getFirst())).doesNotThrowAnyException();
                } finally {
                    for (Connection one : held) {
                        one.rollback();
                        one.close();
                    }
                }
            }
        }
    }
}
