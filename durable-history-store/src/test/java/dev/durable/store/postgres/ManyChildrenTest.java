package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A parent that starts very many children at once: the statements and the rows that each child costs do not grow with
 * their number. {@code -Dchildren.many=10000} is the full size.
 */
@Tag("slow")
@Timeout(900)
class ManyChildrenTest {
    private static final int FEW = Integer.getInteger("children.few", 100);
    private static final int MANY = Integer.getInteger("children.many", 600);
    /** The tables that a start, an outcome and a step of the parent touch. */
    private static final List<String> TABLES = List.of("run_state", "workflow_run", "inbox", "outbox", "history_event");

    @Workflow
    static class Leaf {
        @Run
        int run(int number) {
            return number;
        }
    }

    @Workflow
    static class Family {
        @Run
        long run(int children) {
            List<Promise<Integer>> results = new ArrayList<>();
            for (int i = 1; i <= children; i++) {
                int number = i;
                results.add(Durable.startChild(Leaf.class, w -> w.run(number)).resultPromise());
            }
            return Promise.all(results).stream().mapToLong(Integer::longValue).sum();
        }
    }

    /**
     * What a parent with its children has cost.
     *
     * @param statements round trips to the database
     * @param visits rows that were read, by table
     */
    private record Cost(int children, long millis, long statements, Map<String, Long> visits) {
        double visitsOf(String table) {
            return (double) visits.get(table) / children;
        }

        @Override
        public String toString() {
            return String.format(
                    "%,d children: %,d ms, %.1f round trips and %s rows visited for each",
                    children,
                    millis,
                    (double) statements / children,
                    TABLES.stream()
                            .map(table -> String.format("%s %.1f", table, visitsOf(table)))
                            .toList());
        }
    }

    @Test
    void each_child_of_many_costs_what_each_of_few_costs() throws SQLException {
        Cost few = costOf(FEW);
        Cost many = costOf(MANY);

        System.out.println(few);
        System.out.println(many);
        assertThat((double) many.statements() / many.children())
                .as("round trips for a child")
                .isLessThan(Math.max(4, 1.5 * few.statements() / few.children()));
        for (String table : TABLES) {
            assertThat(many.visitsOf(table))
                    .as("rows of %s that a child costs", table)
                    .isLessThan(Math.max(20, 2 * few.visitsOf(table)));
        }
    }

    private static Cost costOf(int children) throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            AtomicLong statements = new AtomicLong();
            long begun = System.nanoTime();
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(
                            counted(DataSource.class, database.pooledDataSource(8), statements)))
                    .register(Family.class, Leaf.class)
                    .start()) {
                WorkflowHandle<Family, Long> run = engine.client().start(Family.class, "family", w -> w.run(children));

                assertThat(run.result(Duration.ofMinutes(10))).isEqualTo((long) children * (children + 1) / 2);

                long millis = (System.nanoTime() - begun) / 1_000_000;
                long sent = statements.get();
                Map<String, Long> visits = visits(database, children);
                assertThat(run.describe().historyLength()).isEqualTo(2L * children + 2);
                hotStatementsGoByIndex(database);
                assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
                return new Cost(children, millis, sent, visits);
            }
        }
    }

    /** The plans with the statistics and the sizes that the tables have now. */
    private static void hotStatementsGoByIndex(TestDatabase database) {
        Sql.execute(database.dataSource(), "analyze");
        List<Object[]> statements = PlanTest.statements().toList();
        assertThat(statements).isNotEmpty();
        statements.stream()
                .filter(named -> named[0].toString().matches("(StartSql|RelaySql|TransitionSql|MessageSql|ClaimSql).*"))
                .forEach(named -> {
                    try {
                        PlanTest.assertGoesByIndex(database, (String) named[0], (String) named[1]);
                    } catch (SQLException e) {
                        throw new IllegalStateException(named[0].toString(), e);
                    }
                });
    }

    /** The rows that were read so far, once the server has counted those of all sessions. */
    private static Map<String, Long> visits(TestDatabase database, int children) {
        assertThat(Sql.await(
                        Duration.ofMinutes(1),
                        () -> Sql.number(
                                        database.dataSource(),
                                        "select n_tup_ins from pg_stat_user_tables where relname = 'workflow_run'")
                                > children))
                .as("the server has counted")
                .isTrue();
        Map<String, Long> visits = new LinkedHashMap<>();
        for (String table : TABLES) {
            visits.put(
                    table,
                    Sql.number(
                            database.dataSource(),
                            "select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) from pg_stat_user_tables"
                                    + " where relname like '" + table + "%'"));
        }
        return visits;
    }

    private static <T> T counted(Class<T> type, Object target, AtomicLong statements) {
        return type.cast(Proxy.newProxyInstance(
                ManyChildrenTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        statements.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return switch (method.getName().equals("unwrap") ? null : result) {
                            case Connection connection -> counted(Connection.class, connection, statements);
                            case PreparedStatement prepared -> counted(PreparedStatement.class, prepared, statements);
                            case Statement statement -> counted(Statement.class, statement, statements);
                            case null, default -> result;
                        };
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
