package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Runs that continue as new, as their callers and their code see them. Run on each kind of store. */
abstract class ContinueAsNewTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Collects words, a few in each run. */
    @Workflow
    static class Diary {
        private final List<String> words = new ArrayList<>();
        private boolean done;

        @Run
        public List<String> run(int each, List<String> before) {
            words.addAll(before);
            Durable.await(() -> done || words.size() - before.size() >= each);
            if (done) {
                return words;
            }
            throw Durable.continueAsNew(Diary.class, w -> w.run(each, words));
        }

        @Signal
        public void add(String word) {
            words.add(word);
        }

        @Signal
        public void finish() {
            done = true;
        }

        @Update
        public int append(String word) {
            words.add(word);
            return words.size();
        }

        @Update(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public String slowly(String word) {
            words.add("(" + word);
            Durable.sleep(HOUR);
            words.add(word + ")");
            return word;
        }

        @Update(unfinishedPolicy = HandlerUnfinishedPolicy.ABANDON)
        public String never(String word) {
            words.add(word);
            Durable.await(() -> false);
            return word;
        }
    }

    private static WorkflowHandle<Diary, List<String>> diary(TestEngine engine, int each) {
        engine.register(Diary.class);
        WorkflowHandle<Diary, List<String>> run =
                engine.client().start(Diary.class, "d-1", w -> w.run(each, List.of()));
        engine.settle();
        return run;
    }

    private static List<History> chain(TestEngine engine, WorkflowHandle<?, ?> last) {
        List<History> links = new ArrayList<>();
        UUID runId = last.describe().summary().runId();
        while (runId != null) {
            History history = engine.client()
                    .handle(Diary.class, last.workflowId(), runId)
                    .history();
            links.addFirst(history);
            runId = history.started().chain() == null
                    ? null
                    : history.started().chain().previousRunId();
        }
        return links;
    }

    @Test
    void a_run_goes_on_under_its_workflow_id_and_its_caller_gets_the_result_of_the_last(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 2);
        CompletableFuture<List<String>> later = run.resultAsync();
        for (String word : List.of("a", "b", "c", "d", "e")) {
            run.signal(w -> w.add(word));
            engine.settle();
        }
        run.signal(Diary::finish);

        assertThat(run.result()).containsExactly("a", "b", "c", "d", "e");
        assertThat(later.join()).containsExactly("a", "b", "c", "d", "e");
        assertThat(engine.client().handle(Diary.class, "d-1").resultAs(Object.class))
                .isEqualTo(List.of("a", "b", "c", "d", "e"));
        List<History> links = chain(engine, run);
        assertThat(links).hasSize(3);
        assertThat(links.getFirst().getLast()).isInstanceOf(WorkflowContinuedAsNew.class);
        assertThat(links.getFirst().started().chainId()).isEqualTo(run.runId());
        assertThat(links.getLast().started().chainId()).isEqualTo(run.runId());
    }

    @Test
    void messages_that_wait_move_to_the_next_run_in_their_order(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 1);
        run.pause("until all of them wait");
        for (int i = 0; i < 20; i++) {
            int number = i;
            run.signal(w -> w.add("w" + number));
        }
        run.signal(Diary::finish);
        run.resume();

        assertThat(run.result()).hasSize(20).startsWith("w0", "w1", "w2").endsWith("w18", "w19");
        assertThat(chain(engine, run)).hasSizeGreaterThan(10);
    }

    @Test
    void an_update_is_answered_whichever_run_gets_it_and_its_id_counts_for_the_chain(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 1);

        int first = run.update(w -> w.append("a"));
        assertThat(first).isEqualTo(1);
        UpdateHandle<Integer> second = run.startUpdate("u-2", w -> w.append("b"), WaitFor.COMPLETED);
        UpdateHandle<Integer> again = run.startUpdate("u-2", w -> w.append("c"), WaitFor.COMPLETED);
        assertThat(List.of(second.result(), again.result())).containsExactly(2, 2);
        assertThat(run.updateHandle("u-2", Integer.class).result()).isEqualTo(2);
        run.signal(Diary::finish);
        assertThat(run.result()).containsExactly("a", "b");
    }

    @Test
    void the_call_waits_for_handlers_and_takes_what_they_have_done_along(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 1);

        UpdateHandle<String> slow = run.startUpdate(w -> w.slowly("x"), WaitFor.ACCEPTED);
        run.signal(w -> w.add("meanwhile"));
        assertThat(slow.result()).isEqualTo("x");
        run.signal(Diary::finish);

        assertThat(run.result()).containsExactly("(x", "meanwhile", "x)");
        assertThat(chain(engine, run)).hasSize(2);
    }

    @Test
    void a_handler_that_may_be_abandoned_ends_with_its_run_and_its_caller_hears_of_it(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 2);

        UpdateHandle<String> never = run.startUpdate(w -> w.never("x"), WaitFor.ACCEPTED);
        run.signal(w -> w.add("y"));

        assertThatThrownBy(never::result).hasMessageContaining("the run continues as new");
        run.signal(Diary::finish);
        assertThat(run.result()).containsExactly("x", "y");
    }

    @Test
    void a_handle_with_a_run_id_is_of_that_run_alone(TestEngine engine) {
        WorkflowHandle<Diary, List<String>> run = diary(engine, 1);
        run.signal(w -> w.add("a"));
        engine.settle();
        WorkflowHandle<Diary, ?> first = engine.client().handle(Diary.class, "d-1", run.runId());

        assertThat(first.describe().summary().status()).isEqualTo(WorkflowStatus.CONTINUED_AS_NEW);
        assertThatThrownBy(first::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessage("workflow d-1 continued as new: the result is that of the last run of its chain, which a"
                        + " handle without a run id waits for");
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(run.describe().summary().runId()).isNotEqualTo(run.runId());
        run.terminate("enough");
        assertThatThrownBy(run::result).hasMessageContaining("terminated");
    }

    // ── the place of the call ───────────────────────────────────────────────────────────────────────────────────────

    @Activity
    interface Work {
        String slow(String name);
    }

    @Workflow
    static class Misplaced {
        private String where = "";
        private boolean handled;

        @Run
        public String run(String place) {
            switch (place) {
                case "async" ->
                    Durable.async(() -> {
                                again();
                                return null;
                            })
                            .get();
                case "detached" -> Durable.detached(() -> again());
                case "undo" -> {
                    Durable.compensate(() -> {});
                    again();
                }
                default -> Durable.await(() -> handled);
            }
            return where;
        }

        @Signal
        public void handle() {
            again();
        }

        private void again() {
            throw Durable.continueAsNew(Misplaced.class, w -> w.run("x"));
        }
    }

    @Test
    void elsewhere_than_in_run_itself_the_call_is_refused_and_the_run_stalls(TestEngine engine) {
        engine.register(Misplaced.class);
        for (String place : List.of("async", "detached", "undo", "handler")) {
            WorkflowHandle<Misplaced, String> run = engine.client().start(Misplaced.class, place, w -> w.run(place));
            if (place.equals("handler")) {
                run.signal(Misplaced::handle);
            }
            String why =
                    switch (place) {
                        case "async" -> "on 'async 1'. Only the @Run method itself ends the run";
                        case "detached" -> "inside Durable.detached";
                        case "undo" -> "while undos are registered by Durable.compensate";
                        default -> "on 'signal handle'";
                    };
            assertThatThrownBy(engine::settle)
                    .as(place)
                    .isInstanceOf(WorkflowStalledException.class)
                    .hasMessageContaining("Durable.continueAsNew was called " + why);
            run.terminate("seen");
        }
    }

    @Workflow
    static class Careless {
        @Run
        public String run(int left) {
            try {
                if (left > 0) {
                    throw Durable.continueAsNew("Careless", left - 1);
                }
                return "ended";
            } catch (Exception swallowed) {
                return "swallowed";
            } finally {
                if (left > 0) {
                    Durable.sleep(HOUR);
                }
            }
        }
    }

    @Test
    void no_catch_and_no_finally_of_the_code_sees_the_call_and_a_loop_of_runs_is_slowed_down(TestEngine engine) {
        engine.register(Careless.class);
        Instant began = engine.now();
        WorkflowHandle<Careless, String> run = engine.client().start(Careless.class, "c-1", w -> w.run(3));

        assertThat(run.result()).isEqualTo("ended");
        assertThat(Duration.between(began, engine.now())).isBetween(Duration.ofSeconds(3), Duration.ofMinutes(1));
    }

    // ── while the call waits ────────────────────────────────────────────────────────────────────────────────────────

    /** Calls continueAsNew while an activity is open whose cancellation it has to wait for. */
    @Workflow
    static class Draining {
        private final Work work;
        private final List<String> seen = new ArrayList<>();

        Draining(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run(List<String> before) {
            if (!before.isEmpty()) {
                return before;
            }
            Durable.async(() -> {
                Durable.detached(() -> Durable.sleep(HOUR));
                return null;
            });
            Durable.sleep(Duration.ofMinutes(1));
            throw Durable.continueAsNew(Draining.class, w -> w.run(seen));
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public void call(String word) {
            seen.add(work.slow(word));
        }

        @Signal
        public void wraps() {
            try {
                Durable.await(() -> false);
            } catch (CancelledException e) {
                throw new IllegalStateException("wrapped", e);
            }
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public void charge() {
            Durable.sleep(Duration.ofMinutes(5));
            Durable.compensate(() -> {});
        }
    }

    private static WorkflowHandle<Draining, List<String>> draining(TestEngine engine) {
        engine.register(Draining.class).activity(Work.class, name -> name + "!");
        WorkflowHandle<Draining, List<String>> run =
                engine.client().start(Draining.class, "w-1", w -> w.run(List.of()));
        engine.advance(Duration.ofMinutes(2));
        return run;
    }

    @Test
    void a_handler_that_begins_while_the_call_waits_calls_an_activity_as_at_any_time(TestEngine engine) {
        WorkflowHandle<Draining, List<String>> run = draining(engine);
        run.signal(w -> w.call("a"));
        engine.settle();

        assertThat(run.result()).containsExactly("a!");
        assertThat(run.history().started().chain()).isNotNull();
    }

    @Test
    void a_handler_that_wraps_its_cancellation_does_not_fail_a_run_that_continues(TestEngine engine) {
        WorkflowHandle<Draining, List<String>> run = draining(engine);
        run.signal(Draining::wraps);
        run.signal(w -> w.call("a"));

        assertThat(run.result()).containsExactly("a!");
    }

    @Test
    void undos_that_a_handler_registers_while_the_call_waits_are_not_lost(TestEngine engine) {
        WorkflowHandle<Draining, List<String>> run = draining(engine);
        run.signal(Draining::charge);

        assertThatThrownBy(() -> engine.advance(Duration.ofHours(2)))
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining("while undos are registered by Durable.compensate");
        run.terminate("seen");
    }

    @Workflow
    static class Computing {
        private final Work work;

        Computing(Work work) {
            this.work = work;
        }

        @Run
        public String run(String name) {
            throw switch (name) {
                case "activity" -> Durable.continueAsNew(Computing.class, w -> w.run(work.slow(name)));
                case "null" -> Durable.continueAsNew((Class<Computing>) null, w -> w.run(name));
                case "two calls" ->
                    Durable.continueAsNew(Computing.class, w -> {
                        w.run(name);
                        w.run(name);
                    });
                case "options" ->
                    Durable.continueAsNew(Computing.class, o -> o.runTimeout(Duration.ZERO), w -> w.run(name));
                default -> Durable.continueAsNew("durable.job", name);
            };
        }
    }

    @Test
    void what_the_next_run_can_not_be_given_is_refused_with_the_reason_and_the_run_stalls(TestEngine engine) {
        engine.register(Computing.class).activity(Work.class, name -> name);
        for (String name : List.of("activity", "null", "two calls", "options", "job")) {
            WorkflowHandle<Computing, String> run = engine.client().start(Computing.class, name, w -> w.run(name));
            assertThatThrownBy(engine::settle)
                    .as(name)
                    .isInstanceOf(WorkflowStalledException.class)
                    .hasMessageContaining(
                            switch (name) {
                                case "activity" -> "was called in the lambda of Durable.continueAsNew";
                                case "null" -> "was given null as the type, the options or the call";
                                case "two calls" -> "A lambda stands for exactly one call";
                                case "options" -> "runTimeout must be longer than zero, not PT0S";
                                default -> "durable.job is the type of background jobs";
                            });
            run.terminate("seen");
        }
    }

    @Workflow
    static class Restless {
        private boolean stopped;

        @Run
        public String run(int times) {
            if (stopped) {
                return "stopped after " + times;
            }
            throw Durable.continueAsNew(Restless.class, w -> w.run(times + 1));
        }

        @Signal
        public void stop() {
            stopped = true;
        }

        @Update
        public String halt(String how) {
            stopped = how.equals("now");
            return how;
        }

        @Update.Validator("halt")
        public void knows(String how) {
            if (how.isEmpty()) {
                throw new IllegalArgumentException("halt how?");
            }
        }
    }

    @Test
    void a_run_that_continues_without_waiting_sees_the_messages_that_wait_for_it(TestEngine engine) {
        engine.register(Restless.class);
        WorkflowHandle<Restless, String> run = engine.client().start(Restless.class, "r-1", w -> w.run(0));
        engine.advance(Duration.ofSeconds(3));
        run.signal(Restless::stop);

        assertThat(run.result()).startsWith("stopped after ");
    }

    @Test
    void a_run_that_continues_without_waiting_answers_the_updates_that_wait_for_it(TestEngine engine) {
        engine.register(Restless.class);
        WorkflowHandle<Restless, String> run = engine.client().start(Restless.class, "r-1", w -> w.run(0));
        engine.advance(Duration.ofSeconds(3));
        int before = chain(engine, run).size();

        assertThatThrownBy(() -> run.update(w -> w.halt("")))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("halt how?");
        String later = run.update(w -> w.halt("later"));
        assertThat(later).isEqualTo("later");
        assertThat(chain(engine, run).size()).isLessThan(before + 9);
        String now = run.update(w -> w.halt("now"));
        assertThat(now).isEqualTo("now");

        assertThat(run.result()).startsWith("stopped after ");
    }

    /** Sends itself a word and continues, both in its first turn. */
    @Workflow
    static class Whisperer {
        private final List<String> heard = new ArrayList<>();

        @Run
        public List<String> run(boolean listens) {
            if (!listens) {
                Durable.external(Whisperer.class, "w-1").signal(w -> w.hear("psst"));
                throw Durable.continueAsNew(Whisperer.class, w -> w.run(true));
            }
            Durable.await(() -> !heard.isEmpty());
            return heard;
        }

        @Signal
        public void hear(String word) {
            heard.add(word);
        }
    }

    @Test
    void a_message_to_itself_from_a_first_turn_that_continues_is_for_the_next_run(TestEngine engine) {
        engine.register(Whisperer.class);
        WorkflowHandle<Whisperer, List<String>> run = engine.client().start(Whisperer.class, "w-1", w -> w.run(false));

        assertThat(run.result()).containsExactly("psst");
        assertThat(chain(engine, run)).hasSize(2);
    }

    // ── what moves along ────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class First {
        private final Work work;

        First(Work work) {
            this.work = work;
        }

        @Run
        public String run(String name) {
            Promise<String> unfinished = Durable.async(work::slow, name);
            Durable.timer(HOUR);
            Durable.external(Diary.class, "d-1").signal("add", "from " + name);
            Durable.sleep(Duration.ofMinutes(1));
            if (unfinished.isDone()) {
                return "too early";
            }
            throw Durable.continueAsNew(
                    Second.class, o -> o.startDelay(Duration.ofMinutes(5)).runTimeout(HOUR), w -> w.run(name));
        }
    }

    @Workflow
    static class Second {
        @Run
        public String run(String name) {
            Durable.external(Diary.class, "d-1").signal("add", "second of " + name);
            return name + " " + Durable.info().headers();
        }
    }

    @Test
    void another_type_goes_on_with_options_of_its_own_and_what_the_start_has_said(TestEngine engine) {
        engine.register(First.class, Second.class).activity(Work.class, name -> {
            throw new IllegalStateException("not yet");
        });
        WorkflowHandle<Diary, List<String>> diary = diary(engine, 9);
        WorkflowHandle<First, String> run = engine.client()
                .start(
                        First.class,
                        StartOptions.id("f-1")
                                .memo("customer", "ann")
                                .header("tenant", "t-1")
                                .executionTimeout(Duration.ofHours(5)),
                        w -> w.run("f"));

        assertThat(run.resultAs(String.class)).isEqualTo("f {tenant=t-1}");
        engine.settle();
        assertThat(run.describe().summary().memo()).containsEntry("customer", "ann");
        assertThat(run.describe().summary().type()).isEqualTo("Second");
        History second = run.history();
        History first = engine.client().handle(First.class, "f-1", run.runId()).history();
        WorkflowStarted started = second.started();
        assertThat(started.startDelay()).isEqualTo(Duration.ofMinutes(5));
        assertThat(started.runTimeout()).isEqualTo(HOUR);
        assertThat(started.executionDeadline()).isEqualTo(first.started().executionDeadline());
        assertThat(started.runDeadline()).isAfter(started.at().plus(HOUR));
        assertThat(first.stream().map(HistoryEvent::type)).contains("TimerCancelled", "ActivityCancelRequested");
        diary.signal(Diary::finish);
        assertThat(diary.result()).containsExactly("from f", "second of f");
    }

    @Workflow(name = "Hop")
    static class Hop {
        @Run
        public String run() {
            throw Durable.continueAsNew(Landing.class, w -> w.run("there"));
        }
    }

    @Workflow(name = "Landing", taskQueue = "landings")
    static class Landing {
        @Run
        public String run(String where) {
            return where;
        }
    }

    @Workflow(name = "Hop")
    static class HopToRenamed {
        @Run
        public String run() {
            throw Durable.continueAsNew(Arrival.class, w -> w.run("there"));
        }
    }

    @Workflow(name = "Arrival", aliases = "Landing")
    static class Arrival {
        @Run
        public String run(String where) {
            return where;
        }
    }

    @Test
    void the_next_type_may_be_renamed_with_its_former_name_as_an_alias(TestEngine engine) {
        engine.register(Hop.class, Landing.class);
        WorkflowHandle<Hop, String> run = engine.client().start(Hop.class, "h-1", w -> w.run());
        assertThat(run.resultAs(String.class)).isEqualTo("there");
        History first = engine.client().handle(Hop.class, "h-1", run.runId()).history();

        Replayer.of(HopToRenamed.class).replay(first);

        assertThatThrownBy(() -> Replayer.of(HopElsewhere.class).replay(first))
                .hasMessageContaining("WorkflowContinuedAsNew of Landing with [\"there\"]");
    }

    @Workflow(name = "Hop")
    static class HopElsewhere {
        @Run
        public String run() {
            throw Durable.continueAsNew(Diary.class, w -> w.run(1, List.of()));
        }
    }

    @Test
    void a_type_that_this_worker_does_not_have_goes_on_with_a_warning_that_names_the_queues(TestEngine engine) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.internal");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        String id = "h-" + UUID.randomUUID();
        try {
            engine.register(Hop.class);
            engine.client().start(Hop.class, id, w -> w.run());
            engine.settle();
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith(id))
                .singleElement()
                .isEqualTo(id
                        + " continues as Landing on its own task queue default, and this worker serves that queue and"
                        + " registers no such type, whose class names task queue landings: the chain waits until a worker of"
                        + " the queue does. Usual cause: the option taskQueue(…) of the call was left out");
    }

    @Workflow
    static class Cancellable {
        @Run
        public String run() {
            try {
                Durable.await(() -> false);
            } catch (CancelledException e) {
                throw Durable.continueAsNew(Cancellable.class, w -> w.run());
            }
            return "";
        }
    }

    @Test
    void a_cancelled_run_does_not_continue(TestEngine engine) {
        engine.register(Cancellable.class);
        WorkflowHandle<Cancellable, String> run = engine.client().start(Cancellable.class, "x-1", w -> w.run());
        engine.settle();
        run.cancel("enough");

        assertThatThrownBy(run::result).hasMessageContaining("cancelled");
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
        assertThatThrownBy(() -> run.cancel("again")).isInstanceOf(WorkflowNotFoundException.class);
    }
}
