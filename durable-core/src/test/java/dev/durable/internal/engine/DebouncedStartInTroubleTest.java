package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.contract.FaultyStore.Fault;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Debounced starts whose store gives no answer, or whose run is asked to cancel; the worker is another process. */
@Timeout(120)
class DebouncedStartInTroubleTest {
    private static final int CALLERS = 40;
    private static final List<String> RUN = new CopyOnWriteArrayList<>();

    @Workflow
    static class Index {
        @Run
        String run(String text) {
            RUN.add(text);
            Durable.sleep(Duration.ofMillis(1));
            return text;
        }
    }

    private final InMemoryHistoryStore store = new InMemoryHistoryStore();
    private final FaultyStore faulty = FaultyStore.over(store);

    DebouncedStartInTroubleTest() {
        RUN.clear();
    }

    private DurableEngine client() {
        return client(60);
    }

    private DurableEngine client(int callTimeout) {
        return DurableEngine.builder(faulty.store())
                .register(Index.class)
                .clientOnly()
                .callTimeout(Duration.ofSeconds(callTimeout))
                .start();
    }

    private static WorkflowHandle<Index, String> start(DurableEngine engine, String text) {
        return engine.client()
                .start(
                        Index.class,
                        StartOptions.id("index-7").debounce(Duration.ofMillis(1), Duration.ofHours(1)),
                        w -> w.run(text));
    }

    /** Runs what waits, in the process of a worker. */
    private String work() {
        try (DurableEngine worker =
                DurableEngine.builder(store).register(Index.class).start()) {
            return worker.client().handle("index-7").resultAs(String.class);
        }
    }

    @Test
    void a_start_whose_commit_got_no_answer_and_that_has_run_is_not_made_again() {
        try (DurableEngine engine = client()) {
            start(engine, "one");
            faulty.next("commit", Fault.DONE_BUT_UNKNOWN);
            faulty.before("commit", () -> faulty.before("latestRun", this::work));
            WorkflowHandle<Index, String> two = start(engine, "two");

            assertThat(two.result()).isEqualTo("two");
            assertThat(work()).isEqualTo("two");
            assertThat(RUN).containsOnly("two");
            assertThat(engine.client()
                            .workflows()
                            .where(w -> w.workflowId("index-7"))
                            .page(9))
                    .extracting(row -> row.status())
                    .containsExactlyInAnyOrder(WorkflowStatus.CONTINUED_AS_NEW, WorkflowStatus.COMPLETED);
        }
    }

    @Test
    void a_start_whose_commit_was_lost_with_its_answer_is_made_again() {
        try (DurableEngine engine = client()) {
            start(engine, "one");
            faulty.next("commit", Fault.NOT_DONE_AND_UNKNOWN, Fault.NOT_DONE_AND_UNKNOWN);
            start(engine, "two");

            assertThat(work()).isEqualTo("two");
            assertThat(faulty.allSeen()).isTrue();
        }
    }

    @Test
    void a_start_that_gets_no_answer_in_time_says_that_it_may_still_happen() {
        CountDownLatch late = new CountDownLatch(1);
        try (DurableEngine engine = client(1)) {
            start(engine, "one");
            faulty.before("commit", () -> awaitUninterruptibly(late));

            assertThatThrownBy(() -> start(engine, "two"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the database has not answered a call (commit)")
                    .hasMessageContaining("What was sent may still happen.");
            late.countDown();
        } finally {
            late.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_start_that_others_always_precede_ends_with_the_time_of_its_call() {
        try (DurableEngine engine = client(1)) {
            start(engine, "one");
            faulty.next(
                    "commit",
                    Collections.nCopies(10_000, Fault.NOT_DONE_AND_UNKNOWN).toArray(new Fault[0]));

            assertThatThrownBy(() -> start(engine, "two"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("start of index-7: for 1 s (callTimeout) it could not take the place of the"
                            + " start that waits.")
                    .hasMessageContaining("what was sent last may still happen. Doing it again is safe.");
        }
    }

    @Test
    void of_starts_that_come_together_in_a_process_the_last_is_made_for_all() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        try (DurableEngine engine = client()) {
            start(engine, "one");
            faulty.before("commit", () -> awaitUninterruptibly(held));
            List<Thread> callers = new ArrayList<>();
            List<UUID> runs = new CopyOnWriteArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String text = "text " + i;
                Thread caller = new Thread(() -> runs.add(start(engine, text).runId()));
                caller.start();
                callers.add(caller);
            }
            awaitBlocked(callers);
            held.countDown();
            for (Thread caller : callers) {
                caller.join();
            }

            assertThat(runs).hasSize(CALLERS);
            assertThat(Set.copyOf(runs)).hasSize(1);
            assertThat(work()).startsWith("text ");
            assertThat(RUN).hasSize(1);
            assertThat(engine.client()
                            .workflows()
                            .where(w -> w.workflowId("index-7"))
                            .page(99))
                    .hasSizeLessThan(CALLERS / 2);
        } finally {
            held.countDown();
        }
    }

    @Test
    void a_start_that_fails_leaves_the_next_one_to_its_own_caller() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        List<Throwable> failed = new CopyOnWriteArrayList<>();
        try (DurableEngine engine = client()) {
            start(engine, "one");
            faulty.next("commit", Fault.UNAVAILABLE);
            faulty.before("commit", () -> {
                reached.countDown();
                awaitUninterruptibly(held);
            });
            Thread two = new Thread(() -> failed.add(catchThrowable(() -> start(engine, "two"))));
            two.start();
            reached.await();
            Thread three = new Thread(() -> start(engine, "three"));
            three.start();
            awaitBlocked(List.of(three));
            held.countDown();
            two.join();
            three.join();

            assertThat(failed).singleElement().isInstanceOf(StoreUnavailableException.class);
            assertThat(work()).isEqualTo("three");
        } finally {
            held.countDown();
        }
    }

    @Test
    void starts_that_treat_an_open_run_differently_do_not_take_the_place_of_each_other() throws Exception {
        CountDownLatch commits = new CountDownLatch(1);
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        try (DurableEngine engine = client()) {
            start(engine, "one");
            faulty.before("commit", () -> {
                commits.countDown();
                awaitUninterruptibly(held);
            });
            Thread two = new Thread(() -> start(engine, "two"));
            two.start();
            commits.await();
            faulty.before("latestRun", reads::countDown);
            Thread three = new Thread(() -> engine.client()
                    .start(
                            Index.class,
                            StartOptions.id("index-7")
                                    .conflictPolicy(ConflictPolicy.USE_EXISTING)
                                    .debounce(Duration.ofMillis(1), Duration.ofHours(1)),
                            w -> w.run("three")));
            three.start();

            assertThat(reads.await(30, TimeUnit.SECONDS))
                    .as("it is made, beside the other one")
                    .isTrue();
            assertThatThrownBy(() -> engine.client()
                            .start(
                                    Index.class,
                                    StartOptions.id("index-7")
                                            .startDelay(Duration.ofMinutes(1))
                                            .debounce(Duration.ofMillis(1), Duration.ofHours(1)),
                                    w -> w.run("four")))
                    .as("refused before it waits")
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessageContaining("debounce(…) was given together with startDelay");
            held.countDown();
            two.join();
            three.join();
        } finally {
            held.countDown();
        }
    }

    private static void awaitBlocked(List<Thread> threads) {
        while (threads.stream().anyMatch(thread -> thread.getState() == Thread.State.RUNNABLE)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void a_request_to_cancel_is_not_for_the_start_that_comes_behind_it() {
        try (DurableEngine engine = client()) {
            WorkflowHandle<Index, String> one = start(engine, "one");
            one.cancel();

            assertThatThrownBy(() -> start(engine, "two"))
                    .isInstanceOf(WorkflowAlreadyStartedException.class)
                    .hasMessageContaining("workflow id index-7 has an open run");
            assertThat(one.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
            assertThatThrownBy(this::work)
                    .isInstanceOfSatisfying(
                            WorkflowFailedException.class,
                            e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
        }
    }
}
