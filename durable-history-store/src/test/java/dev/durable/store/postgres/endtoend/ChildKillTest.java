package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowTree;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Parents and trees of children on two worker processes of which one is killed again and again: each child is started
 * exactly once and tells its outcome once, and a tree that is cancelled or terminated leaves no run open.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class ChildKillTest {
    private static final int CHILDREN = Integer.getInteger("children", 600);
    private static final int BRANCHES = Integer.getInteger("children.branches", 10);
    private static final int LEAVES = Integer.getInteger("children.leaves", 10);

    private final TestDatabase database = TestDatabase.migrated();
    private final List<Process> workers = new ArrayList<>();

    /** Starts children and counts the results. */
    @Workflow
    static class Parent {
        @Run
        public int run(int children) {
            List<Promise<Integer>> results = new ArrayList<>();
            for (int i = 0; i < children; i++) {
                int number = i;
                ChildHandle<Child, Integer> child =
                        Durable.startChild(Child.class, ChildOptions.id("child-" + i), w -> w.run(number));
                results.add(child.resultPromise());
                if (i % 100 == 99) {
                    Durable.sleep(Duration.ofMillis(20));
                }
            }
            return Promise.all(results).stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** Returns its number. */
    @Workflow
    static class Child {
        @Run
        public int run(int number) {
            return number;
        }
    }

    /** Starts branches, which start leaves, which sleep. */
    @Workflow
    static class Tree {
        @Run
        public void run(int level, ParentClosePolicy policy) {
            int below = level == 0 ? BRANCHES : level == 1 ? LEAVES : 0;
            for (int i = 0; i < below; i++) {
                Durable.startVoidChild(
                        Tree.class, ChildOptions.defaults().parentClosePolicy(policy), w -> w.run(level + 1, policy));
            }
            Durable.sleep(Duration.ofDays(1));
        }
    }

    @BeforeEach
    void open() {
        try (var store = dev.durable.store.postgres.PostgresHistoryStore.of(database.dataSource())) {
            store.open();
        }
    }

    @AfterEach
    void drop() throws InterruptedException {
        for (Process worker : workers) {
            worker.destroyForcibly().waitFor();
        }
        database.close();
    }

    @Test
    void a_parent_that_is_killed_while_it_starts_children_starts_each_once() throws Exception {
        startWorkers();
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Parent, Integer> parent =
                    engine.client().start(Parent.class, "parent", w -> w.run(CHILDREN));
            for (int kills = 0; kills < 4; kills++) {
                int until = CHILDREN * (kills + 1) / 6;
                Sql.await(Duration.ofMinutes(1), () -> started() >= until);
                kill(kills % workers.size());
            }

            assertThat(parent.result(Duration.ofMinutes(3))).isEqualTo(CHILDREN * (CHILDREN - 1) / 2);
        }
        assertThat(started()).isEqualTo(CHILDREN);
        assertThat(number("select count(*) from durable.v_history where type = 'ChildCompleted'"))
                .isEqualTo(CHILDREN);
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    @Test
    void a_tree_that_is_terminated_while_a_worker_is_killed_leaves_no_orphan() throws Exception {
        ends(ParentClosePolicy.ABANDON, tree -> tree.terminate("enough"));
    }

    @Test
    void a_tree_that_is_cancelled_while_a_worker_is_killed_leaves_no_orphan() throws Exception {
        ends(ParentClosePolicy.ABANDON, tree -> tree.cancel("enough"));
    }

    @Test
    void the_end_of_the_root_ends_the_tree_while_a_worker_is_killed() throws Exception {
        startWorkers();
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Tree, ?> root = grown(engine, ParentClosePolicy.TERMINATE);
            kill(0);
            root.terminate("enough");
            kill(1);

            awaitNoneOpen();
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private void ends(ParentClosePolicy policy, Consumer<WorkflowTree> how) throws Exception {
        startWorkers();
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Tree, ?> root = grown(engine, policy);
            assertThat(root.tree().openRuns()).isEqualTo(Map.of("Tree", 1L + BRANCHES + (long) BRANCHES * LEAVES));
            kill(0);
            how.accept(root.tree());
            kill(1);

            awaitNoneOpen();
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private WorkflowHandle<Tree, ?> grown(DurableEngine engine, ParentClosePolicy policy) {
        engine.client().startVoid(Tree.class, "root", w -> w.run(0, policy));
        long all = 1L + BRANCHES + (long) BRANCHES * LEAVES;
        assertThat(Sql.await(
                        Duration.ofMinutes(2),
                        () -> number("select count(*) from durable.run_state where next_event_id > 2") == all))
                .as("the tree has grown")
                .isTrue();
        return engine.client().handle(Tree.class, "root");
    }

    private void awaitNoneOpen() {
        assertThat(Sql.await(Duration.ofMinutes(3), () -> number("select count(*) from durable.run_state") == 0))
                .as("no run is open")
                .isTrue();
    }

    private long started() {
        return number("select count(*) from durable.workflow_run where parent_chain is not null");
    }

    private long number(String query) {
        return Sql.number(database.dataSource(), query);
    }

    private void startWorkers() throws IOException {
        workers.add(startWorker());
        workers.add(startWorker());
    }

    private void kill(int worker) throws Exception {
        workers.get(worker).destroyForcibly().waitFor();
        workers.set(worker, startWorker());
    }

    private Process startWorker() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = process.inputReader();
        String line = lines.readLine();
        while (line != null && !line.equals(Worker.READY)) {
            line = lines.readLine();
        }
        assertThat(line).as("the worker has started").isNotNull();
        return process;
    }

    /** A worker, until it is killed. */
    static final class Worker {
        static final String READY = "ready";

        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(arguments[0]);
            config.setUsername(arguments[1]);
            config.setPassword(arguments[2]);
            config.setMaximumPoolSize(8);
            config.setMinimumIdle(1);
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine = Bench.takingOverSoon(pool)
                            .register(Parent.class, Child.class, Tree.class)
                            .start()) {
                System.out.println(engine.healthy() ? READY : "not healthy");
                Thread.currentThread().join();
            }
        }
    }
}
