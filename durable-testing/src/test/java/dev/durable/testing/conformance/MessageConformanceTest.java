package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateFailedException;
import dev.durable.UpdateNotCompletedException;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.HistoryEvent;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Signals, queries and updates as the feature lists of other engines name them; {@code docs/conformance.md}. */
@DurableTest
class MessageConformanceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Activity
    interface Desk {
        String stamp(String paper);

        /** Sends an update to the run that calls it, and waits for the answer. */
        int askBack(int by);
    }

    /** Counts, and takes every kind of message. */
    @Workflow
    static class Counter {
        static final AtomicInteger VALIDATED = new AtomicInteger();

        private final Desk desk;
        private final List<String> words = new ArrayList<>();
        private int count;
        private boolean closing;

        Counter(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<String> run(int first) {
            count = first;
            Durable.await(() -> closing);
            return words;
        }

        @Signal
        void say(String word) {
            words.add(word);
        }

        @Signal
        void stamp(String paper) {
            words.add(desk.stamp(paper));
        }

        @Signal
        void stampTwice(String paper) {
            var first = Durable.async(desk::stamp, paper);
            var second = Durable.async(desk::stamp, paper + "'");
            words.add(first.get() + second.get());
        }

        @Signal
        void ask(int by) {
            words.add("told " + desk.askBack(by) + ", has " + count);
        }

        @Signal
        void close() {
            closing = true;
        }

        @Query
        int count() {
            return count;
        }

        @Query
        String countPlus(int more) {
            return "count " + (count + more);
        }

        @Query
        int broken() {
            throw new IllegalStateException("no answer");
        }

        @Update
        int add(int by) {
            count += by;
            return count;
        }

        @Update.Validator("add")
        void check(int by) {
            VALIDATED.incrementAndGet();
            if (by < 0) {
                throw new IllegalArgumentException("only up");
            }
        }

        @Update
        String stamped(String paper) {
            return desk.stamp(paper);
        }

        @Update(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        String kept(String paper) {
            return slowly(paper);
        }

        @Update
        String slowly(String paper) {
            Durable.sleep(HOUR);
            return paper;
        }
    }

    private static WorkflowHandle<Counter, List<String>> counter(TestEngine engine) {
        AtomicReference<DurableClient> client = new AtomicReference<>();
        engine.register(Counter.class).activity(Desk.class, new Desk() {
            @Override
            public String stamp(String paper) {
                return "[" + paper + "]";
            }

            @Override
            public int askBack(int by) {
                String me = ActivityContext.current().info().workflowId();
                return client.get().handle(Counter.class, me).update(w -> w.add(by));
            }
        });
        client.set(engine.client());
        WorkflowHandle<Counter, List<String>> run = engine.client().start(Counter.class, "c-1", w -> w.run(1));
        engine.settle();
        return run;
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    // ── signals ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_signal_changes_the_state_of_its_run_and_lets_it_go_on(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.signal(w -> w.say("hello"));
        run.signal(Counter::close);

        assertThat(run.result()).containsExactly("hello");
    }

    @Test
    void a_handler_of_a_signal_calls_activities_one_after_another_and_at_the_same_time(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.signal(w -> w.stamp("a"));
        engine.settle();
        run.signal(w -> w.stampTwice("b"));
        engine.settle();
        run.signal(Counter::close);

        assertThat(run.result()).containsExactly("[a]", "[b][b']");
    }

    @Test
    void two_hundred_signals_of_one_caller_are_handled_in_the_order_of_the_calls(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        List<String> sent = IntStream.range(0, 200).mapToObj(i -> "w" + i).toList();
        sent.forEach(word -> run.signal(w -> w.say(word)));
        run.signal(Counter::close);

        assertThat(run.result()).isEqualTo(sent);
    }

    @Test
    void a_signal_by_a_name_that_the_type_does_not_have_is_refused_before_it_is_sent(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.signal("shout", "hello"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("workflow Counter has no signal shout");
    }

    @Test
    void a_signal_to_a_run_that_has_ended_is_refused(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.signal(Counter::close);
        assertThat(run.result()).isEmpty();

        assertThatThrownBy(() -> run.signal(w -> w.say("late"))).isInstanceOf(WorkflowNotFoundException.class);
    }

    // ── queries ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_query_is_answered_from_the_state_between_messages_and_records_nothing(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        int before = run.query(Counter::count);
        run.updateVoid(w -> w.add(4));
        List<String> events = types(run);
        int after = run.query(Counter::count);

        assertThat(List.of(before, after)).containsExactly(1, 5);
        assertThat(types(run)).isEqualTo(events);
    }

    @Test
    void a_query_of_a_run_that_has_ended_is_answered(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.updateVoid(w -> w.add(1));
        run.signal(Counter::close);
        assertThat(run.result()).isEmpty();

        int count = run.query(Counter::count);
        assertThat(count).isEqualTo(2);
    }

    @Test
    void a_query_of_a_paused_run_is_answered(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.pause("for a look");

        int count = run.query(Counter::count);
        assertThat(count).isEqualTo(1);
        run.resume();
    }

    @Test
    void a_query_is_answered_where_no_worker_serves_the_run(TestEngine engine) {
        engine.queue("other", q -> {}).register(Counter.class).activity(Desk.class, new Desk() {
            @Override
            public String stamp(String paper) {
                return paper;
            }

            @Override
            public int askBack(int by) {
                return by;
            }
        });
        WorkflowHandle<Counter, List<String>> run = engine.client().start(Counter.class, "c-1", w -> w.run(7));

        int count = run.query(Counter::count);
        assertThat(count).as("the caller's process replays the history").isEqualTo(7);
        run.terminate("seen");
    }

    @Test
    void a_query_by_a_name_that_the_type_does_not_have_is_refused_with_the_names_that_it_has(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query("size", Integer.class))
                .hasMessageContaining("size")
                .hasMessageContaining("countPlus");
    }

    @Test
    void a_query_with_an_argument_of_another_type_is_refused(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query("countPlus", String.class, "many")).hasMessageContaining("countPlus");
    }

    @Test
    void a_query_with_an_argument_too_few_is_refused(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query("countPlus", String.class)).hasMessageContaining("countPlus");
    }

    @Test
    void a_query_with_an_argument_too_many_is_refused(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query("countPlus", String.class, 1, 2)).hasMessageContaining("countPlus");
    }

    @Test
    void an_answer_that_is_read_as_another_type_is_an_error_of_the_caller_only(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query("countPlus", Integer.class, 1)).hasMessageContaining("countPlus");
        run.signal(Counter::close);
        assertThat(run.result()).isEmpty();
    }

    @Test
    void an_exception_of_a_query_reaches_its_caller_and_the_run_goes_on(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        assertThatThrownBy(() -> run.query((Counter w) -> w.broken()))
                .isInstanceOf(QueryFailedException.class)
                .hasStackTraceContaining("no answer");
        run.signal(Counter::close);
        assertThat(run.result()).isEmpty();
    }

    // ── updates ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_update_changes_the_state_and_gives_its_value(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        int answer = run.update(w -> w.add(2));
        int count = run.query(Counter::count);

        assertThat(List.of(answer, count)).containsExactly(3, 3);
    }

    @Test
    void a_handler_of_an_update_calls_an_activity(TestEngine engine) {
        String answer = counter(engine).update(w -> w.stamped("a"));
        assertThat(answer).isEqualTo("[a]");
    }

    @Test
    void an_activity_sends_an_update_to_its_own_run_and_the_effect_is_there_when_it_returns(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        run.signal(w -> w.ask(5));
        engine.settle();
        run.signal(Counter::close);

        assertThat(run.result()).containsExactly("told 6, has 6");
    }

    @Test
    void a_caller_that_waits_for_acceptance_only_goes_on_and_gets_the_answer_later(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);

        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.slowly("a"), WaitFor.ACCEPTED);

        assertThat(types(run)).endsWith("UpdateAccepted", "TimerStarted");
        assertThat(engine.client()
                        .handle(Counter.class, "c-1")
                        .updateHandle("u-1", String.class)
                        .result())
                .as("found by its ids elsewhere")
                .isEqualTo("a");
        assertThat(update.result()).isEqualTo("a");
    }

    @Test
    void an_update_whose_run_is_cancelled_says_how_the_run_ended(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.slowly("a"), WaitFor.ACCEPTED);
        run.cancel("not needed");

        assertThatThrownBy(update::result)
                .isInstanceOf(UpdateNotCompletedException.class)
                .hasMessageContaining("its run ended (cancelled) before it answered");
    }

    @Test
    void an_update_for_which_a_cancelled_run_waits_is_answered_by_the_cancellation_of_its_handler(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.kept("a"), WaitFor.ACCEPTED);
        run.cancel("not needed");

        assertThatThrownBy(update::result)
                .isInstanceOf(UpdateFailedException.class)
                .hasMessageContaining("the run was cancelled by")
                .hasMessageContaining("not needed");
        assertThat(types(run)).endsWith("UpdateFailed", "WorkflowCancelled");
    }

    @Test
    void a_rejected_update_is_told_to_who_waits_for_its_acceptance_and_leaves_no_event(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        List<String> before = types(run);

        assertThatThrownBy(() -> run.startUpdate("u-1", w -> w.add(-1), WaitFor.ACCEPTED))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("only up");
        assertThat(types(run)).isEqualTo(before);
    }

    @Test
    void a_validator_runs_once_for_an_update_and_never_when_the_run_is_rebuilt(TestEngine engine) {
        WorkflowHandle<Counter, List<String>> run = counter(engine);
        int before = Counter.VALIDATED.get();
        run.updateVoid(w -> w.add(1));
        run.updateVoid(w -> w.add(1));
        run.signal(Counter::close);
        assertThat(run.result()).isEmpty();

        assertThat(Counter.VALIDATED.get() - before)
                .as("the kit rebuilds the run in every turn")
                .isEqualTo(2);
    }
}
