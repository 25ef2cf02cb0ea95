package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.RunKey;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The view of activities of one run with many of them. */
class BreakViewTest extends StoreContract {

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void is_read_in_time_that_grows_with_the_run() throws Exception {
        RunKey run = started("order-1");
        long small = read(run, 1, 500);
        long large = read(run, 501, 2_000);
        assertThat(large).as("ms of 2,000 activities; of 500 it was " + small).isLessThan(Math.max(200, small * 8));
    }

    private long read(RunKey run, int from, int to) throws Exception {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection();
                Statement sql = connection.createStatement()) {
            sql.execute("insert into durable.history_event (run_id, event_id, at, shard, type, attributes)"
                    + " select w.run_id, 2 * i + k, now(), w.shard,"
                    + " case k when 0 then 'ActivityScheduled' else 'ActivityCompleted' end,"
                    + " json_build_object('seq', i, 'activity', 'A.b', 'attempt', 1, 'taskQueue', 'q', 'input', '[]')"
                    + " from durable.workflow_run w, generate_series(" + from + ", " + to
                    + ") i, generate_series(0, 1) k"
                    + " where w.workflow_id = 'order-1'");
            sql.execute("update durable.run_state set next_event_id = " + (2 * to + 2));
            sql.execute("analyze durable.history_event");
            long best = Long.MAX_VALUE;
            for (String columns : new String[] {"workflow_id, seq, activity, state, attempt", "*"}) {
                long began = System.nanoTime();
                int rows = 0;
                try (ResultSet all = sql.executeQuery(
                        "select " + columns + " from durable.v_activity where workflow_id = 'order-1'")) {
                    while (all.next()) {
                        rows++;
                    }
                }
                best = (System.nanoTime() - began) / 1_000_000;
                System.out.println("view " + to + " activities, " + rows + " rows, " + columns + ": " + best + " ms");
            }
            return best;
        }
    }
}
