package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StallGroup;
import dev.durable.client.StartOptions;
import dev.durable.client.WaitingReason;
import dev.durable.client.WaitingReason.Kind;
import dev.durable.client.WhyWaiting.CodeWait;
import dev.durable.client.WorkflowHandle;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Why runs wait, one test for each reason; run on each kind of store, in the same words. */
abstract class WhyWaitingTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Activity(retry = @Retry(initialInterval = "10m", backoff = 1, jitter = 0))
    interface Payments {
        String charge(String card);

        @Activity(taskQueue = "nowhere")
        String elsewhere(String card);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        String incident(String card);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DEAD_LETTER))
        String deadLetter(String card);

        @Activity(startToClose = "2h")
        String later(String card);
    }

    /** Does with a card what its name says. */
    private class Bank implements Payments {
        @Override
        public String charge(String card) {
            return switch (card) {
                case "refused" -> throw new IllegalStateException("the card is refused\nask the holder");
                case "ask" -> ask.get();
                default -> "charged " + card;
            };
        }

        @Override
        public String elsewhere(String card) {
            return card;
        }

        @Override
        public String incident(String card) {
            throw new IllegalStateException("the card is refused");
        }

        @Override
        public String deadLetter(String card) {
            throw new IllegalStateException("the card is refused");
        }

        @Override
        public String later(String card) {
            return ActivityContext.current().completeLater();
        }
    }

    private Supplier<String> ask = () -> "";

    @Workflow
    static class Order {
        private final Payments payments;
        private boolean approved;

        Order(Payments payments) {
            this.payments = payments;
        }

        @Run
        public String run(String step) {
            return switch (step) {
                case "elsewhere" -> payments.elsewhere("visa");
                case "incident" -> payments.incident("visa");
                case "dead letter" -> payments.deadLetter("visa");
                case "later" -> payments.later("visa");
                case "timer" -> {
                    Durable.sleep(HOUR, "give the bank an hour");
                    yield "slept";
                }
                case "child" -> {
                    Durable.startChild(Order.class, ChildOptions.id("o-1-child"), w -> w.run("approval"))
                            .result();
                    yield "had a child";
                }
                case "callback" ->
                    Durable.callback(String.class, HOUR).promise().get();
                case "approval" -> {
                    Durable.await(() -> approved);
                    yield "approved";
                }
                case "approval in time" -> Durable.await(HOUR, () -> approved) ? "approved" : "not approved";
                case "other bug" -> throw new StackOverflowError("another bug");
                case "bug" -> throw new StackOverflowError("a bug");
                default -> payments.charge(step);
            };
        }

        @Signal
        public void approve() {
            approved = true;
        }
    }

    private DurableClient client(TestEngine engine) {
        return engine.register(Order.class, Caller.class)
                .activity(Payments.class, new Bank())
                .configure(builder -> builder.identity("worker-1"))
                .client();
    }

    private WorkflowHandle<Order, String> order(TestEngine engine, String step) {
        client(engine);
        return start(engine, "o-1", step);
    }

    private static WorkflowHandle<Order, String> start(TestEngine engine, String id, String step) {
        WorkflowHandle<Order, String> run = engine.client().start(Order.class, id, w -> w.run(step));
        engine.settle();
        return run;
    }

    private static WaitingReason only(WorkflowHandle<?, ?> run) {
        assertThat(run.whyWaiting().reasons()).hasSize(1);
        return run.whyWaiting().reasons().getFirst();
    }

    /** The text without times, which are those of the test's clock. */
    private static String words(String text) {
        return text.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z", "T");
    }

    private static void assertReason(WorkflowHandle<?, ?> run, Kind kind, String text, String endedBy) {
        WaitingReason reason = only(run);
        assertThat(words(reason.text())).isEqualTo(text);
        assertThat(reason.kind()).isEqualTo(kind);
        assertThat(reason.endedBy()).isEqualTo(endedBy);
    }

    @Test
    void an_activity_runs(TestEngine engine) {
        DurableClient client = client(engine);
        ask = () -> client.handle("o-1").whyWaiting().reasons().stream()
                .filter(reason -> reason.kind() == Kind.ACTIVITY_RUNNING)
                .map(reason -> reason.text() + "; " + reason.servedBy() + "; " + reason.endedBy())
                .toList()
                .toString();

        String said = client.start(Order.class, "o-1", w -> w.run("ask")).result();

        assertThat(words(said))
                .isEqualTo("[activity Payments.charge (1) runs: attempt 1, since T, in process worker-1; [worker-1];"
                        + " the outcome of the attempt]");
    }

    @Test
    void an_activity_waits_for_its_next_attempt(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "refused");

        assertReason(
                run,
                Kind.ACTIVITY_RETRY,
                "activity Payments.charge (1) waits for attempt 2, due at T, as the one before failed:"
                        + " java.lang.IllegalStateException: the card is refused",
                "that time, or client.activity(\"o-1\", 1).retry()");
        assertThat(only(run).until()).isBetween(engine.now(), engine.now().plus(Duration.ofMinutes(10)));
    }

    @Test
    void an_activity_waits_in_a_queue_that_no_process_serves(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "elsewhere");

        assertReason(
                run,
                Kind.ACTIVITY_UNSERVED,
                "activity Payments.elsewhere (1) waits in task queue \"nowhere\" since T, which no process serves",
                "a process that serves the queue");
        assertThat(only(run).servedBy()).isEmpty();
    }

    @Workflow
    static class Caller {
        @Run
        public String run() {
            return Durable.activity("Unknown.call", String.class);
        }
    }

    @Test
    void an_activity_waits_that_no_process_of_its_queue_implements(TestEngine engine) {
        client(engine);
        WorkflowHandle<Caller, String> run = engine.client().start(Caller.class, "o-1", Caller::run);
        engine.settle();

        assertReason(
                run,
                Kind.ACTIVITY_UNSERVED,
                "activity Unknown.call (1) waits in task queue \"default\" since T, and of the processes that serve it"
                        + " none has the activity: worker-1",
                "a process that serves the queue and has the activity");
    }

    @Test
    void an_activity_waits_in_a_paused_queue(TestEngine engine) {
        client(engine).queues().by("ann").pause("default");
        WorkflowHandle<Order, String> run = start(engine, "o-1", "visa");

        assertReason(
                run,
                Kind.ACTIVITY_QUEUED,
                "activity Payments.charge (1) waits in task queue \"default\" since T, which is paused",
                "client.queues().resume(\"default\")");
        assertThat(words(only(run).servedBy().toString())).isEqualTo("[worker-1]");
    }

    @Test
    void a_paused_activity_type_holds_its_activities_until_its_time(TestEngine engine) {
        client(engine).queues().by("ann").pauseActivity("Payments", engine.now().plus(HOUR));
        WorkflowHandle<Order, String> run = start(engine, "o-1", "visa");

        assertReason(
                run,
                Kind.ACTIVITY_QUEUED,
                "activity Payments.charge (1) waits in task queue \"default\" since T, and Payments is paused until T",
                "client.queues().resumeActivity(\"Payments\")");
        assertThat(only(run).until()).isAfter(engine.now());
    }

    @Test
    void an_activity_waits_in_a_queue_at_its_limit(TestEngine engine) {
        DurableClient client = client(engine);
        client.queues().by("ann").limits("default", l -> l.concurrency(1));
        start(engine, "o-0", "later");
        WorkflowHandle<Order, String> run = start(engine, "o-1", "visa");

        assertReason(
                run,
                Kind.ACTIVITY_QUEUED,
                "activity Payments.charge (1) waits in task queue \"default\" since T, where 1 run at once, which is its"
                        + " limit",
                "the end of a job of the queue");
    }

    @Test
    void a_paused_job_waits_for_its_resumption(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "refused");
        engine.client().activity("o-1", 1).by("ann").pause();

        assertReason(
                run,
                Kind.ACTIVITY_QUEUED,
                "activity Payments.charge (1) is paused",
                "client.activity(\"o-1\", 1).resume()");
    }

    @Test
    void an_incident_and_a_dead_letter_wait_for_an_operator(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "incident");

        assertReason(
                run,
                Kind.ACTIVITY_FAILED,
                "activity Payments.incident (1) is an incident since T: java.lang.IllegalStateException: the card is"
                        + " refused",
                "an operator, by client.incidents()");
        WorkflowHandle<Order, String> other = start(engine, "o-2", "dead letter");
        assertReason(
                other,
                Kind.ACTIVITY_FAILED,
                "activity Payments.deadLetter (1) is a dead letter since T: java.lang.IllegalStateException: the card is"
                        + " refused",
                "an operator, by client.deadLetters()");
    }

    @Test
    void a_timer_is_open(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "timer");

        assertReason(run, Kind.TIMER, "timer 1 (give the bank an hour), due at T", "that time");
        assertThat(only(run).until()).isEqualTo(only(run).since().plus(HOUR)).isAfter(engine.now());
    }

    @Test
    void a_child_is_open(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "child");

        assertReason(run, Kind.CHILD, "child o-1-child (Order), started at T", "the end of the child");
        engine.client().handle(Order.class, "o-1-child").signal(Order::approve);
        assertThat(run.result()).isEqualTo("had a child");
    }

    @Test
    void a_condition_is_not_true_and_nothing_else_is_open(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "approval");

        assertReason(
                run,
                Kind.CONDITION,
                "a condition of its code, as nothing else of the run is open",
                "a signal, an update or the request to cancel");
    }

    @Test
    void a_callback_is_open(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "callback");

        assertReason(run, Kind.OUTSIDE, "callback 1, opened at T, which times out at T", "the holder of its token");
        assertThat(only(run).until()).isEqualTo(only(run).since().plus(HOUR));
    }

    @Test
    void an_activity_is_left_to_the_holder_of_its_token(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "later");

        assertReason(
                run,
                Kind.OUTSIDE,
                "activity Payments.later (1) is left to the holder of its token: attempt 1, since T, until T at the latest",
                "the holder of its token");
    }

    @Test
    void a_paused_run_says_so_first_and_then_what_it_waits_for(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "timer");
        run.by("ann").pause("the address is checked");

        List<WaitingReason> reasons = run.whyWaiting().reasons();

        assertThat(reasons).extracting(WaitingReason::kind).containsExactly(Kind.PAUSED, Kind.TIMER);
        assertThat(words(reasons.getFirst().text()))
                .isEqualTo("the run is paused since T by ann: the address is checked");
        assertThat(reasons.getFirst().endedBy()).isEqualTo("resume() of its handle");
        run.resume();
        assertThat(only(run).kind()).isEqualTo(Kind.TIMER);
    }

    @Test
    void a_run_that_is_pinned_to_a_build_waits_for_a_process_of_that_build(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "approval");
        run.moveTo("2026-11-28.1");
        run.signal(Order::approve);
        engine.settle();

        assertReason(
                run,
                Kind.UNSERVED,
                "the run is due since T in task queue \"default\" and pinned to build \"2026-11-28.1\", of which no process"
                        + " serves it",
                "a process of that build, or moveTo(build) of its handle");
        assertThat(only(run).servedBy()).isEmpty();
    }

    @Test
    void a_run_whose_stall_holds_back_one_build_names_the_next_try_of_that(TestEngine engine) {
        client(engine.withoutReplayCheck().configure(builder -> builder.build("2026-11-28.1")));
        WorkflowHandle<Order, String> run = engine.client().start(Order.class, "o-1", w -> w.run("bug"));
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);

        assertThat(words(only(run).text())).endsWith("; it is tried again at T");
        assertThat(only(run).until()).isAfter(engine.now().minusSeconds(1));
        run.terminate("was seen");
    }

    @Test
    void a_stalled_run_names_the_cause_and_the_next_try(TestEngine engine) {
        client(engine.withoutReplayCheck());
        WorkflowHandle<Order, String> run = engine.client().start(Order.class, "o-1", w -> w.run("bug"));
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);

        WaitingReason reason = only(run);

        assertThat(words(reason.text()))
                .startsWith("the run has stalled 1 time: ")
                .contains("a bug")
                .endsWith("; it is tried again at T");
        assertThat(reason.kind()).isEqualTo(Kind.STALLED);
        assertThat(reason.until()).isAfter(engine.now().minusSeconds(1));
        assertThat(reason.endedBy()).isEqualTo("code that fits what was recorded");
        assertThat(run.whyWaiting().code()).isEmpty();
        run.terminate("was seen");
    }

    @Test
    void stalled_runs_are_grouped_by_type_cause_and_line(TestEngine engine) {
        client(engine.withoutReplayCheck());
        for (String id : List.of("o-1", "o-2", "o-3")) {
            engine.client().start(Order.class, id, w -> w.run(id.equals("o-3") ? "other bug" : "bug"));
            assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        }

        List<StallGroup> groups = engine.client().workflows().oldestFirst().stallGroups();

        assertThat(groups).extracting(StallGroup::count).containsExactly(2L, 1L);
        StallGroup first = groups.getFirst();
        assertThat(first.type()).isEqualTo("Order");
        assertThat(first.cause()).startsWith("Order o-1 is stalled: java.lang.StackOverflowError: a bug");
        assertThat(first.line()).matches("WhyWaitingTest.Order.run\\(WhyWaitingTest.java:\\d+\\)");
        assertThat(first.example().workflowId()).isEqualTo("o-1");
        assertThat(first.oldestStartedAt()).isEqualTo(first.example().startedAt());
        assertThat(first.exampleText())
                .isEqualTo(engine.client().handle("o-1").describe().stalledBy());
        assertThat(groups.get(1).example().workflowId()).isEqualTo("o-3");
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.workflowIdPrefix("o-3"))
                        .stallGroups())
                .hasSize(1);
        for (String id : List.of("o-1", "o-2", "o-3")) {
            engine.client().handle(id).terminate("was seen");
        }
        assertThat(engine.client().workflows().stallGroups()).isEmpty();
    }

    @Test
    void a_run_is_due_in_a_queue_that_no_process_serves(TestEngine engine) {
        client(engine);
        WorkflowHandle<Order, String> run =
                engine.client().start(Order.class, StartOptions.id("o-1").taskQueue("nowhere"), w -> w.run("timer"));
        engine.settle();

        assertReason(
                run,
                Kind.UNSERVED,
                "the run is due since T in task queue \"nowhere\", which no process serves",
                "a process that serves the queue");
        assertThat(run.whyWaiting().code()).isEmpty();
    }

    @Test
    void a_run_is_due_in_a_queue_whose_processes_lack_its_type(TestEngine engine) {
        client(engine);
        engine.settle();
        try (DurableEngine caller = DurableEngine.builder(new MeddledStore(engine.store()).store())
                .clientOnly()
                .start()) {
            caller.client().start("Stranger", StartOptions.id("o-1"), "something");
        }
        WorkflowHandle<?, ?> run = engine.client().handle("o-1");
        engine.settle();

        assertReason(
                run,
                Kind.UNSERVED,
                "the run is due since T in task queue \"default\", and of the processes that serve it none has the workflow"
                        + " type Stranger: worker-1",
                "a process that serves the queue and has the workflow type");
        assertThat(only(run).servedBy()).isEmpty();
    }

    @Test
    void a_run_waits_for_its_start_delay(TestEngine engine) {
        client(engine);
        WorkflowHandle<Order, String> run =
                engine.client().start(Order.class, StartOptions.id("o-1").startDelay(HOUR), w -> w.run("timer"));
        engine.settle();

        assertReason(run, Kind.DELAYED, "the first turn is delayed until T", "that time, or a message");
        assertThat(only(run).until()).isAfter(engine.now());
        assertThat(run.whyWaiting().code()).isEmpty();
    }

    @Workflow(retry = @Retry(maxAttempts = 2, initialInterval = "10m", jitter = 0))
    static class Fragile {
        @Run
        public void run() {
            throw new IllegalStateException("not yet");
        }
    }

    @Test
    void the_next_attempt_of_a_workflow_waits_for_its_back_off(TestEngine engine) {
        engine.register(Fragile.class);
        WorkflowHandle<Fragile, ?> run = engine.client().startVoid(Fragile.class, "f-1", Fragile::run);
        engine.settle();

        assertReason(run, Kind.DELAYED, "attempt 2 of the workflow is delayed until T", "that time");
    }

    @Test
    void the_whole_text_names_the_lines_of_the_code(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "approval in time");

        assertThat(words(run.whyWaiting().text()).replaceAll("Test.java:\\d+", "Test.java:n"))
                .isEqualTo(
                        "workflow o-1 (Order, run " + run.runId() + ") waits for:\n"
                                + "- timer 1, due at T; what ends it: that time\n"
                                + "  run at WhyWaitingTest.Order.run(WhyWaitingTest.java:n) waits for a condition or timer 1 due T");
        assertThat(run.whyWaiting().code())
                .extracting(CodeWait::line)
                .allMatch(line -> line.matches("WhyWaitingTest.Order.run\\(WhyWaitingTest.java:\\d+\\)"));
    }

    @Test
    void a_closed_run_waits_for_nothing_and_of_a_missing_one_it_is_said(TestEngine engine) {
        WorkflowHandle<Order, String> run = order(engine, "visa");
        assertThat(run.result()).isEqualTo("charged visa");

        assertThat(run.whyWaiting().reasons()).isEmpty();
        assertThat(words(run.whyWaiting().text()))
                .isEqualTo("workflow o-1 (Order, run " + run.runId() + ") waits for nothing: it is COMPLETED since T");
        assertThatThrownBy(() -> engine.client().handle("o-9").whyWaiting())
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("there is no run of workflow id o-9");
    }
}
