package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A local activity has no ActivityScheduled; the view of activities shows it all the same. */
@Timeout(300)
@Tag("slow")
class LocalActivityViewTest {

    @Activity(local = true)
    interface Lookup {
        int price(String article);
    }

    @Workflow
    static class Quote {
        private final Lookup lookup;

        Quote(Lookup lookup) {
            this.lookup = lookup;
        }

        @Run
        int run(String article) {
            return lookup.price(article);
        }
    }

    @Test
    void v_activity_shows_what_was_called_and_what_it_gave() throws Exception {
        Lookup lookup = String::length;
        try (TestDatabase database = TestDatabase.migrated()) {
            DataSource pool = database.pooledDataSource(16);
            try (DurableEngine engine = Bench.engineOn(pool)
                    .register(Quote.class)
                    .activity(Lookup.class, lookup)
                    .start()) {
                assertThat(engine.client()
                                .start(Quote.class, "q-1", w -> w.run("milk"))
                                .result(Bench.SOON))
                        .isEqualTo(4);
            }
            assertThat(SqlInvariants.check(pool)).isEmpty();
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "select concat_ws(' ', workflow_id, seq, activity, task_queue, state, attempt, input, result)"
                                    + " from durable.v_activity")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("q-1 1 Lookup.price default completed 1 [\"milk\"] 4");
                assertThat(rows.next()).isFalse();
            }
        }
    }
}
