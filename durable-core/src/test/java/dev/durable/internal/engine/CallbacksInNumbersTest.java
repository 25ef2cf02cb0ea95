package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Callback;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.CallbackHandle;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.Payload;
import dev.durable.internal.run.LiveRun;
import dev.durable.internal.text.Bounds;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many callbacks of one run, and one that is extended many times. */
@Timeout(120)
class CallbacksInNumbersTest {
    private static final int APPROVERS = 500;

    /** Asks so many approvers, and counts those that do not answer. */
    @Workflow
    static class Poll {
        private String token = "";

        @Run
        int run(int approvers, Duration each) {
            List<Callback<String>> asked = new ArrayList<>();
            for (int i = 0; i < approvers; i++) {
                asked.add(Durable.callback(String.class, each));
            }
            token = asked.getFirst().token();
            int silent = 0;
            for (Callback<String> callback : asked) {
                try {
                    callback.promise().get();
                } catch (WaitTimedOutException e) {
                    silent++;
                }
            }
            return silent;
        }

        @Query
        String token() {
            return token;
        }
    }

    private final HistoryStore store = new InMemoryHistoryStore();
    private final List<Transition> written = new CopyOnWriteArrayList<>();

    /** The store, whose transitions are noted. */
    private HistoryStore noted() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        ((List<?>) arguments[0]).forEach(step -> written.add((Transition) step));
                    }
                    try {
                        Object result = method.invoke(store, arguments);
                        return method.getName().equals("historyStore") ? proxy : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private DurableEngine engine() {
        return DurableEngine.builder(noted()).register(Poll.class).start();
    }

    @Test
    void callbacks_that_time_out_together_are_few_steps_of_their_run() {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Poll, Integer> run =
                    engine.client().start(Poll.class, "poll-1", w -> w.run(APPROVERS, Duration.ofMillis(300)));

            assertThat(run.result()).isEqualTo(APPROVERS);
            assertThat(run.history().stream().filter(CallbackTimedOut.class::isInstance))
                    .hasSize(APPROVERS);
            assertThat(written).hasSizeLessThan(20);
        }
    }

    /** As a process sends it whose COMMIT had no answer. */
    private void sendAgain(CallbackToken token, String value) {
        CallbackCompleted outcome =
                new CallbackCompleted(1, Instant.EPOCH, token.callback(), new Payload("\"" + value + "\""));
        store.deliver(
                List.of(new Delivery(token.run().workflowId(), token.run().runId(), CallbackState.message(outcome))));
    }

    private void awaitRead(RunKey run) {
        while (!store.messages(List.of(run), 9, 1_000).isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void the_outcome_that_the_history_has_is_dropped_silently_and_another_one_with_a_warning() {
        try (DurableEngine engine = engine();
                LogCapture logged = LogCapture.named("dev.durable.internal.run")) {
            WorkflowHandle<Poll, Integer> run =
                    engine.client().start(Poll.class, "poll-1", w -> w.run(2, Duration.ofHours(1)));
            CallbackToken token = CallbackToken.read(run.query(Poll::token));
            for (String value : List.of("yes", "yes", "no")) {
                sendAgain(token, value);
                awaitRead(token.run());
            }
            logged.await("is dropped");

            assertThat(logged.messages())
                    .containsExactly("CallbackCompleted of poll-1 is dropped: the callback had an outcome before, which"
                            + " holds");
        }
    }

    @Test
    void a_callback_that_was_given_more_time_too_often_keeps_the_time_given_last() {
        try (DurableEngine engine = engine();
                LogCapture logged = LogCapture.of(LiveRun.class)) {
            WorkflowHandle<Poll, Integer> run =
                    engine.client().start(Poll.class, "poll-1", w -> w.run(1, Duration.ofHours(1)));
            CallbackHandle callback = engine.client().callback(run.query(Poll::token));
            IntStream.rangeClosed(1, Bounds.EXTENSIONS + 5).forEach(i -> callback.extend(Duration.ofDays(i)));
            callback.complete("yes");

            assertThat(run.result()).isZero();
            assertThat(run.history().stream().filter(CallbackExtended.class::isInstance))
                    .hasSize(Bounds.EXTENSIONS);
            logged.await("an extension of a callback of ");
            assertThat(logged.messages())
                    .hasSize(5)
                    .allSatisfy(line -> assertThat(line)
                            .contains("is dropped: the callback was given more time 1000 times before, each of which"
                                    + " stands in the history. Give it as much time as it needs at once"));
        }
    }
}
