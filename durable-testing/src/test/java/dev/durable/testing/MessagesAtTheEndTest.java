package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The race matrix of the end of a run and the messages whose senders have learned that they are accepted: a message
 * that waits when the run would end is seen before it ends. Run on each kind of store.
 */
abstract class MessagesAtTheEndTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Activity
    interface Work {
        String greet(String name);

        /** Runs as a job; tells of it. */
        void undo(String what);
    }

    @Workflow
    static class Drain {
        private final Work work;
        private final ArrayDeque<String> queue = new ArrayDeque<>();

        Drain(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run() {
            List<String> greeted = new ArrayList<>();
            Durable.await(() -> !queue.isEmpty());
            while (!queue.isEmpty()) {
                greeted.add(work.greet(queue.remove()));
            }
            return greeted;
        }

        @Signal
        public void add(String name) {
            queue.add(name);
        }
    }

    /** Ends as its first word says, with the words that it has heard. */
    @Workflow
    static class Words {
        private final Work work;
        private final List<String> heard = new ArrayList<>();

        Words(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run(String how) {
            if (how.equals("undo")) {
                Durable.compensate(() -> work.undo("all"));
            }
            try {
                if (how.equals("timer")) {
                    Durable.sleep(HOUR);
                } else if (how.equals("timed")) {
                    Durable.await(HOUR, () -> !heard.isEmpty());
                } else {
                    Durable.await(() -> !heard.isEmpty());
                }
            } finally {
                heard.add("end");
            }
            if (how.equals("fail") || how.equals("undo")) {
                throw new IllegalStateException("heard " + heard);
            }
            return heard;
        }

        @Signal
        public void say(String word) {
            heard.add(word);
        }

        @Signal
        public void fail(String word) {
            heard.add(word);
            throw new IllegalArgumentException("told to fail, having heard " + heard);
        }
    }

    /** Its handlers take a step. */
    @Workflow
    static class Slow {
        private final Work work;
        private final List<String> done = new ArrayList<>();
        private boolean over;

        Slow(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run(boolean waits) {
            Durable.await(() -> over);
            if (waits) {
                Durable.await(Durable::allHandlersFinished);
            }
            return done;
        }

        @Signal
        public void cut(String name) {
            done.add(work.greet(name));
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public void kept(String name) {
            done.add(work.greet(name));
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.ABANDON)
        public void lax(String name) {
            done.add(work.greet(name));
        }

        @Signal
        public void end() {
            over = true;
        }
    }

    /** Waits for so many words. */
    @Workflow
    static class Count {
        private final Work work;
        private final List<String> heard = new ArrayList<>();

        Count(Work work) {
            this.work = work;
        }

        @Run
        public int run(int many, boolean undo) {
            if (undo) {
                Durable.compensate(() -> work.undo("all"));
            }
            Durable.await(() -> heard.size() >= many);
            if (undo) {
                throw new IllegalStateException("heard " + heard.size());
            }
            return heard.size();
        }

        @Signal
        public void say(String word) {
            heard.add(word);
        }
    }

    /** Each word cancels the activity that the word before it has begun. */
    @Workflow
    static class Debounce {
        private final Work work;
        private final List<String> heard = new ArrayList<>();
        private @Nullable Promise<String> pending;

        Debounce(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run() {
            Durable.await(() -> !heard.isEmpty());
            return List.copyOf(heard);
        }

        @Signal
        public void say(String word) {
            if (pending != null) {
                pending.cancel();
            }
            pending = Durable.async(work::greet, word);
            heard.add(word);
        }
    }

    /** Drains what came until a handler that it waits for gave the word. */
    @Workflow
    static class Kept {
        private final Work work;
        private final ArrayDeque<String> queue = new ArrayDeque<>();
        private boolean go;

        Kept(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run() {
            List<String> drained = new ArrayList<>();
            Durable.await(() -> go);
            while (!queue.isEmpty()) {
                drained.add(queue.remove());
            }
            return drained;
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public void slow(String name) {
            work.greet(name + " 1");
            go = true;
            work.greet(name + " 2");
        }

        @Signal
        public void add(String word) {
            queue.add(word);
        }
    }

    /** Never waits for anything that its caller gives. */
    @Workflow
    static class Hasty {
        private final Work work;
        private final ArrayDeque<String> queue = new ArrayDeque<>();

        Hasty(Work work) {
            this.work = work;
        }

        @Run
        public List<String> run(String how) {
            List<String> drained = new ArrayList<>();
            while (!queue.isEmpty()) {
                drained.add(queue.remove());
            }
            if (how.equals("fail")) {
                throw new IllegalStateException("drained " + drained);
            }
            if (how.equals("call")) {
                Durable.async(work::undo, "all");
            }
            return drained;
        }

        @Signal
        public void add(String word) {
            queue.add(word);
        }

        @Signal
        public void fail(String word) {
            throw new IllegalArgumentException("told to fail, having heard " + queue);
        }
    }

    private final Map<String, Runnable> during = new ConcurrentHashMap<>();
    private final List<String> undone = Collections.synchronizedList(new ArrayList<>());

    private void set(TestEngine engine) {
        engine.register(Drain.class, Words.class, Slow.class, Count.class, Debounce.class, Kept.class, Hasty.class);
        engine.activity(Work.class, new Work() {
            @Override
            public String greet(String name) {
                during.getOrDefault(name, () -> {}).run();
                return "hello " + name;
            }

            @Override
            public void undo(String what) {
                during.getOrDefault("undo", () -> {}).run();
                undone.add(what);
            }
        });
    }

    private WorkflowHandle<Words, List<String>> words(TestEngine engine, String how) {
        set(engine);
        WorkflowHandle<Words, List<String>> run = engine.client().start(Words.class, "w-1", w -> w.run(how));
        engine.settle();
        return run;
    }

    private WorkflowHandle<Hasty, List<String>> hasty(TestEngine engine, String how) {
        set(engine);
        return engine.client().start(Hasty.class, StartOptions.id("h-1").startDelay(HOUR), w -> w.run(how));
    }

    /** Sends messages while no worker runs the code, which then has all of them at once. */
    private static void whileAway(TestEngine engine, WorkflowHandle<?, ?> run, Runnable sending) {
        run.pause("away");
        engine.settle();
        sending.run();
        run.resume();
        engine.settle();
    }

    private static List<Boolean> withNext(WorkflowHandle<?, ?> run) {
        return run.history().stream()
                .filter(SignalReceived.class::isInstance)
                .map(event -> ((SignalReceived) event).withNext())
                .toList();
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    // ── the run returns ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void signals_that_come_during_the_last_step_of_a_drain_loop_are_drained(TestEngine engine) {
        set(engine);
        WorkflowHandle<Drain, List<String>> run = engine.client().start(Drain.class, "d-1", Drain::run);
        during.put("ann", () -> Arrays.asList("bob", "cid").forEach(name -> run.signal(w -> w.add(name))));
        during.put("cid", () -> run.signal(w -> w.add("dan")));
        run.signal(w -> w.add("ann"));

        assertThat(run.result()).containsExactly("hello ann", "hello bob", "hello cid", "hello dan");
        assertThat(types(run).subList(types(run).size() - 6, types(run).size()))
                .as("the message stands before what would have ended the run")
                .containsExactly(
                        "ActivityScheduled",
                        "SignalReceived",
                        "ActivityCompleted",
                        "ActivityScheduled",
                        "ActivityCompleted",
                        "WorkflowCompleted");
    }

    @Test
    void of_many_signals_that_wait_the_first_does_not_end_the_run_alone(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "return");
        whileAway(engine, run, () -> List.of("a", "b", "c").forEach(word -> run.signal(w -> w.say(word))));

        assertThat(run.result()).containsExactly("a", "b", "c", "end");
        assertThat(withNext(run)).containsExactly(true, true, false);
    }

    @Test
    void a_signal_that_waits_is_seen_before_the_timer_that_ends_the_run(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "timer");
        whileAway(engine, run, () -> {
            engine.advance(HOUR.plusMinutes(1));
            run.signal(w -> w.say("late but there"));
        });

        assertThat(run.result()).containsExactly("late but there", "end");
    }

    @Test
    void of_a_wait_with_a_time_limit_the_signal_that_waits_beats_the_limit_that_ends_the_run(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "timed");
        whileAway(engine, run, () -> {
            engine.advance(HOUR.plusMinutes(1));
            run.signal(w -> w.say("yes"));
        });

        assertThat(run.result()).containsExactly("yes", "end");
    }

    @Test
    void a_thousand_and_more_signals_that_wait_are_all_seen(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "return");
        whileAway(engine, run, () -> {
            for (int i = 0; i < 1_020; i++) {
                String word = "w" + i;
                run.signal(w -> w.say(word));
            }
        });

        assertThat(run.result()).hasSize(1_021).startsWith("w0", "w1").endsWith("w1019", "end");
    }

    @Test
    void more_signals_than_are_read_at_a_time_end_the_run_when_all_are_seen(TestEngine engine) {
        set(engine);
        WorkflowHandle<Count, Integer> run = engine.client().start(Count.class, "c-1", w -> w.run(1_010, false));
        engine.settle();
        whileAway(engine, run, () -> {
            for (int i = 0; i < 1_040; i++) {
                run.signal(w -> w.say("word"));
            }
        });

        assertThat(run.result()).isEqualTo(1_040);
    }

    @Test
    void what_messages_cancel_that_are_fed_together_does_not_come_between_them(TestEngine engine) {
        set(engine);
        WorkflowHandle<Debounce, List<String>> run = engine.client().start(Debounce.class, "d-1", Debounce::run);
        engine.settle();
        whileAway(engine, run, () -> List.of("a", "b", "c").forEach(word -> run.signal(w -> w.say(word))));

        assertThat(run.result()).containsExactly("a", "b", "c");
        assertThat(withNext(run)).containsExactly(true, true, false);
        assertThat(((WorkflowCompleted) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void a_run_that_never_waits_has_seen_what_waits_when_it_begins(TestEngine engine) {
        WorkflowHandle<Hasty, List<String>> run = hasty(engine, "");
        run.pause();
        List.of("a", "b").forEach(word -> run.signal(w -> w.add(word)));
        run.resume();

        assertThat(run.result()).containsExactly("a", "b");
        assertThat(types(run))
                .containsExactly(
                        "WorkflowStarted",
                        "WorkflowPaused",
                        "WorkflowResumed",
                        "FirstTurnStarted",
                        "SignalReceived",
                        "SignalReceived",
                        "WorkflowCompleted");
        assertThat(((WorkflowCompleted) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void a_run_that_never_waits_sees_the_signal_that_it_was_started_with(TestEngine engine) {
        set(engine);
        WorkflowHandle<Hasty, List<String>> run =
                engine.client().signalWithStart(Hasty.class, StartOptions.id("h-1"), w -> w.run(""), w -> w.add("a"));

        assertThat(run.result()).containsExactly("a");
    }

    @Test
    void a_handler_that_throws_before_a_run_that_never_waits_fails_it(TestEngine engine) {
        WorkflowHandle<Hasty, List<String>> run = hasty(engine, "");
        run.pause();
        run.signal(w -> w.add("a"));
        run.signal(w -> w.fail("b"));
        run.signal(w -> w.add("c"));
        run.resume();

        assertThatThrownBy(run::result)
                .hasRootCauseMessage("java.lang.IllegalArgumentException: told to fail, having heard [a]");
        assertThat(withNext(run)).containsExactly(true, true, false);
        assertThat(((WorkflowFailed) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void a_run_that_fails_in_its_first_turn_has_seen_what_waits(TestEngine engine) {
        WorkflowHandle<Hasty, List<String>> run = hasty(engine, "fail");
        run.pause();
        run.signal(w -> w.add("a"));
        run.resume();

        assertThatThrownBy(run::result).hasRootCauseMessage("java.lang.IllegalStateException: drained [a]");
    }

    @Test
    void a_request_to_cancel_comes_before_a_run_that_would_end_in_its_first_turn(TestEngine engine) {
        WorkflowHandle<Hasty, List<String>> run = hasty(engine, "call");
        run.pause();
        run.signal(w -> w.add("a"));
        run.cancel("enough");
        run.resume();

        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(run.history().getLast()).isInstanceOf(WorkflowCancelled.class);
        assertThat(undone).isEmpty();
    }

    @Test
    void a_run_that_waits_begins_before_what_waits_for_it(TestEngine engine) {
        set(engine);
        WorkflowHandle<Words, List<String>> run =
                engine.client().start(Words.class, StartOptions.id("w-1").startDelay(HOUR), w -> w.run("wait"));
        run.pause();
        run.signal(w -> w.say("a"));
        run.resume();

        assertThat(run.result()).containsExactly("a", "end");
        assertThat(run.history().stream().filter(FirstTurnStarted.class::isInstance))
                .allSatisfy(first ->
                        assertThat(((FirstTurnStarted) first).withNext()).isFalse());
    }

    // ── it fails, it is cancelled ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_run_that_fails_has_seen_what_waits(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "fail");
        whileAway(engine, run, () -> List.of("a", "b").forEach(word -> run.signal(w -> w.say(word))));

        assertThatThrownBy(run::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasRootCauseMessage("java.lang.IllegalStateException: heard [a, b, end]");
    }

    @Test
    void a_handler_that_throws_fails_the_run_when_the_messages_behind_it_are_handled(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "timer");
        whileAway(engine, run, () -> {
            run.signal(w -> w.say("a"));
            run.signal(w -> w.fail("b"));
            run.signal(w -> w.say("c"));
        });

        assertThatThrownBy(run::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasRootCauseMessage("java.lang.IllegalArgumentException: told to fail, having heard [a, b]");
        assertThat(withNext(run)).containsExactly(true, true, false);
        assertThat(((WorkflowFailed) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void a_run_that_is_cancelled_has_seen_the_signals_before_and_behind_the_request(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "timer");
        whileAway(engine, run, () -> {
            run.signal(w -> w.say("a"));
            run.cancel("enough");
            run.signal(w -> w.say("b"));
        });

        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(types(run))
                .containsSubsequence(
                        "SignalReceived", "WorkflowCancelRequested", "SignalReceived", "WorkflowCancelled");
        assertThat(((WorkflowCancelled) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void a_request_to_cancel_that_waits_is_seen_before_the_run_ends(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "timer");
        whileAway(engine, run, () -> {
            engine.advance(HOUR.plusMinutes(1));
            run.cancel("enough");
        });

        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(run.history().getLast()).isInstanceOf(WorkflowCancelled.class);
    }

    // ── clean-up and compensations ──────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_run_that_will_be_undone_has_seen_what_waits_when_it_fails(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "undo");
        whileAway(engine, run, () -> List.of("a", "b").forEach(word -> run.signal(w -> w.say(word))));

        assertThatThrownBy(run::result).hasRootCauseMessage("java.lang.IllegalStateException: heard [a, b, end]");
        assertThat(undone).containsExactly("all");
        assertThat(((WorkflowFailed) run.history().getLast()).lateMessages()).isZero();
    }

    @Test
    void what_comes_during_compensations_is_handled_and_counted_as_late(TestEngine engine) {
        WorkflowHandle<Words, List<String>> run = words(engine, "undo");
        during.put("undo", () -> List.of("x", "y").forEach(word -> run.signal(w -> w.say(word))));
        run.signal(w -> w.say("a"));

        assertThatThrownBy(run::result).hasRootCauseMessage("java.lang.IllegalStateException: heard [a, end]");
        WorkflowFailed failed = (WorkflowFailed) run.history().getLast();
        assertThat(failed.lateMessages()).isEqualTo(2);
        assertThat(run.history()).receivedSignals("say", "say", "say");
    }

    // ── handlers that have not returned ─────────────────────────────────────────────────────────────────────────────

    @Test
    void a_handler_that_has_not_returned_is_cut_and_counted(TestEngine engine) {
        assertThat(slow(engine, false, "cut")).isEmpty();
        assertThat(closing(engine).abandonedHandlers()).isEqualTo(2);
    }

    @Test
    void a_handler_that_may_be_cut_is_counted_too(TestEngine engine) {
        assertThat(slow(engine, false, "lax")).isEmpty();
        assertThat(closing(engine).abandonedHandlers()).isEqualTo(2);
    }

    @Test
    void a_handler_that_is_to_be_waited_for_ends_before_the_run_does(TestEngine engine) {
        assertThat(slow(engine, false, "kept")).containsExactlyInAnyOrder("hello a", "hello b");
        assertThat(closing(engine).abandonedHandlers()).isZero();
    }

    @Test
    void a_message_behind_the_end_of_the_last_handler_that_is_waited_for_is_worked_off(TestEngine engine) {
        set(engine);
        WorkflowHandle<Slow, List<String>> run = engine.client().start(Slow.class, "s-1", w -> w.run(false));
        engine.settle();
        during.put("a", () -> run.pause("away"));
        whileAway(engine, run, () -> {
            run.signal(Slow::end);
            run.signal(w -> w.kept("a"));
        });
        run.signal(w -> w.kept("b"));
        run.resume();

        assertThat(run.result()).containsExactlyInAnyOrder("hello a", "hello b");
        assertThat(closing(engine).lateMessages()).isPositive();
    }

    @Test
    void what_waits_when_the_run_waits_for_its_handlers_is_seen_and_what_comes_then_is_late(TestEngine engine) {
        set(engine);
        WorkflowHandle<Kept, List<String>> run = engine.client().start(Kept.class, "k-1", Kept::run);
        engine.settle();
        during.put("a 1", () -> run.signal(w -> w.add("waits")));
        during.put("a 2", () -> run.signal(w -> w.add("meanwhile")));
        run.signal(w -> w.slow("a"));

        assertThat(run.result()).containsExactly("waits");
        WorkflowCompleted completed = (WorkflowCompleted) run.history().getLast();
        assertThat(completed.lateMessages()).isEqualTo(1);
        assertThat(completed.abandonedHandlers()).isZero();
    }

    @Test
    void a_run_can_wait_for_all_handlers_of_messages_that_waited(TestEngine engine) {
        assertThat(slow(engine, true, "cut")).containsExactlyInAnyOrder("hello a", "hello b");
        assertThat(closing(engine).abandonedHandlers()).isZero();
    }

    private List<String> slow(TestEngine engine, boolean waits, String signal) {
        set(engine);
        WorkflowHandle<Slow, List<String>> run = engine.client().start(Slow.class, "s-1", w -> w.run(waits));
        engine.settle();
        whileAway(engine, run, () -> {
            run.signal(Slow::end);
            engine.client().handle("s-1").signal(signal, "a");
            engine.client().handle("s-1").signal(signal, "b");
        });
        return run.result();
    }

    private static WorkflowCompleted closing(TestEngine engine) {
        return (WorkflowCompleted) engine.client().history("s-1").getLast();
    }
}
