package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.NonDeterminismException;
import dev.durable.Query;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Versioning;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.BoundedCount;
import dev.durable.client.BuildDescription;
import dev.durable.client.Builds;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.Sql;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
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
    void builds_tell_their_processes_and_runs_and_whether_they_can_be_retired() {
        try (Bench bench = new Bench();
                DurableEngine green = bench.engine()
                        .build("green")
                        .register(GreenReview.class)
                        .queue("default", q -> q.slots(1))
                        .queue("letters", q -> q.slots(1))
                        .start()) {
            Builds builds = green.client().builds();
            try (DurableEngine blue = engine(bench, "blue", BlueReview.class)) {
                blue.client().start(BlueReview.class, "r-1", w -> w.run(1));

                assertThat(builds.list()).extracting(BuildDescription::name).containsExactly("blue", "green");
                BuildDescription first = builds.describe("blue");
                assertThat(first.workers()).isOne();
                assertThat(first.taskQueues()).containsExactly("default");
                assertThat(first.servedAlone()).isEmpty();
                assertThat(first.servedSince()).isNotNull();
                assertThat(first.openRuns()).isEqualTo(new BoundedCount(1, false));
                assertThat(first.pinnedRuns()).isEqualTo(new BoundedCount(1, false));
                assertThat(first.canBeRetired()).as("a run is pinned to it").isFalse();
                assertThat(builds.describe("green").canBeRetired())
                        .as("a queue has no other process")
                        .isFalse();
                assertThat(builds.describe("green").servedAlone()).containsExactly("letters");
                blue.client().handle(BlueReview.class, "r-1").signal(w -> w.vote());
                blue.client().handle(BlueReview.class, "r-1").result(Bench.SOON);
                assertThat(builds.describe("blue").canBeRetired()).isTrue();
            }
            assertThat(builds.list()).extracting(BuildDescription::name).containsExactly("green");
            assertThat(builds.describe("blue")).satisfies(gone -> {
                assertThat(gone.workers()).isZero();
                assertThat(gone.servedSince()).isNull();
                assertThat(gone.canBeRetired()).isTrue();
            });
            assertThat(builds.describe("green").servedAlone()).containsExactlyInAnyOrder("default", "letters");
        }
    }

    @Test
    void a_ramp_leads_new_runs_to_a_build_and_a_roll_back_leads_them_away() {
        try (Bench bench = new Bench();
                DurableEngine blue = engine(bench, "blue", BlueReview.class);
                DurableEngine green = engine(bench, "green", GreenReview.class)) {
            Builds builds = blue.client().builds().by("ann").because("release");
            assertThat(builds.ramp("green", 100)).isTrue();
            assertAllBegunBy("green", blue, BlueReview.class, "up");
            assertAllBegunBy("green", green, GreenReview.class, "still up");

            assertThat(builds.ramp("green", 0)).isTrue();
            assertAllBegunBy("blue", green, GreenReview.class, "back");
            assertThat(builds.describe("green").ramp()).isZero();

            assertThat(builds.endRamp("green")).isTrue();
            assertThat(builds.describe("green").ramp()).isNull();
            assertThat(
                            Sql.column(
                                    bench.dataSource(),
                                    "select actor || ': ' || action || ' ' || target || ' ' || details from durable.audit order by at"))
                    .containsExactly(
                            "ann: ramp build green {\"reason\":\"release\",\"percent\":100}",
                            "ann: ramp build green {\"reason\":\"release\",\"percent\":0}",
                            "ann: end ramp of build green {\"reason\":\"release\"}");
        }
    }

    /** Starts runs in a process, once it has heard of the ramp. */
    private static <W extends BlueReview> void assertAllBegunBy(
            String build, DurableEngine from, Class<W> type, String prefix) {
        AtomicInteger starts = new AtomicInteger();
        Supplier<String> begunBy = () -> from.client()
                .start(type, prefix + starts.incrementAndGet(), w -> w.run(0))
                .result(Bench.SOON);
        Bench.awaitThat(() -> build.equals(begunBy.get()));
        for (int i = 0; i < 20; i++) {
            assertThat(begunBy.get()).isEqualTo(build);
        }
    }

    @Test
    void a_start_says_which_builds_may_go_on_with_its_run() {
        try (Bench bench = new Bench();
                DurableEngine blue = bench.engine()
                        .build("blue")
                        .register(BlueReview.class, Approval.class)
                        .start();
                DurableEngine client = bench.engine()
                        .register(BlueReview.class, Approval.class)
                        .clientOnly()
                        .start()) {
            StartOptions free = StartOptions.id("free").versioning(Versioning.AUTO_UPGRADE);
            StartOptions pinned = StartOptions.id("pinned").versioning(Versioning.PINNED);
            blue.client().start(BlueReview.class, free, w -> w.run(1));
            client.client().start(Approval.class, pinned, w -> w.run("o-1"));
            client.client().start(Approval.class, StartOptions.id("green").pinnedTo("green"), w -> w.run("o-2"));
            blue.client().start(BlueReview.class, StartOptions.id("green-2").pinnedTo("green"), w -> w.run(0));
            blue.client().start(BlueReview.class, StartOptions.id("blue").pinnedTo("blue"), w -> w.run(1));
            Bench.awaitThat(
                    client.client().handle(Approval.class, "pinned"),
                    it -> "blue".equals(it.summary().build()));

            assertThat(Sql.column(
                            bench.dataSource(),
                            "select workflow_id || ' ' || coalesce(build, '-') || ' ' || coalesce(pinned_to, '-')"
                                    + " from durable.v_workflow order by workflow_id"))
                    .containsExactly(
                            "blue blue blue", "free blue -", "green - green", "green-2 - green", "pinned blue blue");
            try (DurableEngine green = engine(bench, "green", GreenReview.class)) {
                assertThat((Object) green.client()
                                .handle(GreenReview.class, "green-2")
                                .result(Bench.SOON))
                        .isEqualTo("green");
            }
        }
    }

    @Workflow(name = "Relay", versioning = Versioning.PINNED)
    static class BlueRelay {
        private boolean isReady;

        @Run
        String run(int legs) {
            Durable.await(() -> isReady || legs == 0);
            if (legs == 2) {
                throw Durable.continueAsNew(BlueRelay.class, o -> o.keepBuild(), w -> w.run(1));
            }
            if (legs == 1) {
                throw Durable.continueAsNew(BlueRelay.class, w -> w.run(0));
            }
            return "blue";
        }

        @Signal
        void goOn() {
            isReady = true;
        }
    }

    @Workflow(name = "Relay", versioning = Versioning.PINNED)
    static class GreenRelay extends BlueRelay {
        @Override
        @Run
        String run(int legs) {
            return legs == 0 ? "green" : super.run(legs);
        }
    }

    @Test
    void a_pinned_run_that_continues_upgrades_unless_it_keeps_its_build() {
        try (Bench bench = new Bench();
                DurableEngine blue = bench.engine()
                        .build("blue")
                        .register(BlueRelay.class, BlueReview.class)
                        .start();
                DurableEngine green = bench.engine()
                        .build("green")
                        .register(GreenRelay.class, GreenReview.class)
                        .start()) {
            blue.client().builds().ramp("green", 100);
            assertAllBegunBy("green", blue, BlueReview.class, "heard");
            var run =
                    blue.client().start(BlueRelay.class, StartOptions.id("r-1").pinnedTo("blue"), w -> w.run(2));
            String second = "select count(*) from durable.v_workflow where workflow_id = 'r-1' and status = 'RUNNING'"
                    + " and previous_run_id is not null and build = 'blue' and pinned_to = 'blue'";

            run.signal(BlueRelay::goOn);
            Bench.awaitThat(() -> Sql.number(bench.dataSource(), second) == 1);
            run.signal(BlueRelay::goOn);

            assertThat(run.result(Bench.SOON)).as("upgraded").isEqualTo("green");
            assertThat(Sql.column(
                            bench.dataSource(),
                            "select coalesce(attributes ->> 'keepsBuild', 'false') from durable.v_history"
                                    + " where type = 'WorkflowContinuedAsNew' order by at"))
                    .containsExactly("true", "false");
        }
    }

    @Test
    void a_query_that_another_build_replays_in_vain_names_both() {
        try (Bench bench = new Bench();
                DurableEngine blue = engine(bench, "blue", BlueAnswers.class);
                DurableEngine green = bench.engine()
                        .build("green")
                        .register(GreenAnswers.class)
                        .clientOnly()
                        .start()) {
            blue.client().start(BlueAnswers.class, "a-1", BlueAnswers::run);

            assertThatThrownBy(() ->
                            green.client().handle(GreenAnswers.class, "a-1").query(GreenAnswers::state))
                    .isInstanceOf(NonDeterminismException.class)
                    .hasMessageStartingWith("query state of a-1")
                    .hasMessageContaining(" was replayed in this process, which has build \"green\", and build \"blue\""
                            + " has made the run's last turn: ask in a process of that build.\n");
        }
    }

    @Workflow(name = "Answers", versioning = Versioning.PINNED)
    static class BlueAnswers {
        @Run
        String run() {
            Durable.sleep(NEVER);
            return "";
        }

        @Query
        String state() {
            return "blue";
        }
    }

    @Workflow(name = "Answers", versioning = Versioning.PINNED)
    static class GreenAnswers {
        @Run
        String run() {
            Durable.uuid();
            Durable.sideEffect(String.class, () -> "green");
            Durable.sleep(NEVER);
            return "";
        }

        @Query
        String state() {
            return "green";
        }
    }

    @Test
    void a_job_has_no_build() {
        try (Bench bench = new Bench();
                DurableEngine client =
                        bench.engine().activity(Desk.class, x -> x).clientOnly().start()) {
            assertThatThrownBy(() -> client.client()
                            .enqueue(Desk.class, StartOptions.id("j-1").pinnedTo("blue"), d -> d.stamp("a")))
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessage("enqueue of j-1: versioning(…) and pinnedTo(…) are for workflows, which client.start(…)"
                            + " starts. A background job has no workflow code: any worker that implements its activity"
                            + " begins it.");
        }
    }

    @Activity
    interface Desk {
        String stamp(String letter);
    }

    @Test
    void a_share_that_no_build_can_have_is_refused() {
        try (Bench bench = new Bench();
                DurableEngine blue = engine(bench, "blue", Approval.class)) {
            Builds builds = blue.client().builds();
            assertThatThrownBy(() -> builds.ramp("blue", 101))
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessage(
                            "client.builds().ramp(\"blue\", 101): the share of new runs is from 0 percent, for a build"
                                    + " that is rolled back, to 100.");
            assertThatThrownBy(() -> builds.ramp(" ", 1)).isInstanceOf(RefusedInputException.class);
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
