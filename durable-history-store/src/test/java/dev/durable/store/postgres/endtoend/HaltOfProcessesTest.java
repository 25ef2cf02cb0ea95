package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two worker processes under load are halted by a third: by the clock of the database, no body begins a second later. */
@Timeout(300)
@Tag("slow")
class HaltOfProcessesTest {
    private static final int RUNS = 6;
    private static final String ALL = "select count(*) from begun";

    @Activity(startToClose = "5m")
    interface Desk {
        /** Returns whether there is more to do. */
        boolean step();

        @Activity(local = true)
        boolean local();
    }

    /** Notes when each body begins, by the clock of the database. */
    private record Worker(DataSource dataSource) implements Desk {
        @Override
        public boolean step() {
            return Sql.number(
                            dataSource,
                            "with b as (insert into begun values (clock_timestamp()) returning 1)"
                                    + " select count(*) from b where not exists (select from enough)")
                    == 1;
        }

        @Override
        public boolean local() {
            return step();
        }
    }

    /** Calls an activity again and again, until it says that it is enough. */
    @Workflow(name = "Steps")
    static class Steps {
        private final Desk desk;

        Steps(Desk desk) {
            this.desk = desk;
        }

        @Run
        int run(String kind) {
            int steps = 1;
            while (kind.equals("local") ? desk.local() : desk.step()) {
                Durable.sleep(Duration.ofMillis(kind.equals("timer") ? 20 : 1));
                steps++;
            }
            return steps;
        }
    }

    /** A worker process, started by the test. */
    public static void main(String[] arguments) throws InterruptedException {
        try (HikariDataSource own = new HikariDataSource()) {
            own.setJdbcUrl(arguments[0]);
            own.setUsername(arguments[1]);
            own.setPassword(arguments[2]);
            own.setMaximumPoolSize(4);
            WorkerProcesses.serve(
                    arguments, builder -> builder.register(Steps.class).activity(Desk.class, new Worker(own)));
        }
    }

    @Test
    void no_body_begins_in_any_process_a_second_after_the_return_of_a_halt() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine operator = Bench.engineOn(database.pooledDataSource(8))
                        .register(Steps.class)
                        .clientOnly()
                        .start();
                WorkerProcesses workers = new WorkerProcesses(database, HaltOfProcessesTest.class)) {
            DataSource sql = database.pooledDataSource(2);
            Sql.execute(sql, "create table begun (at timestamptz); create table enough (at timestamptz)");
            workers.start(2);
            DurableClient client = operator.client();
            for (int i = 0; i < RUNS; i++) {
                String kind = List.of("job", "local", "timer").get(i % 3);
                client.start(Steps.class, "run-" + i, w -> w.run(kind));
            }
            Bench.awaitThat(() -> Sql.number(sql, ALL) > 100);

            client.queues().by("ann").because("the provider is down").halt();
            String returned = Sql.column(sql, "select clock_timestamp()").getFirst();

            client.start(Steps.class, "later-1", w -> w.run("job"));
            client.start(Steps.class, "later-2", w -> w.run("local"));
            Bench.awaitThat(() -> Sql.number(
                            sql, "select (clock_timestamp() > '" + returned + "'::timestamptz + interval '4 s')::int")
                    == 1);
            long late = Sql.number(sql, ALL + " where at >= '" + returned + "'::timestamptz + interval '1 s'");
            assertThat(late)
                    .as("bodies that began a second after the halt's return")
                    .isZero();
            long before = Sql.number(sql, ALL);

            client.queues().by("ann").endHalt();
            Bench.awaitThat(() -> Sql.number(sql, ALL) > before + RUNS);
            Sql.execute(sql, "insert into enough values (clock_timestamp())");
            for (int i = 0; i < RUNS; i++) {
                assertThat(client.handle("run-" + i).resultAs(Integer.class, Bench.SOON))
                        .isPositive();
            }
            assertThat(client.handle("later-2").resultAs(Integer.class, Bench.SOON))
                    .isPositive();
            assertThat(SqlInvariants.check(sql)).isEmpty();
        }
    }
}
