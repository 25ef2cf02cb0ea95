package dev.durable.internal.replay.call;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowInfo;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.Payload;
import dev.durable.history.TimerFired;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import dev.durable.internal.replay.WorkflowInstance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rules 17 to 20, and the information that a run has about itself. */
class EventApplierTest {

    @Test
    void outcomes_and_timers_of_nothing_open_are_not_accepted() {
        try (GivenRun run = GivenRun.of(w -> {
            async(w.acts::a, "x").cancel();
            Durable.timer(Duration.ofHours(1)).cancel();
            w.acts.nothing();
            return "";
        })) {
            WorkflowInstance instance = run.instance();
            assertThat(instance.accepts(completed(1)))
                    .as("cancelled, no outcome yet")
                    .isTrue();
            assertThat(instance.accepts(completed(3))).as("never scheduled").isFalse();
            assertThat(instance.accepts(new TimerFired(9, GivenRun.START, 1)))
                    .as("cancelled")
                    .isFalse();
            run.completed(1, "late");
            assertThat(instance.accepts(completed(1))).as("had its outcome").isFalse();
            assertThatThrownBy(() -> instance.feed(completed(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("is an event of nothing open; it must be dropped, not fed");
        }
    }

    private static ActivityCompleted completed(int seq) {
        return new ActivityCompleted(99, GivenRun.START, seq, 1, new UUID(0, seq), Payload.NULL, GivenRun.START, "w");
    }

    @Test
    void commands_have_the_ids_after_the_event_and_its_time() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.version("v", 0, 1);
            async(w.acts::a, "x");
            w.acts.nothing();
            return "";
        })) {
            assertThat(run.last().commands()).extracting("id").containsExactly(2L, 3L, 4L);
            assertThat(run.last().commands()).extracting("at").containsOnly(GivenRun.START);
            assertThat(run.last().commands().getFirst()).isEqualTo(new VersionRecorded(2, GivenRun.START, "v", 1));
            assertThat(run.last().nextEventId()).isEqualTo(5);
        }
    }

    @Test
    void the_draws_of_one_coroutine_do_not_shift_those_of_another() {
        List<UUID> few = new ArrayList<>();
        List<UUID> more = new ArrayList<>();
        GivenRun.of(w -> drawing(few, 1)).close();
        GivenRun.of(w -> drawing(more, 3)).close();
        assertThat(more.getLast()).isEqualTo(few.getLast());
        assertThat(more.getFirst()).isEqualTo(few.getFirst());
        assertThat(more).doesNotHaveDuplicates();
        assertThat(more).allSatisfy(uuid -> {
            assertThat(uuid.version()).isEqualTo(4);
            assertThat(uuid.variant()).isEqualTo(2);
        });
    }

    /** The lists keep what the run drew first; replays draw the same values, which are not kept. */
    private static String drawing(List<UUID> drawn, int times) {
        List<UUID> draws = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            draws.add(Durable.uuid());
        }
        draws.add(async(Durable::uuid).get());
        if (drawn.isEmpty()) {
            drawn.addAll(draws);
        } else {
            assertThat(draws).isEqualTo(drawn);
        }
        return "";
    }

    @Test
    void draws_are_fixed_for_ever() {
        RunRandom draws = new RunRandom(new UUID(1, 2));
        assertThat(draws.bits(0, 0)).isEqualTo(new RunRandom(new UUID(1, 2)).bits(0, 0));
        assertThat(draws.uuid(3, 4)).hasToString("0569c3cc-35ce-4988-b731-4c5b765896a0");
    }

    @Test
    void a_generator_kept_in_a_field_draws_for_the_coroutine_that_asks() {
        try (GivenRun run = GivenRun.of(w -> {
            RandomGenerator random = Durable.random();
            int mine = random.nextInt(1000);
            int other = async(() -> random.nextInt(1000)).get();
            int again = async(() -> Durable.random().nextInt(1000)).get();
            w.see(mine + " " + other + " " + again);
            w.acts.nothing();
            return "";
        })) {
            run.completed(1, null).expectClose("completed \"\"");
        }
    }

    @Test
    void a_run_knows_itself() {
        try (GivenRun run = GivenRun.of(w -> {
            w.see(text(Durable.info()));
            w.acts.nothing();
            return text(Durable.info());
        })) {
            run.expectSeen("run-1 Scripted queue 2026-01-01T00:00:00Z 1 {tenant=t1}");
            run.completed(1, null).expectClose("completed \"run-1 Scripted queue 2026-01-01T00:00:00Z 3 {tenant=t1}\"");
        }
    }

    private static String text(WorkflowInfo info) {
        return info.workflowId() + " " + info.type() + " " + info.taskQueue() + " " + info.startedAt() + " "
                + info.historyLength() + " " + info.headers();
    }

    @Test
    void coroutines_inherit_no_thread_locals_and_have_the_workflows_class_loader() {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        inherited.set("driver");
        try (GivenRun run = GivenRun.of(w -> {
            w.see("inherited " + inherited.get());
            w.see("virtual " + Thread.currentThread().isVirtual());
            w.see("loader " + (Thread.currentThread().getContextClassLoader().equals(Scripted.class.getClassLoader())));
            return "";
        })) {
            run.expectSeen("inherited null", "virtual true", "loader true");
        }
    }

    @Test
    void an_interrupt_flag_left_set_is_cleared_at_the_hand_over() {
        try (GivenRun run = GivenRun.of(w -> {
            Thread.currentThread().interrupt();
            String result = w.acts.a("x");
            return result + Thread.currentThread().isInterrupted();
        })) {
            run.completed(1, "done ").expectClose("completed \"done false\"");
        }
    }

    @Test
    void a_driver_that_was_interrupted_finishes_the_turn_and_stays_interrupted() {
        Thread.currentThread().interrupt();
        try (GivenRun run = GivenRun.of(w -> w.acts.a("x"))) {
            run.expect("schedule 1 Acts.a[\"x\"]");
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void the_driver_may_be_any_thread_and_another_each_time() throws InterruptedException {
        try (GivenRun run = GivenRun.of(w -> w.acts.a("1") + w.acts.a("2"))) {
            Thread.ofVirtual().start(() -> run.completed(1, "virtual ")).join();
            Thread.ofPlatform().start(() -> run.completed(2, "platform")).join();
            run.expectClose("completed \"virtual platform\"");
        }
    }

    @Test
    void what_each_coroutine_waits_for_is_told_with_since_and_line() {
        try (GivenRun run = GivenRun.of(Waiter4.class, "x")) {
            run.at(Duration.ofMinutes(5)).signal("poke", "y");
            assertThat(run.instance().waits())
                    .extracting(wait -> wait.coroutine() + ": " + wait.what() + " since " + wait.since() + " at "
                            + wait.line().replaceAll(":\\d+", ""))
                    .containsExactly(
                            "run: a condition or timer 1 due 2026-01-01T01:00:00Z since 2026-01-01T00:00:00Z at"
                                    + " EventApplierTest.Waiter4.run(EventApplierTest.java)",
                            "async 1: activity 1 Acts.a or activity 2 Acts.a or activity 3 Acts.a … (5 in all) since"
                                    + " 2026-01-01T00:00:00Z at EventApplierTest.Waiter4.run(EventApplierTest.java)",
                            "signal poke: activity 6 Acts.nothing since 2026-01-01T00:05:00Z at"
                                    + " EventApplierTest.Waiter4.poke(EventApplierTest.java)");
        }
    }

    /** Waits in four ways. */
    @Workflow
    static class Waiter4 {
        private final Acts acts;

        Waiter4(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String what) {
            async(() -> Promise.all(
                    IntStream.range(0, 5).mapToObj(i -> async(acts::a, what)).toList()));
            return "" + Durable.await(Duration.ofHours(1), () -> what.isEmpty());
        }

        @Signal
        void poke(String ignored) {
            acts.nothing();
        }
    }

    @Test
    void the_weight_goes_up_with_coroutines_open_work_and_payloads() {
        try (GivenRun small = GivenRun.of(w -> w.acts.a("x"));
                GivenRun large = GivenRun.of(w -> {
                    for (int i = 0; i < 10; i++) {
                        async(() -> w.acts.a("x"));
                    }
                    return w.acts.a("x");
                })) {
            assertThat(large.instance().weight())
                    .isGreaterThan(small.instance().weight() + 10 * 3_000)
                    .isLessThan(100_000);
            int before = small.instance().weight();
            small.completed(1, "x".repeat(5_000));
            assertThat(small.instance().weight()).isGreaterThan(before);
        }
    }

    @Test
    void an_unknown_signal_changes_nothing() {
        try (GivenRun run = GivenRun.of(w -> w.acts.a("x"))) {
            run.signal("unheard", "of").expect().expectOpen();
            run.completed(1, "fine").expectClose("completed \"fine\"");
        }
    }
}
