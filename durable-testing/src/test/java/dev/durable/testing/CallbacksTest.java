package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Callback;
import dev.durable.CallbackEndedException;
import dev.durable.CallbackEndedException.How;
import dev.durable.CallbackFailedException;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.RefusedInputException;
import dev.durable.RemoteException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.CallbackHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.CallbackOpened;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.store.CallbackToken;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Callbacks: results that outsiders give to a workflow by a token. Run on each kind of store. */
abstract class CallbacksTest {
    record Approval(String by, boolean granted) {}

    @Workflow
    static class Order {
        private final List<String> tokens = new ArrayList<>();

        @Run
        String run() {
            Callback<Approval> approval = Durable.callback(Approval.class, Duration.ofHours(1));
            tokens.add(approval.token());
            try {
                Approval given = approval.promise().get();
                return given.by() + " says " + given.granted();
            } catch (CallbackFailedException e) {
                return e.getMessage() + " / " + e.failure().type() + " / " + e.getCause();
            } catch (WaitTimedOutException e) {
                return e.getMessage();
            }
        }

        @Query
        List<String> tokens() {
            return tokens;
        }
    }

    /** Waits for a callback, and may give up before. */
    @Workflow
    static class Impatient {
        private final List<String> tokens = new ArrayList<>();
        private String how = "";

        @Run
        String run(boolean goOn) {
            Callback<List<Approval>> callback = Durable.callback(new TypeRef<List<Approval>>() {}, Duration.ofHours(1));
            tokens.add(callback.token());
            Durable.await(() -> !how.isEmpty());
            switch (how) {
                case "cancel" -> callback.promise().cancel();
                case "continue" -> throw Durable.continueAsNew(Impatient.class, w -> w.run(goOn));
                case "end" -> {
                    return "ended";
                }
                default -> {
                    return "got " + callback.promise().get();
                }
            }
            try {
                return "got " + callback.promise().get();
            } catch (CancelledException e) {
                Durable.await(() -> how.equals("end"));
                return e.getMessage();
            }
        }

        @Signal
        void how(String next) {
            how = next;
        }

        @Query
        List<String> tokens() {
            return tokens;
        }
    }

    @Workflow
    static class Late {
        private String token = "";

        @Run
        String run() {
            Durable.sleep(Duration.ofMinutes(1));
            Durable.callback(String.class, Duration.ofHours(1)).promise().cancel();
            Callback<String> callback = Durable.callback(String.class, Duration.ofHours(1));
            token = callback.token();
            Durable.sleep(Duration.ofMinutes(1));
            return callback.promise().get();
        }

        @Query
        String token() {
            return token;
        }
    }

    @Workflow
    static class Race {
        private final List<String> tokens = new ArrayList<>();

        @Run
        String run() {
            Callback<String> one = Durable.callback(String.class, Duration.ofHours(1));
            Callback<String> other = Durable.callback(String.class, Duration.ofHours(2));
            tokens.add(one.token());
            tokens.add(other.token());
            return Promise.any(one.promise(), other.promise());
        }

        @Query
        List<String> tokens() {
            return tokens;
        }
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    private static WorkflowHandle<Order, String> order(TestEngine engine) {
        WorkflowHandle<Order, String> order =
                engine.register(Order.class).client().start(Order.class, "order-7", Order::run);
        engine.settle();
        return order;
    }

    private static CallbackHandle callback(TestEngine engine, WorkflowHandle<Order, ?> order) {
        return engine.client().callback(order.query(Order::tokens).getFirst());
    }

    private static WorkflowHandle<Impatient, String> impatient(TestEngine engine) {
        WorkflowHandle<Impatient, String> run =
                engine.register(Impatient.class).client().start(Impatient.class, "i-1", w -> w.run(true));
        engine.settle();
        return run;
    }

    private static void assertEnded(How how, org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String text) {
        assertThatThrownBy(call).isInstanceOfSatisfying(CallbackEndedException.class, e -> {
            assertThat(e.how()).isEqualTo(how);
            assertThat(e).hasMessageContaining(text).hasMessageEndingWith("Nothing was written.");
        });
    }

    @Test
    void whoever_has_the_token_completes_the_promise(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        callback(engine, order).complete(new Approval("ann", true));

        assertThat(order.result()).isEqualTo("ann says true");
        assertThat(types(order))
                .containsExactly(
                        "WorkflowStarted",
                        "CallbackOpened",
                        "TimerStarted",
                        "CallbackCompleted",
                        "TimerCancelled",
                        "WorkflowCompleted");
    }

    @Test
    void a_call_may_be_repeated_and_another_outcome_is_refused(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        order.pause("so that the outcome waits in the inbox");
        callback.complete(new Approval("ann", true));
        callback.complete(new Approval("ann", true));
        assertEnded(How.COMPLETED, () -> callback.complete(new Approval("bob", false)), "it was completed before");
        assertEnded(How.COMPLETED, () -> callback.fail("no"), "it was completed before");
        assertEnded(How.COMPLETED, () -> callback.extend(Duration.ofHours(1)), "it was completed before");
        order.resume();

        assertThat(order.result()).isEqualTo("ann says true");
        callback.complete(new Approval("ann", true));
        assertEnded(How.COMPLETED, () -> callback.complete(null), "of workflow order-7");
        assertThat(types(order)).filteredOn("CallbackCompleted"::equals).hasSize(1);
    }

    @Test
    void a_failure_arrives_as_data(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        callback.fail(new IllegalStateException("no credit"));

        assertThat(order.result())
                .startsWith("callback 1 failed: java.lang.IllegalStateException: no credit"
                        + " / java.lang.IllegalStateException / ")
                .contains(RemoteException.class.getName());
        callback.fail(new IllegalStateException("no credit"));
        assertEnded(How.FAILED, () -> callback.fail("no"), "it was failed before");
    }

    @Test
    void a_reason_is_a_failure(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        callback(engine, order).fail("no credit");

        assertThat(order.result())
                .startsWith("callback 1 failed: dev.durable.CallbackFailedException: no credit"
                        + " / dev.durable.CallbackFailedException");
    }

    @Test
    void the_promise_times_out_and_takes_no_outcome_then(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        engine.advance(Duration.ofHours(1));

        assertThat(order.result()).isEqualTo("callback 1 was not completed within PT1H");
        assertThat(types(order))
                .containsExactly(
                        "WorkflowStarted",
                        "CallbackOpened",
                        "TimerStarted",
                        "TimerFired",
                        "CallbackTimedOut",
                        "WorkflowCompleted");
        assertEnded(How.TIMED_OUT, () -> callback.complete(new Approval("ann", true)), "it was timed out before");
        assertEnded(How.TIMED_OUT, () -> callback.extend(Duration.ofHours(1)), "it was timed out before");
    }

    @Test
    void an_outcome_that_waits_when_the_time_is_over_holds(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        order.pause("so that nothing is fed");
        engine.advance(Duration.ofHours(2));
        callback.complete(new Approval("ann", true));
        order.resume();

        assertThat(order.result()).isEqualTo("ann says true");
        assertThat(types(order)).contains("TimerFired", "CallbackCompleted").doesNotContain("CallbackTimedOut");
    }

    @Test
    void a_value_that_is_not_of_the_type_fails_the_promise_and_stalls_no_run(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        callback(engine, order).complete(List.of("not an approval"));

        assertThat(order.result())
                .startsWith("callback 1 failed: dev.durable.PayloadException: the value that completed it is no "
                        + Approval.class.getName() + ": ")
                .contains("the result of callback 1")
                .contains(" / dev.durable.PayloadException / ");
        assertThat(types(order)).contains("CallbackFailed").doesNotContain("CallbackCompleted");
        callback(engine, order).complete(List.of("not an approval"));
        assertEnded(
                How.FAILED, () -> callback(engine, order).complete(new Approval("ann", true)), "it was failed before");
    }

    /** Asks until an answer can be read. */
    @Workflow(name = "Asking")
    static class Asking {
        private final List<String> tokens = new ArrayList<>();

        @Run
        String run() {
            while (true) {
                Callback<Approval> asked = Durable.callback(Approval.class, Duration.ofHours(1));
                tokens.add(asked.token());
                try {
                    return asked.promise().get().by();
                } catch (CallbackFailedException e) {
                    // asks again
                }
            }
        }

        @Query
        List<String> tokens() {
            return tokens;
        }
    }

    /** The code as it is deployed later, with a type that reads more, or less. */
    @Workflow(name = "Asking")
    static class AskingForAnything {
        @Run
        String run() {
            while (true) {
                try {
                    return Durable.callback(new TypeRef<Map<String, Object>>() {}, Duration.ofHours(1))
                            .promise()
                            .get()
                            .get("by")
                            .toString();
                } catch (CallbackFailedException e) {
                    // asks again
                }
            }
        }
    }

    @Workflow(name = "Asking")
    static class AskingForNumbers {
        @Run
        String run() {
            while (true) {
                try {
                    return ""
                            + Durable.callback(Integer.class, Duration.ofHours(1))
                                    .promise()
                                    .get();
                } catch (CallbackFailedException e) {
                    // asks again
                }
            }
        }
    }

    private static History asked(TestEngine engine) {
        WorkflowHandle<Asking, String> run =
                engine.register(Asking.class).client().start(Asking.class, "a-1", Asking::run);
        engine.settle();
        engine.client()
                .callback(run.query(Asking::tokens).getFirst())
                .complete(Map.of("by", "bob", "granted", "perhaps"));
        engine.settle();
        engine.client().callback(run.query(Asking::tokens).getLast()).complete(new Approval("ann", true));
        assertThat(run.result()).isEqualTo("ann");
        return run.history();
    }

    @Test
    void a_type_that_reads_more_than_it_did_changes_nothing_for_values_that_could_not_be_read(TestEngine engine) {
        History history = asked(engine);

        Replayer.of(Asking.class).replay(history);
        Replayer.of(AskingForAnything.class).replay(history);
    }

    @Test
    void a_type_that_reads_less_than_it_did_stalls_the_run_as_the_value_could_be_read(TestEngine engine) {
        History history = asked(engine);

        assertThatThrownBy(() -> Replayer.of(AskingForNumbers.class).replay(history))
                .hasMessageContaining("its history has data that the code can't read. the result of callback 2");
    }

    @Test
    void the_first_of_two_callbacks_goes_on_although_the_other_was_completed_with_what_it_can_not_read(
            TestEngine engine) {
        WorkflowHandle<Race, String> race = engine.register(Race.class).client().start(Race.class, "race", Race::run);
        engine.settle();
        List<String> tokens = race.query(Race::tokens);
        engine.client().callback(tokens.get(0)).complete(List.of("no text"));
        engine.settle();
        engine.client().callback(tokens.get(1)).complete("other");

        assertThat(race.result()).isEqualTo("other");
    }

    /** Needs two answers. */
    @Workflow
    static class Both {
        private final List<String> tokens = new ArrayList<>();

        @Run
        String run() {
            Callback<String> one = Durable.callback(String.class, Duration.ofHours(1));
            Callback<String> other = Durable.callback(String.class, Duration.ofHours(2));
            tokens.add(one.token());
            tokens.add(other.token());
            try {
                return "" + Promise.all(List.of(one.promise(), other.promise()));
            } catch (CallbackFailedException e) {
                return e.failure().type();
            }
        }

        @Query
        List<String> tokens() {
            return tokens;
        }
    }

    @Test
    void all_of_two_callbacks_fail_as_soon_as_one_was_completed_with_what_it_can_not_read(TestEngine engine) {
        WorkflowHandle<Both, String> both = engine.register(Both.class).client().start(Both.class, "both", Both::run);
        engine.settle();
        engine.client().callback(both.query(Both::tokens).getLast()).complete(List.of("no text"));

        assertThat(both.result()).isEqualTo("dev.durable.PayloadException");
        assertThat(types(both)).contains("CallbackCancelled");
    }

    @Test
    void the_id_of_a_callback_names_the_event_that_opened_it(TestEngine engine) {
        WorkflowHandle<Race, String> race = engine.register(Race.class).client().start(Race.class, "race", Race::run);
        engine.settle();

        assertThat(race.query(Race::tokens))
                .extracting(token -> CallbackToken.read(token).firstEvent(0))
                .containsExactlyElementsOf(race.history().stream()
                        .filter(CallbackOpened.class::isInstance)
                        .map(HistoryEvent::id)
                        .toList());
    }

    /** Waits shielded for a callback that was opened shielded, also when the run is cancelled. */
    @Workflow
    static class Shielded {
        private String token = "";

        @Run
        String run() {
            Callback<String> callback =
                    Durable.detached(() -> Durable.<String>callback(String.class, Duration.ofHours(1)));
            token = callback.token();
            try {
                Durable.await(() -> false);
                return "never";
            } catch (CancelledException e) {
                return Durable.detached(() -> {
                    try {
                        return callback.promise().get();
                    } catch (WaitTimedOutException late) {
                        return late.getMessage();
                    }
                });
            }
        }

        @Query
        String token() {
            return token;
        }
    }

    @Test
    void a_shielded_callback_that_was_given_more_time_times_out_in_a_cancelled_run(TestEngine engine) {
        WorkflowHandle<Shielded, String> run =
                engine.register(Shielded.class).client().start(Shielded.class, "s-1", Shielded::run);
        engine.settle();
        engine.client().callback(run.query(Shielded::token)).extend(Duration.ofHours(2));
        engine.settle();
        run.cancel("over");
        engine.settle();
        assertThat(types(run)).doesNotContain("CallbackCancelled").endsWith("WorkflowCancelRequested");
        engine.advance(Duration.ofHours(3));

        assertThat(types(run)).contains("CallbackTimedOut");
        assertThat(run.result()).isEqualTo("callback 1 was not completed within PT2H");
    }

    @Test
    void more_time_moves_the_timeout(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        engine.advance(Duration.ofMinutes(59));
        callback.extend(Duration.ofHours(3));
        engine.advance(Duration.ofHours(2));
        assertThat(types(order))
                .containsExactly(
                        "WorkflowStarted",
                        "CallbackOpened",
                        "TimerStarted",
                        "CallbackExtended",
                        "TimerCancelled",
                        "TimerStarted");
        engine.advance(Duration.ofHours(2));

        assertThat(order.result()).isEqualTo("callback 1 was not completed within PT3H");
    }

    @Test
    void more_time_that_waits_when_the_time_is_over_is_given(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        order.pause("so that nothing is fed");
        engine.advance(Duration.ofHours(2));
        callback.extend(Duration.ofHours(3));
        order.resume();
        engine.settle();
        callback.complete(new Approval("ann", true));

        assertThat(order.result()).isEqualTo("ann says true");
        assertThat(types(order)).doesNotContain("CallbackTimedOut");
    }

    @Test
    void a_cancelled_callback_says_so(TestEngine engine) {
        WorkflowHandle<Impatient, String> run = impatient(engine);
        CallbackHandle callback =
                engine.client().callback(run.query(Impatient::tokens).getFirst());
        run.signal(w -> w.how("cancel"));
        engine.settle();

        assertEnded(How.CANCELLED, () -> callback.complete(List.of()), "it was cancelled before");
        run.signal(w -> w.how("end"));
        assertThat(run.result()).isEqualTo("callback 1 was cancelled: Promise.cancel was called");
    }

    @Test
    void a_cancelled_run_cancels_its_callbacks(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        order.cancel("changed our mind");

        assertThatThrownBy(order::result).hasMessageContaining("changed our mind");
        assertEnded(How.CANCELLED, () -> callback.complete(null), "it was cancelled before");
    }

    @Test
    void a_run_that_was_terminated_takes_no_outcome(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        CallbackHandle callback = callback(engine, order);
        order.terminate("for the test");

        assertEnded(How.RUN_CLOSED, () -> callback.complete(null), "the run has closed and waits for it no longer");
        assertEnded(How.RUN_CLOSED, () -> callback.extend(Duration.ofHours(1)), "the run has closed");
    }

    @Test
    void the_end_of_the_run_cancels_a_callback_that_is_open(TestEngine engine) {
        WorkflowHandle<Impatient, String> run = impatient(engine);
        CallbackHandle callback =
                engine.client().callback(run.query(Impatient::tokens).getFirst());
        run.signal(w -> w.how("end"));

        assertThat(run.result()).isEqualTo("ended");
        assertEnded(How.CANCELLED, () -> callback.complete(List.of()), "it was cancelled before");
    }

    @Test
    void a_generic_result_is_read_as_its_type(TestEngine engine) {
        WorkflowHandle<Impatient, String> run = impatient(engine);
        engine.client().callback(run.query(Impatient::tokens).getFirst()).complete(List.of(new Approval("ann", true)));
        run.signal(w -> w.how("get"));

        assertThat(run.result()).isEqualTo("got [Approval[by=ann, granted=true]]");
    }

    @Test
    void the_first_of_two_callbacks_goes_on(TestEngine engine) {
        WorkflowHandle<Race, String> race = engine.register(Race.class).client().start(Race.class, "race", Race::run);
        engine.settle();
        List<String> tokens = race.query(Race::tokens);
        engine.client().callback(tokens.get(1)).complete("other");

        assertThat(race.result()).isEqualTo("other");
        assertThat(tokens.get(0)).isNotEqualTo(tokens.get(1));
        assertEnded(How.CANCELLED, () -> engine.client().callback(tokens.get(0)).complete("one"), "cancelled");
    }

    @Test
    void a_callback_of_a_later_turn_keeps_its_token_and_its_outcome_waits_for_the_code(TestEngine engine) {
        WorkflowHandle<Late, String> late = engine.register(Late.class).client().start(Late.class, "late", Late::run);
        engine.advance(Duration.ofSeconds(61));
        String token = late.query(Late::token);
        engine.client().callback(token).complete("early");
        engine.settle();
        assertThat(late.query(Late::token)).isEqualTo(token);
        engine.advance(Duration.ofMinutes(1));

        assertThat(late.result()).isEqualTo("early");
        engine.client().callback(token).complete("early");
    }

    @Test
    void continuing_as_new_with_an_open_callback_stalls_the_run_with_the_way_out(TestEngine engine) {
        WorkflowHandle<Impatient, String> run = impatient(engine);
        run.signal(w -> w.how("continue"));

        assertThatThrownBy(run::result)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining(
                        "Durable.continueAsNew was called while callbacks are open: 1. The next run would not"
                                + " know them, and the holders of their tokens could not complete them. Wait for their promises before"
                                + " it, or cancel them by promise().cancel().");
    }

    @Test
    void a_token_that_is_none_is_refused(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine);
        DurableClient client = engine.client();
        String token = order.query(Order::tokens).getFirst();
        for (String damaged :
                List.of("", "x", token.substring(1), token.substring(0, token.length() - 2), "%" + token)) {
            assertThatThrownBy(() -> client.callback(damaged))
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessageContaining("is no token of a callback, or a damaged one");
        }
        CallbackToken read = CallbackToken.read(token);
        String guessed = new CallbackToken(read.run(), UUID.randomUUID()).text();
        assertThatThrownBy(() -> client.callback(guessed).complete(null))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("the token names no callback that order-7");
        String elsewhere = new CallbackToken(new RunKey(UUID.randomUUID(), "order-7"), read.callback()).text();
        assertThatThrownBy(() -> client.callback(elsewhere).complete(null))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("whose callback this token names is not there");
        assertThatThrownBy(() -> client.callback(token).extend(Duration.ZERO))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("needs a time above zero");
        client.callback(token).complete(new Approval("ann", true));
        assertThat(order.result()).isEqualTo("ann says true");
    }
}
