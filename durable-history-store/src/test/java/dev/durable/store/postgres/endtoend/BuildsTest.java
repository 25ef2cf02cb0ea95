package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Versioning;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.Sql;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes of several builds on one database. */
@Timeout(300)
@Tag("slow")
class BuildsTest {
    private static final Duration NEVER = Duration.ofHours(1);

    @Workflow(name = "Approval")
    static class Approval {
        private int approvals;

        @Run
        String run(String order) {
            Durable.await(() -> approvals > 0);
            Durable.await(() -> approvals > 1);
            return result(order);
        }

        String result(String order) {
            return "approved " + order;
        }

        @Signal
        void approve() {
            approvals++;
        }
    }

    /** A build whose code can't go on. */
    @Workflow(name = "Approval")
    static class BrokenApproval extends Approval {
        @Override
        @Run
        String run(String order) {
            return super.run(order);
        }

        @Override
        String result(String order) {
            throw new AssertionError("no rule for " + order);
        }
    }

    private static DurableEngine engine(Bench bench, String build, Class<?> type) {
        return bench.engine().build(build).pollInterval(NEVER).register(type).start();
    }

    @Test
    void a_run_shows_the_build_that_made_its_last_turn() {
        try (Bench bench = new Bench();
                DurableEngine blue = engine(bench, "blue", Approval.class)) {
            var run = blue.client().start(Approval.class, "o-1", w -> w.run("o-1"));
            assertThat(run.describe().summary().build()).isEqualTo("blue");
            blue.close();
            try (DurableEngine green = engine(bench, "green", Approval.class)) {
                var there = green.client().handle(Approval.class, "o-1");
                assertThat(there.describe().summary().build())
                        .as("no turn since")
                        .isEqualTo("blue");

                there.signal(Approval::approve);

                Bench.awaitThat(there, it -> "green".equals(it.summary().build()));
                assertThat(green.client().workflows().stream().toList())
                        .singleElement()
                        .satisfies(row -> assertThat(row.summary().build()).isEqualTo("green"));
                assertThat(Sql.column(bench.dataSource(), "select build from durable.v_workflow"))
                        .containsExactly("green");
            }
        }
    }

    @Test
    void a_run_that_stalls_in_one_build_is_gone_on_with_by_another_at_once() {
        try (Bench bench = new Bench();
                DurableEngine broken = engine(bench, "broken", BrokenApproval.class)) {
            var run = broken.client().start(BrokenApproval.class, "o-1", w -> w.run("o-1"));
            run.signal(w -> w.approve());
            Bench.awaitThat(run, it -> it.historyLength() >= 2 && it.waitingMessages() == 0);
            // A back-off of minutes, were it for all.
            Sql.execute(bench.dataSource(), "update durable.run_state set stalls = 6");
            try (DurableEngine mended = engine(bench, "mended", Approval.class)) {
                run.signal(w -> w.approve());

                assertThat(mended.client().handle(Approval.class, "o-1").result(Duration.ofSeconds(30)))
                        .isEqualTo("approved o-1");
            }
        }
    }

    @Workflow(name = "Review", versioning = Versioning.PINNED)
    static class BlueReview {
        private int votes;

        @Run
        String run(int wanted) {
            Durable.await(() -> votes >= wanted);
            return reviewedBy();
        }

        String reviewedBy() {
            return "blue";
        }

        @Signal
        void vote() {
            votes++;
        }
    }

    @Workflow(name = "Review", versioning = Versioning.PINNED)
    static class GreenReview extends BlueReview {
        @Override
        @Run
        String run(int wanted) {
            return super.run(wanted);
        }

        @Override
        String reviewedBy() {
            return "green";
        }
    }

    @Test
    void a_pinned_run_ends_on_the_build_that_began_it_while_another_serves_its_queue() {
        try (Bench bench = new Bench();
                DurableEngine blue = engine(bench, "blue", BlueReview.class);
                DurableEngine green = engine(bench, "green", GreenReview.class)) {
            for (int i = 0; i < 20; i++) {
                blue.client().start(BlueReview.class, "r-" + i, w -> w.run(2));
                green.client().start(GreenReview.class, "g-" + i, w -> w.run(2));
            }
            for (int votes = 0; votes < 2; votes++) {
                for (int i = 0; i < 20; i++) {
                    green.client().handle(GreenReview.class, "r-" + i).signal(w -> w.vote());
                    blue.client().handle(BlueReview.class, "g-" + i).signal(w -> w.vote());
                }
            }
            for (int i = 0; i < 20; i++) {
                assertThat((Object) green.client()
                                .handle(GreenReview.class, "r-" + i)
                                .result(Bench.SOON))
                        .isEqualTo("blue");
                assertThat((Object)
                                blue.client().handle(BlueReview.class, "g-" + i).result(Bench.SOON))
                        .isEqualTo("green");
            }
            assertThat(Sql.number(bench.dataSource(), "select count(*) from durable.v_workflow where stalled"))
                    .isZero();
        }
    }

    @Test
    void a_pinned_run_whose_build_is_gone_waits_until_it_is_moved() {
        try (Bench bench = new Bench()) {
            try (DurableEngine blue = engine(bench, "blue", BlueReview.class)) {
                blue.client().start(BlueReview.class, "r-1", w -> w.run(1));
            }
            try (DurableEngine green = engine(bench, "green", GreenReview.class)) {
                var run = green.client().handle(GreenReview.class, "r-1");
                run.signal(w -> w.vote());
                // Another run, which this worker claims behind the message of the first.
                var other = green.client()
                        .handle(
                                GreenReview.class,
                                green.client()
                                        .start(GreenReview.class, "r-2", w -> w.run(1))
                                        .workflowId());
                other.signal(w -> w.vote());
                assertThat((Object) other.result(Bench.SOON)).isEqualTo("green");
                assertThat(run.describe().summary().build()).isEqualTo("blue");
                assertThat(run.describe().waitingMessages()).isOne();

                run.by("ann").moveTo("green");

                assertThat((Object) run.result(Bench.SOON)).isEqualTo("green");
                assertThatThrownBy(() -> run.moveTo("blue")).isInstanceOf(WorkflowNotFoundException.class);
                assertThatThrownBy(() -> run.moveTo("")).isInstanceOf(RefusedInputException.class);
            }
        }
    }

    @Test
    void a_worker_with_a_pinned_workflow_names_its_build() {
        try (Bench bench = new Bench()) {
            assertThatThrownBy(() -> bench.engine().register(BlueReview.class).start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("workflow Review is PINNED to the build that begins it, and this worker names no build."
                            + " Name it: builder.build(\"2026-11-27.1\"), another name for each deployment, the same in all of"
                            + " its processes.");
            bench.engine().register(BlueReview.class).clientOnly().start().close();
        }
    }

    @Test
    void a_name_that_no_build_can_have_is_refused() {
        try (Bench bench = new Bench()) {
            assertThatThrownBy(() -> bench.engine().build(" "))
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessage(
                            "builder.build(…): the build \" \" must be 1 to 64 characters, not blank; this one has 1."
                                    + " Use a name that each deployment has anew, such as \"2026-11-27.1\" or the first twelve"
                                    + " characters of a commit.");
            assertThatThrownBy(() -> bench.engine().build("b".repeat(65)))
                    .hasMessageContaining("must be 1 to 64 characters")
                    .hasMessageContaining("this one has 65");
            assertThatThrownBy(() -> bench.engine().build("blue ")).hasMessageContaining("has blanks around it");
        }
    }
}
