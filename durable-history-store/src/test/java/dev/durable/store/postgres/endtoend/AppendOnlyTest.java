package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that histories can't be rewritten, not even by the owner of the tables. */
@Tag("slow")
class AppendOnlyTest {

    @Workflow
    static class Visit {
        @Run
        String run(String guest) {
            return "hello " + guest;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update durable.history_event set attributes = '{}'",
                "delete from durable.history_event",
                "truncate durable.history_event",
            })
    void the_database_refuses_to_change_history(String statement) throws SQLException {
        try (Bench bench = new Bench();
                DurableEngine engine = bench.engine().register(Visit.class).start()) {
            var visit = engine.client().start(Visit.class, "v-1", w -> w.run("ann"));
            visit.result(Bench.SOON);

            try (Connection connection = bench.dataSource().getConnection();
                    Statement sql = connection.createStatement()) {
                assertThatThrownBy(() -> sql.execute(statement))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("DU002"))
                        .hasMessageContaining("history is append-only")
                        .hasMessageContaining("durable_retention");
            }
            assertThat(visit.history()).hasSize(2);
        }
    }

    @Test
    void the_partitions_below_are_no_back_door() throws SQLException {
        try (Bench bench = new Bench();
                DurableEngine engine = bench.engine().register(Visit.class).start();
                Connection connection = bench.dataSource().getConnection();
                Statement sql = connection.createStatement()) {
            engine.client().start(Visit.class, "v-1", w -> w.run("ann")).result(Bench.SOON);
            String partition;
            try (var rows = sql.executeQuery("select tableoid::regclass from durable.history_event limit 1")) {
                rows.next();
                partition = rows.getString(1);
            }
            assertThat(partition).isNotEqualTo("durable.history_event");
            assertThatThrownBy(() -> sql.execute("delete from " + partition))
                    .hasMessageContaining("history is append-only");
        }
    }
}
