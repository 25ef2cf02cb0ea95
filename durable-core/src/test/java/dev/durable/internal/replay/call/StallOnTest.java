package dev.durable.internal.replay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.UsageException;
import dev.durable.Workflow;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowFailed;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The exceptions of the code that stall the run, and those that end it. */
class StallOnTest {

    // ── usage errors ────────────────────────────────────────────────────────────────────────────────────────────────

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake("Durable.uuid was called in a condition of Durable.await", w -> {
                    Durable.await(() -> Durable.uuid() == null);
                    return "";
                }),
                mistake("Durable.now was called outside a workflow, on thread '", w -> {
                    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                        return threads.submit(Durable::now).get();
                    }
                }),
                mistake(
                        "Durable.now was called outside a workflow, on thread '",
                        w -> CompletableFuture.supplyAsync(Durable::now).get()),
                mistake("Durable.now was called outside a workflow, on thread '", w -> {
                    Promise<Object> promise = Durable.async(() -> {
                        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                            return threads.submit(Durable::now).get();
                        }
                    });
                    return promise.get();
                }),
                mistake(
                        "Durable.async(method, arguments…) takes a method of an activity stub",
                        w -> Durable.async(String::trim, "x")),
                mistake(
                        "Durable.version(\"c\", 3, 2) needs a change id and 0 <= min <= max",
                        w -> Durable.version("c", 3, 2)),
                mistake("Promise.any needs at least one promise", w -> Promise.any(List.of())),
                mistake("Promise.map needs to have at least 1 at once", w -> Promise.map(List.of(1), 0, x -> x)),
                mistake(
                        "Durable.activities(Acts.class, …): startToClose is wrong at a call site.",
                        w -> Durable.activities(Acts.class, o -> o.startToClose(Duration.ofSeconds(-1)))),
                mistake("Durable.activities(String.class, …): ", w -> Durable.activities(String.class)),
                mistake(
                        "ActivityContext.current() was called outside an activity.",
                        w -> dev.durable.ActivityContext.current()));
    }

    private static Arguments mistake(String text, Scripted.Code code) {
        return Arguments.of(text, code);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void a_usage_error_does_not_fail_the_run_but_stalls_it(String text, Scripted.Code code) {
        assertThatThrownBy(() -> GivenRun.of(code))
                .isInstanceOf(StalledException.class)
                .hasMessageStartingWith("Scripted run-1 is stalled: " + text)
                .hasMessageMatching(
                        "(?s).*\\w\\. It came out of run, at (StallOnTest|Scripted)\\.\\w+\\(\\w+\\.java:\\d+\\)\\. Such a"
                                + " mistake of the code does not fail a run: deploy code without it, and the run goes on\\.")
                .hasCauseInstanceOf(UsageException.class);
    }

    @Test
    void what_the_code_catches_stalls_nothing() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.await(() -> Durable.uuid() == null);
            } catch (IllegalStateException e) {
                return "caught";
            }
            return "";
        })) {
            run.expectClose("completed \"caught\"");
        }
    }

    @Test
    void a_usage_error_of_a_handler_or_of_an_undo_stalls_too() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((self, text) -> Durable.await(() -> Durable.uuid() == null));
            return w.acts.a("x");
        })) {
            assertThatThrownBy(() -> run.tell("x"))
                    .hasMessageContaining("It came out of signal tell, at Scripted.tell(");
        }
        try (GivenRun run = GivenRun.of(w -> {
            Durable.compensate(w.acts::nothing);
            Durable.compensate(() -> Durable.await(() -> Durable.uuid() == null));
            throw new IllegalArgumentException(w.acts.a("x"));
        })) {
            assertThatThrownBy(() -> run.completed(1, "x")).hasMessageContaining("It came out of undo.");
        }
    }

    @Test
    void a_usage_error_that_has_suppressed_the_failure_of_an_activity_stalls_as_any_other() {
        try (GivenRun run = GivenRun.of(w -> Promise.any(
                Durable.async(() -> w.acts.a("x") + Durable.version("c", 3, 2)), Durable.async(w.acts::a, "y")))) {
            run.completed(2, "");
            assertThatThrownBy(() -> run.failed(1, new IllegalStateException("no")))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("needs a change id and 0 <= min <= max");
        }
    }

    @Test
    void a_usage_error_of_an_activity_is_the_activitys_failure() {
        try (GivenRun run = GivenRun.of(w -> w.acts.a("x"))) {
            run.failed(1, new UsageException("Durable.now was called outside a workflow"))
                    .expectClose("failed dev.durable.ActivityFailedException: Acts.a (activity 1) failed in attempt 3:"
                            + " dev.durable.UsageException: Durable.now was called outside a workflow");
        }
    }

    // ── stallOn ─────────────────────────────────────────────────────────────────────────────────────────────────────

    static class NoStock extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoStock(String message) {
            super(message);
        }
    }

    /** Its argument says what it throws. */
    abstract static class Throwing {
        private final Acts acts;

        Throwing(Acts acts) {
            this.acts = acts;
        }

        String thrown(String what) throws Exception {
            String wanted = what.isEmpty() ? acts.a("what") : what;
            return switch (wanted) {
                case "null" -> throw new NullPointerException("no customer");
                case "stock" -> throw new NoStock("sold out");
                case "activity" -> acts.a("charge");
                case "timeout" -> Durable.async(() -> acts.a("slow")).get(Duration.ofHours(1));
                case "cancelled" -> {
                    Promise<String> promise = Durable.async(acts::a, "x");
                    promise.cancel();
                    yield promise.get();
                }
                case "checked" -> throw new java.io.IOException("disk");
                case "large" -> "x".repeat(3 << 20);
                default -> wanted;
            };
        }
    }

    @Workflow(stallOn = RuntimeException.class)
    static class Careful extends Throwing {
        Careful(Acts acts) {
            super(acts);
        }

        @Run
        String run(String what) throws NoStock, Exception {
            return thrown(what);
        }

        @Signal
        void tell(String what) throws Exception {
            thrown(what);
        }
    }

    @Test
    void a_runtime_exception_that_is_not_declared_stalls_where_the_workflow_says_so() {
        assertThatThrownBy(() -> GivenRun.of(Careful.class, "null"))
                .isInstanceOf(StalledException.class)
                .hasMessageMatching(
                        "(?s)Careful run-1 is stalled: run threw java\\.lang\\.NullPointerException: no customer at"
                                + " StallOnTest\\.Throwing\\.thrown\\(StallOnTest\\.java:\\d+\\)\\. @Workflow\\(stallOn\\) lists"
                                + " java\\.lang\\.RuntimeException, so it does not fail the run\\. Deploy code that does not throw it,"
                                + " and the run goes on; if it is an outcome, declare it: \"throws NullPointerException\" at @Run\\.\n"
                                + "    at dev\\.durable.*")
                .hasCauseInstanceOf(NullPointerException.class);
        try (GivenRun run = GivenRun.of(Careful.class, "")) {
            assertThatThrownBy(() -> run.tell("null")).hasMessageContaining("signal tell threw java.lang.NullPointer");
        }
    }

    @Test
    void what_is_declared_and_what_is_no_such_exception_fails_the_run() {
        try (GivenRun run = GivenRun.of(Careful.class, "stock")) {
            run.expectClose("failed " + NoStock.class.getName() + ": sold out");
        }
        try (GivenRun run = GivenRun.of(Careful.class, "checked")) {
            run.expectClose("failed java.io.IOException: disk");
        }
    }

    @Test
    void how_something_else_ended_fails_the_run() {
        try (GivenRun run = GivenRun.of(Careful.class, "activity")) {
            run.failed(1, new NullPointerException("theirs"))
                    .expectClose("failed dev.durable.ActivityFailedException: Acts.a (activity 1) failed in attempt 3:"
                            + " java.lang.NullPointerException: theirs");
        }
        try (GivenRun run = GivenRun.of(Careful.class, "timeout")) {
            run.fired(1).expectClose("failed dev.durable.WaitTimedOutException: async 1 did not settle within PT1H");
        }
        try (GivenRun run = GivenRun.of(Careful.class, "cancelled")) {
            run.expectClose(
                    "failed dev.durable.CancelledException: activity 1 Acts.a was cancelled: Promise.cancel was called");
        }
        try (GivenRun run = GivenRun.of(Careful.class, "")) {
            run.cancelRequested("x").expectClose("cancelled x");
        }
    }

    @Workflow(stallOn = {ActivityFailedException.class, CancelledException.class})
    static class Strict extends Throwing {
        Strict(Acts acts) {
            super(acts);
        }

        @Run
        String run(String what) throws Exception {
            return thrown(what);
        }
    }

    @Test
    void exceptions_of_durable_stall_where_they_are_named_and_a_cancelled_run_is_cancelled() {
        try (GivenRun run = GivenRun.of(Strict.class, "activity")) {
            assertThatThrownBy(() -> run.failed(1, new NullPointerException("theirs")))
                    .hasMessageContaining("@Workflow(stallOn) lists dev.durable.ActivityFailedException");
        }
        assertThatThrownBy(() -> GivenRun.of(Strict.class, "cancelled"))
                .hasMessageContaining("@Workflow(stallOn) lists dev.durable.CancelledException");
        try (GivenRun run = GivenRun.of(Strict.class, "null")) {
            run.expectClose("failed java.lang.NullPointerException: no customer");
        }
        try (GivenRun run = GivenRun.of(Strict.class, "")) {
            run.cancelRequested("x").expectClose("cancelled x");
        }
    }

    @Workflow
    static class Plain extends Throwing {
        Plain(Acts acts) {
            super(acts);
        }

        @Run
        String run(String what) throws Exception {
            return thrown(what);
        }
    }

    @Workflow(stallOn = UsageException.class)
    static class Lenient extends Throwing {
        Lenient(Acts acts) {
            super(acts);
        }

        @Run
        String run(String what) throws Exception {
            return thrown(what);
        }
    }

    @Test
    void the_engines_default_counts_where_the_workflow_says_nothing() {
        assertThatThrownBy(() -> new GivenRun(Plain.class, "null", RuntimeException.class).started())
                .hasMessageContaining("The engine's stallOn (durable.stall-on) lists java.lang.RuntimeException");
        try (GivenRun run = new GivenRun(Lenient.class, "null", RuntimeException.class).started()) {
            run.expectClose("failed java.lang.NullPointerException: no customer");
        }
        try (GivenRun run = GivenRun.of(Plain.class, "null")) {
            run.expectClose("failed java.lang.NullPointerException: no customer");
        }
    }

    @Test
    void all_of_durables_exceptions_are_named_by_their_root() {
        try (GivenRun run = new GivenRun(Plain.class, "activity", DurableException.class).started()) {
            assertThatThrownBy(() -> run.failed(1, new NullPointerException("theirs")))
                    .hasMessageContaining("lists dev.durable.DurableException");
        }
    }

    @Test
    void a_value_that_can_not_be_written_is_the_codes_own_mistake() {
        assertThatThrownBy(() -> GivenRun.of(Careful.class, "large"))
                .hasMessageContaining("run threw dev.durable.PayloadException")
                .hasMessageContaining("@Workflow(stallOn) lists java.lang.RuntimeException");
        try (GivenRun run = GivenRun.of(Plain.class, "large")) {
            assertThat(GivenRun.text(run.instance().close(2))).startsWith("failed dev.durable.PayloadException");
        }
    }

    // ── turns of a history ──────────────────────────────────────────────────────────────────────────────────────────

    @Workflow(name = "Till")
    static class Till {
        private final Acts acts;
        String open = "open";

        Till(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String what) {
            acts.a(what);
            Durable.await(() -> open.isEmpty());
            return "closed";
        }

        @Signal
        void tell(String what) {
            open = what;
        }
    }

    /** The next release, whose handler throws for what the old one took. */
    @Workflow(name = "Till", stallOn = RuntimeException.class)
    static class BrokenTill extends Till {
        BrokenTill(Acts acts) {
            super(acts);
        }

        @Override
        @Signal
        void tell(String what) {
            throw new NullPointerException("no " + what);
        }

        @Override
        @Run
        String run(String what) {
            return super.run(what);
        }
    }

    private static WorkflowInstance replayed(Class<?> code, List<HistoryEvent> history) {
        WorkflowInstance instance = GivenRun.unstarted(code);
        instance.replay(RecordedTurn.of(history));
        return instance;
    }

    private static SignalReceived tell(long id, String text) {
        return new SignalReceived(
                id,
                GivenRun.START,
                UUID.randomUUID(),
                "tell",
                GivenRun.CODEC.encode(new Object[] {text}, Object[].class, "arguments"));
    }

    @Test
    void new_code_that_throws_where_the_history_shows_that_the_run_went_on_stalls_before_it_writes() {
        List<HistoryEvent> history;
        try (GivenRun run = GivenRun.of(Till.class, "x")) {
            history = run.completed(1, "").tell("drawer").history();
        }
        WorkflowInstance broken = replayed(BrokenTill.class, history);
        assertThatThrownBy(() -> broken.feed(tell(history.size() + 1, "")))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("signal tell threw java.lang.NullPointerException: no drawer");

        WorkflowInstance mended = replayed(Till.class, history);
        mended.feed(tell(history.size() + 1, ""));
        assertThat(GivenRun.text(mended.close(99))).isEqualTo("completed \"closed\"");
    }

    @Test
    void new_code_that_throws_and_then_differs_says_both() {
        List<HistoryEvent> history;
        try (GivenRun run = GivenRun.of(Till.class, "x")) {
            history = run.tell("drawer").completed(1, "").history();
        }
        assertThatThrownBy(() -> replayed(BrokenTill.class, history))
                .isInstanceOf(Divergence.class)
                .hasMessageContaining("the code gives other commands than the history of this run has")
                .hasMessageContaining("Before that the code threw what the code that made this history did not throw.")
                .hasMessageContaining("signal tell threw java.lang.NullPointerException: no drawer");
    }

    @Workflow(name = "Sale")
    static class Sale {
        private final Acts acts;

        Sale(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String what) {
            Durable.compensate(acts::nothing);
            throw new IllegalStateException(acts.a(what));
        }
    }

    @Workflow(name = "Sale", stallOn = RuntimeException.class)
    static class CarefulSale extends Sale {
        CarefulSale(Acts acts) {
            super(acts);
        }

        @Override
        @Run
        String run(String what) {
            return super.run(what);
        }
    }

    @Test
    void a_run_that_had_failed_before_stall_on_was_written_goes_on_failing() {
        List<HistoryEvent> history;
        try (GivenRun run = GivenRun.of(Sale.class, "x")) {
            run.completed(1, "gone").expect("schedule 2 Acts.nothing[]");
            history = run.history();
            WorkflowInstance undoing = replayed(CarefulSale.class, history);
            undoing.feed(run.outcome(2));
            assertThat(GivenRun.text(undoing.close(99))).isEqualTo("failed java.lang.IllegalStateException: gone");
        }
    }

    @Workflow(name = "Trip")
    static class Trip {
        private final Acts acts;

        Trip(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String what) {
            try {
                Durable.sagaVoid(s -> {
                    s.compensate(acts::nothing);
                    throw new IllegalStateException(acts.a(what));
                });
            } catch (IllegalStateException e) {
                then();
            }
            return "";
        }

        void then() {
            Durable.await(() -> false);
        }
    }

    @Workflow(name = "Trip", stallOn = RuntimeException.class)
    static class BrokenTrip extends Trip {
        BrokenTrip(Acts acts) {
            super(acts);
        }

        @Override
        @Run
        String run(String what) {
            return super.run(what);
        }

        @Override
        void then() {
            Durable.version("c", 3, 2);
        }
    }

    @Test
    void a_mistake_behind_a_saga_that_the_history_shows_as_undone_stalls() {
        try (GivenRun run = GivenRun.of(Trip.class, "x")) {
            run.completed(1, "gone").completed(2, null).expectOpen();
            WorkflowInstance broken = replayed(BrokenTrip.class, run.history());
            assertThatThrownBy(() -> broken.feed(
                            new WorkflowCancelRequested(9, GivenRun.START, UUID.randomUUID(), "stop", "ann")))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("needs a change id and 0 <= min <= max");
        }
    }

    @Test
    void a_history_of_a_run_that_failed_by_what_stalls_today_replays() {
        WorkflowInstance usage = GivenRun.unstarted(Eager.class);
        usage.replay(RecordedTurn.of(List.of(GivenRun.startedWithFlags(0))));
        usage.replayClose(
                new WorkflowFailed(
                        2,
                        GivenRun.START,
                        Failure.of(
                                "java.lang.IllegalStateException",
                                "Durable.uuid was called in the workflow's constructor. A constructor only keeps its activities:"
                                        + " handlers need the object before anything else happens. Do it in the @Run method.")));
    }

    @Workflow
    static class Eager {
        Eager() {
            Durable.uuid();
        }

        @Run
        String run(String ignored) {
            return "";
        }
    }

    // ── while handlers are under way ────────────────────────────────────────────────────────────────────────────────

    /** Its run waits for a handler before it ends. */
    @Workflow
    static class Waiting {
        private boolean go;
        private boolean done;

        @Run
        void run(String ignored) {
            Durable.await(() -> go);
            Durable.await(() -> Durable.uuid() == null);
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        void slow(String ignored) {
            Durable.await(() -> done);
        }

        @Signal
        void go(String ignored) {
            go = true;
        }
    }

    /** A written turn can't be mended: code that calls something in it gives other commands than the history. */
    @Test
    void a_usage_error_stalls_before_its_turn_is_written_whatever_handlers_are_under_way() {
        try (GivenRun run = GivenRun.of(Waiting.class, "x")) {
            run.signal("slow", "x");
            assertThatThrownBy(() -> run.signal("go", "x"))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("Durable.uuid was called in a condition of Durable.await");
        }
    }
}
