package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityStream;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StreamReader;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowTree;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Parents, trees of children and writers of streams on two worker processes of which one is killed again and again: each
 * child is started exactly once and tells its outcome once, a tree that is cancelled or terminated leaves no run open, and
 * each entry of a stream is written once.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class ChildKillTest {
    private static final int CHILDREN = Integer.getInteger("children", 300);
    private static final int BRANCHES = Integer.getInteger("children.branches", 10);
    private static final int LEAVES = Integer.getInteger("children.leaves", 10);

    private static final int CHAPTERS = Integer.getInteger("streams.chapters", 30);
    private static final int WORDS = 25;
    private static final int KILLS = Integer.getInteger("children.kills", 2);

    private final TestDatabase database = TestDatabase.migrated();
    private final WorkerProcesses workers = new WorkerProcesses(database, Worker.class);

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

    /** Starts as many children as the first number says, each of which gets the others; then sleeps. */
    @Workflow
    static class Tree {
        @Run
        public void run(List<Integer> widths, ParentClosePolicy policy) {
            int below = widths.isEmpty() ? 0 : widths.getFirst();
            for (int i = 0; i < below; i++) {
                Durable.startVoidChild(
                        Tree.class,
                        ChildOptions.defaults().parentClosePolicy(policy),
                        w -> w.run(widths.subList(1, widths.size()), policy));
            }
            Durable.sleep(Duration.ofDays(1));
        }
    }

    /** Appends the title of each chapter and has an activity append its words; continues as new after every tenth. */
    @Workflow
    static class Novel {
        private final Chapters author;

        Novel(Chapters author) {
            this.author = author;
        }

        @Run
        public void run(int first, int chapters) {
            for (int i = first; i < chapters; i++) {
                Durable.stream("text", String.class).append("chapter " + i);
                author.write(i);
                if (i % 10 == 9) {
                    int next = i + 1;
                    throw Durable.continueAsNew(Novel.class, w -> w.run(next, chapters));
                }
            }
        }
    }

    @Activity(startToClose = "20s", retry = @Retry(initialInterval = "50ms"))
    interface Chapters {
        void write(int chapter);
    }

    /** Goes on where the attempt before it was lost. */
    private static void writeWords(int chapter) {
        ActivityStream<String> text = ActivityContext.current().stream("text", String.class);
        for (long word = text.appendedBefore(); word < WORDS; word++) {
            text.append(chapter + "-" + word);
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
        workers.close();
        database.close();
    }

    @Test
    void a_parent_that_is_killed_while_it_starts_children_starts_each_once() throws Exception {
        workers.start(2);
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Parent, Integer> parent =
                    engine.client().start(Parent.class, "parent", w -> w.run(CHILDREN));
            for (int kills = 0; kills < KILLS; kills++) {
                int until = CHILDREN * (kills + 1) / (KILLS + 2);
                Sql.await(Duration.ofMinutes(1), () -> started() >= until);
                workers.replace(kills % 2);
            }

            assertThat(parent.result(Duration.ofMinutes(3))).isEqualTo(CHILDREN * (CHILDREN - 1) / 2);
        }
        assertThat(started()).isEqualTo(CHILDREN);
        assertThat(number("select count(*) from durable.v_history where type = 'ChildCompleted'"))
                .isEqualTo(CHILDREN);
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    @Test
    @EnabledIfSystemProperty(named = "children.kills", matches = "\\d+", disabledReason = "-Pthorough")
    void a_tree_that_is_terminated_while_a_worker_is_killed_leaves_no_orphan() throws Exception {
        ends(ParentClosePolicy.ABANDON, tree -> tree.terminate("enough"));
    }

    @Test
    void a_tree_that_is_cancelled_while_a_worker_is_killed_leaves_no_orphan() throws Exception {
        ends(ParentClosePolicy.ABANDON, tree -> tree.cancel("enough"));
    }

    @Test
    @EnabledIfSystemProperty(named = "children.kills", matches = "\\d+", disabledReason = "-Pthorough")
    void the_end_of_the_root_ends_the_tree_while_a_worker_is_killed() throws Exception {
        workers.start(2);
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Tree, ?> root = grown(engine, ParentClosePolicy.TERMINATE);
            workers.replace(0);
            root.terminate("enough");
            workers.replace(1);

            awaitNoneOpen();
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    @Test
    void code_and_activities_whose_worker_is_killed_append_each_entry_once_and_in_order() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < CHAPTERS; i++) {
            expected.add("chapter " + i);
            for (int word = 0; word < WORDS; word++) {
                expected.add(i + "-" + word);
            }
        }
        workers.start(2);
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Novel, ?> novel = engine.client().startVoid(Novel.class, "novel", w -> w.run(0, CHAPTERS));
            CompletableFuture<List<String>> read = CompletableFuture.supplyAsync(() -> readAll(novel));
            for (int kills = 0; kills < KILLS; kills++) {
                long until = (long) expected.size() * (kills + 1) / (KILLS + 2);
                Bench.awaitThat(
                        () -> number("select coalesce(max(next_offset), 0) from durable.workflow_stream") >= until);
                workers.replace(kills % 2);
            }

            assertThat(read.get(3, TimeUnit.MINUTES)).as("read live").isEqualTo(expected);
            assertThat(readAll(novel)).as("read afterwards").isEqualTo(expected);
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private static List<String> readAll(WorkflowHandle<?, ?> run) {
        List<String> values = new ArrayList<>();
        try (StreamReader<String> reader = run.stream("text", String.class).from(0)) {
            reader.forEachRemaining(entry -> values.add(entry.value()));
        }
        return values;
    }

    private void ends(ParentClosePolicy policy, Consumer<WorkflowTree> how) throws Exception {
        workers.start(2);
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(4)).clientOnly().start()) {
            WorkflowHandle<Tree, ?> root = grown(engine, policy);
            assertThat(root.tree().openRuns()).isEqualTo(Map.of("Tree", 1L + BRANCHES + (long) BRANCHES * LEAVES));
            workers.replace(0);
            how.accept(root.tree());
            workers.replace(1);

            awaitNoneOpen();
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private WorkflowHandle<Tree, ?> grown(DurableEngine engine, ParentClosePolicy policy) {
        engine.client().startVoid(Tree.class, "root", w -> w.run(List.of(BRANCHES, LEAVES), policy));
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

    /** A worker, until it is killed. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcesses.serve(
                    arguments,
                    engine -> engine.register(Parent.class, Child.class, Tree.class, Novel.class)
                            .activity(Chapters.class, ChildKillTest::writeWords));
        }
    }
}
