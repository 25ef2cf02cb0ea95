package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Cancels and terminates a run with all children below it. Run on each kind of store. */
abstract class ChildTreeTest {
    /** Starts three branches. */
    @Workflow
    static class Root {
        @Run
        void run(ParentClosePolicy policy) {
            IntStream.range(0, 3)
                    .forEach(i -> Durable.startVoidChild(
                            Branch.class,
                            ChildOptions.id("branch-" + i).parentClosePolicy(policy),
                            w -> w.run(i, policy)));
            Durable.sleep(Duration.ofDays(1));
        }
    }

    /** Starts four leaves; the first branch ends at once, the last one goes on as new. */
    @Workflow
    static class Branch {
        @Run
        void run(int number, ParentClosePolicy policy) {
            if (number < 0) {
                Durable.sleep(Duration.ofDays(1));
                return;
            }
            for (int i = 0; i < 4; i++) {
                String id = "leaf-" + number + "-" + i;
                Durable.startVoidChild(Leaf.class, ChildOptions.id(id).parentClosePolicy(policy), Leaf::run);
            }
            switch (number) {
                case 0 -> {}
                case 2 -> throw Durable.continueAsNew(Branch.class, w -> w.run(-1, policy));
                default -> Durable.sleep(Duration.ofDays(1));
            }
        }
    }

    /** Sleeps. */
    @Workflow
    static class Leaf {
        @Run
        void run() {
            Durable.sleep(Duration.ofDays(1));
        }
    }

    private static WorkflowHandle<Root, ?> tree(TestEngine engine, ParentClosePolicy policy) {
        engine.register(Root.class, Branch.class, Leaf.class);
        engine.client().startVoid(Root.class, "root", w -> w.run(policy));
        engine.settle();
        return engine.client().handle(Root.class, "root");
    }

    private static List<WorkflowStatus> statuses(TestEngine engine) {
        return Stream.concat(
                        Stream.of("root", "branch-1", "branch-2"),
                        IntStream.range(0, 12).mapToObj(i -> "leaf-" + i / 4 + "-" + i % 4))
                .map(id -> engine.client().handle(id).describe().summary().status())
                .toList();
    }

    @Test
    void the_open_runs_of_a_tree_are_counted_also_below_a_branch_that_has_ended(TestEngine engine) {
        WorkflowHandle<Root, ?> root = tree(engine, ParentClosePolicy.ABANDON);

        assertThat(root.tree().openRuns()).isEqualTo(Map.of("Root", 1L, "Branch", 2L, "Leaf", 12L));
        assertThat(engine.client().handle(Branch.class, "branch-0").tree().openRuns())
                .isEqualTo(Map.of("Leaf", 4L));
        assertThat(engine.client().handle(Branch.class, "branch-2").tree().openRuns())
                .isEqualTo(Map.of("Branch", 1L, "Leaf", 4L));
    }

    @Test
    void terminate_reaches_all_of_them_whatever_their_policies(TestEngine engine) {
        WorkflowHandle<Root, ?> root = tree(engine, ParentClosePolicy.ABANDON);

        assertThat(root.by("ann").tree().terminate("wrong month")).isEqualTo(15);

        assertThat(statuses(engine)).containsOnly(WorkflowStatus.TERMINATED);
        assertThat(root.tree().openRuns()).isEmpty();
        assertThat(root.tree().terminate("again")).isZero();
        assertThat(engine.client().audit().page(50))
                .hasSize(15)
                .allMatch(row -> row.actor().equals("ann"));
    }

    @Test
    void cancel_asks_all_of_them(TestEngine engine) {
        WorkflowHandle<Root, ?> root = tree(engine, ParentClosePolicy.ABANDON);

        // The code of a cancelled run asks its children, too, so some may have ended before their turn.
        assertThat(root.tree().cancel("not needed")).isBetween(1L, 15L);
        engine.settle();

        assertThat(statuses(engine)).containsOnly(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_branch_is_terminated_with_its_leaves_and_the_others_go_on(TestEngine engine) {
        WorkflowHandle<Root, ?> root = tree(engine, ParentClosePolicy.ABANDON);

        assertThat(engine.client().handle(Branch.class, "branch-2").tree().terminate("a part"))
                .isEqualTo(5);

        assertThat(root.tree().openRuns()).isEqualTo(Map.of("Root", 1L, "Branch", 1L, "Leaf", 8L));
    }

    @Test
    void a_tree_of_no_run_is_an_error(TestEngine engine) {
        engine.register(Root.class);

        assertThatThrownBy(
                        () -> engine.client().handle(Root.class, "none").tree().openRuns())
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("there is no run of workflow id none");
    }
}
