package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.durable.Activity;
import dev.durable.Callback;
import dev.durable.CallbackFailedException;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.CallbackFailed;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.contract.FaultyStore.Fault;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A query or a validator that does not return costs its caller the answer, and others next to nothing. */
@Timeout(120)
class HungAsideTest {
    private static final Duration LIMIT_OF_A_TURN = EngineSettings.Limits.DEFAULT.turn();
    private static final int QUERIES = 4;

    @Activity(local = true, startToClose = "10m", retry = @Retry(maxAttempts = 1))
    interface Holding {
        void hold();
    }

    /** Holds its run until it is interrupted or the test ends. */
    private final class Held implements Holding {
        @Override
        public void hold() {
            held.countDown();
            try {
                ends.await();
            } catch (InterruptedException e) {
                interrupted.complete(null);
            }
        }
    }

    @Workflow
    static class Asked {
        private final Holding holding;
        private boolean told;

        Asked(Holding holding) {
            this.holding = holding;
        }

        @Run
        String run(boolean holds) {
            if (holds) {
                Durable.async(holding::hold);
            }
            Durable.await(() -> told);
            return "told";
        }

        @Signal
        void tell() {
            told = true;
        }

        @Query
        boolean hangs(Gate gate) throws InterruptedException {
            gate.of().asked.countDown();
            gate.of().ends.await();
            return told;
        }

        @Query
        boolean locks(Gate gate) {
            synchronized (gate.of().ends) {
                return told;
            }
        }

        @Update
        void change(Gate gate) {
            told = gate.of() == null;
        }

        @Update.Validator("change")
        void blocks(Gate gate) throws InterruptedException {
            if (gate.of().judged.compareAndSet(false, true)) {
                gate.of().faulty.next("messages", Fault.UNAVAILABLE);
            }
            gate.of().ends.await();
        }
    }

    /** Leads code of a workflow to the test that runs. */
    record Gate(String name) {
        private static volatile HungAsideTest test;

        HungAsideTest of() {
            return test;
        }
    }

    /** A value whose reading does not return before the test ends. */
    record Slow(String name) {
        Slow {
            try {
                GATE.of().ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Waits for the value of a callback. */
    @Workflow
    static class Approved {
        private String token = "";

        @Run
        String run() {
            Callback<Slow> callback = Durable.callback(Slow.class, Duration.ofHours(1));
            token = callback.token();
            try {
                return callback.promise().get().name();
            } catch (CallbackFailedException e) {
                return "unread";
            }
        }

        @Query
        String token() {
            return token;
        }
    }

    private static final Gate GATE = new Gate("gate");

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch ends = new CountDownLatch(1);
    private final AtomicBoolean judged = new AtomicBoolean();
    private final CompletableFuture<Void> interrupted = new CompletableFuture<>();
    private final FaultyStore faulty = FaultyStore.over(new InMemoryHistoryStore());
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        ends.countDown();
        callers.shutdown();
    }

    private EngineBuilder engine() {
        Gate.test = this;
        EngineBuilder builder = new EngineBuilder(faulty.store());
        builder.register(Asked.class).activity(Holding.class, new Held());
        return builder;
    }

    @Test
    @Tag("slow")
    void queries_that_hang_hold_up_other_runs_for_one_turn_however_many_wait_for_a_busy_run() throws Exception {
        try (DurableEngine engine = engine().start()) {
            WorkflowHandle<Asked, String> busy = engine.client().start(Asked.class, "busy", w -> w.run(true));
            WorkflowHandle<Asked, String> other = engine.client().start(Asked.class, "other", w -> w.run(false));
            held.await();
            var first = callers.submit(() -> busy.query(w -> w.hangs(GATE)));
            asked.await();
            for (int i = 1; i < QUERIES; i++) {
                var unused = callers.submit(() -> busy.query(w -> w.hangs(GATE)));
            }
            other.signal(Asked::tell);

            assertThat(other.result(LIMIT_OF_A_TURN.multipliedBy(2))).isEqualTo("told");
            assertThat(first).as("the query that was given up").failsWithin(LIMIT_OF_A_TURN.multipliedBy(6));
            assertThat(interrupted).as("the local activity goes on").isNotDone();
            ends.countDown();
        }
    }

    @Test
    void an_instance_that_can_not_be_replaced_as_the_store_is_away_abandons_its_local_activities() throws Exception {
        try (DurableEngine engine = engine().strict().start()) {
            WorkflowHandle<Asked, String> busy = engine.client().start(Asked.class, "busy", w -> w.run(true));
            held.await();
            busy.startUpdateVoid(w -> w.change(GATE), WaitFor.SENT);

            interrupted.get(60, TimeUnit.SECONDS);
            assertThat(faulty.allSeen()).isTrue();
            ends.countDown();
        }
    }

    @Test
    @Tag("slow")
    void the_value_of_a_callback_whose_reading_does_not_return_fails_the_callback() {
        try (DurableEngine engine = engine().register(Approved.class).start()) {
            WorkflowHandle<Approved, String> run = engine.client().start(Approved.class, "run", Approved::run);
            engine.client().callback(run.query(Approved::token)).complete(Map.of("name", "ann"));

            assertThat(run.result(LIMIT_OF_A_TURN.multipliedBy(6))).isEqualTo("unread");
            assertThat(run.history().stream().filter(CallbackFailed.class::isInstance))
                    .singleElement()
                    .asInstanceOf(type(CallbackFailed.class))
                    .satisfies(failed -> assertThat(failed.failure().message())
                            .startsWith("the reading of the value that completed it was given up: "))
                    .satisfies(failed -> assertThat(
                                    Objects.requireNonNull(failed.value()).json())
                            .isEqualTo("{\"name\":\"ann\"}"));
            ends.countDown();
        }
    }

    @Test
    void a_caller_that_holds_a_lock_which_its_query_takes_is_named() {
        try (DurableEngine engine = engine().strict().start()) {
            WorkflowHandle<Asked, String> run = engine.client().start(Asked.class, "run", w -> w.run(false));

            synchronized (ends) {
                assertThatThrownBy(() -> run.query(w -> w.locks(GATE)))
                        .isInstanceOf(QueryFailedException.class)
                        .hasMessageContaining("was given up: HungAsideTest.Asked.locks(HungAsideTest.java:")
                        .hasMessageContaining(") blocks in a synchronized block, for a lock that thread '"
                                + Thread.currentThread().getName()
                                + "' holds. Queries and validators of updates may only")
                        .hasMessageEndingWith(
                                " They run on a thread of the engine: a caller that holds a lock which they"
                                        + " take waits for itself.");
            }
            boolean answer = run.query(w -> w.locks(GATE));
            assertThat(answer).isFalse();
        }
    }
}
