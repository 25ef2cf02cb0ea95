package dev.durable.store.postgres.endtoend;

import dev.durable.client.DurableEngine;
import dev.durable.store.contract.RefusedValueContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** PostgreSQL refuses a value that violates a check, as it would refuse a character that it can't store. */
class RefusedValueTest extends RefusedValueContract {
    private final Bench bench = new Bench();

    @Override
    protected DurableEngine.Builder engine() {
        for (List<String> column : List.of(
                List.of("inbox", "payload"),
                List.of("inbox", "notes"),
                List.of("history_event", "attributes"),
                List.of("activity_job", "notes"),
                List.of("activity_job", "last_failure"),
                List.of("activity_heartbeat", "details"),
                List.of("workflow_run", "result"))) {
            execute("alter table durable." + column.get(0) + " add constraint refuses_" + column.get(1) + " check ("
                    + column.get(1) + "::text not like '%" + REFUSED + "%')");
        }
        return bench.engine();
    }

    @Override
    protected void closeStore() {
        bench.close();
    }

    private void execute(String sql) {
        try (Connection connection = bench.direct().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
