package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.ForeignInstallationException;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Trials;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.internal.run.RunActor;
import dev.durable.internal.run.RunClaimLoop;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.HeldJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobUpdate;
import dev.durable.store.RunClaim;
import dev.durable.store.contract.AnotherOwner;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.contract.FaultyStore.Fault;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A whole engine on its own threads, in real time. */
@Timeout(120)
class EngineTest {

    @Activity(local = true, startToClose = "30s")
    interface Watch {
        void untilCancelled();
    }

    @Activity(taskQueue = "nobody")
    interface Elsewhere {
        void call(int number);
    }

    @Workflow
    static class Echo {
        private final Elsewhere elsewhere;

        Echo(Elsewhere elsewhere) {
            this.elsewhere = elsewhere;
        }

        @Run
        String run(String word, boolean call) {
            if (call) {
                Durable.async(elsewhere::call, 1);
            }
            return word;
        }
    }

    @Workflow
    static class Impatient {
        private final Watch watch;

        Impatient(Watch watch) {
            this.watch = watch;
        }

        @Run
        void run() {
            Promise<Void> watched = Durable.async(watch::untilCancelled);
            Durable.sleep(Duration.ofMillis(50));
            watched.cancel();
            Durable.await(() -> false);
        }
    }

    @Workflow
    static class Wide {
        private final Elsewhere elsewhere;
        private boolean enough;

        Wide(Elsewhere elsewhere) {
            this.elsewhere = elsewhere;
        }

        @Run
        int run(int width) {
            List<Promise<Void>> calls = new ArrayList<>();
            for (int i = 0; i < width; i++) {
                calls.add(Durable.async(elsewhere::call, i));
            }
            Durable.await(() -> enough);
            return calls.size();
        }

        @Signal
        void enough() {
            enough = true;
        }
    }

    @Workflow
    static class Patient {
        static final List<Thread> THREADS = new CopyOnWriteArrayList<>();

        @Run
        void run(Duration first) {
            THREADS.add(Thread.currentThread());
            Durable.async(() -> {
                THREADS.add(Thread.currentThread());
                Durable.await(() -> false);
                return "never";
            });
            Durable.sleep(first);
            Durable.await(() -> false);
        }
    }

    @Activity
    interface Greeter {
        String greet(String name);
    }

    @Workflow
    static class Greeting {
        private final Greeter greeter;

        Greeting(Greeter greeter) {
            this.greeter = greeter;
        }

        @Run
        String run() {
            return greeter.greet("one") + " and " + greeter.greet("two");
        }
    }

    private final HistoryStore store = new InMemoryHistoryStore();

    @Test
    void a_session_lease_out_of_bounds_is_refused() {
        assertThatThrownBy(() -> DurableEngine.builder(store).sessionLease(Duration.ofMillis(30)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sessionLease must be between PT0.1S and PT24H, not PT0.03S: a process whose beat stands"
                        + " still for that long is taken for dead. Usual cause: a number without its unit,"
                        + " or with another (30ms for 30s).");
        assertThatThrownBy(() -> DurableEngine.builder(store).sessionLease(Duration.ofDays(2)))
                .hasMessageContaining("not PT48H");
    }

    @Test
    void a_poll_interval_that_would_keep_the_database_busy_is_refused() {
        assertThatThrownBy(() -> DurableEngine.builder(store).pollInterval(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "pollInterval must be at least PT0.01S, not PT0S: an idle process would keep the database busy"
                                + " with questions. Work of this process and of those that notify it is found at once, whatever"
                                + " the interval.");
    }

    @Test
    void a_callback_on_a_result_may_use_the_client_and_wait() throws Exception {
        try (DurableEngine engine =
                DurableEngine.builder(store).register(Echo.class, Wide.class).start()) {
            WorkflowHandle<Wide, Integer> first = engine.client().start(Wide.class, "w-1", w -> w.run(1));
            CompletableFuture<String> chained = first.resultAsync()
                    .thenApply(one -> one + ", "
                            + engine.client()
                                    .start(Echo.class, "e-1", w -> w.run("two", false))
                                    .result());
            first.signal(w -> w.enough());

            assertThat(chained.get(60, TimeUnit.SECONDS)).isEqualTo("1, two");
        }
    }

    @Test
    void a_drain_timeout_without_end_ends_with_the_work() {
        DurableEngine engine = DurableEngine.builder(store)
                .register(Echo.class)
                .drainTimeout(Duration.ofSeconds(Long.MAX_VALUE))
                .start();
        WorkflowHandle<Echo, String> run = engine.client().start(Echo.class, "e-1", w -> w.run("done", false));
        assertThat(run.result()).isEqualTo("done");

        assertThatCode(engine::close).doesNotThrowAnyException();
    }

    @Test
    void a_client_of_a_closed_engine_is_told_so_instead_of_waiting_for_ever() {
        DurableEngine engine = DurableEngine.builder(store).register(Echo.class).start();
        engine.close();

        assertThatThrownBy(() -> engine.client().start(Echo.class, "e-1", w -> w.run("one", false)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("the engine was closed while this waited for it, or before.");
    }

    @Test
    void who_waits_while_the_engine_closes_is_told_so() throws Exception {
        CompletableFuture<Integer> result;
        try (DurableEngine engine =
                DurableEngine.builder(store).register(Wide.class).start()) {
            WorkflowHandle<Wide, Integer> h = engine.client().start(Wide.class, "w-1", w -> w.run(1));
            result = CompletableFuture.supplyAsync(h::result);
        }

        assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void a_future_of_a_result_ends_with_the_engine_and_so_does_one_that_is_asked_for_later() {
        WorkflowHandle<Wide, Integer> h;
        CompletableFuture<Integer> waiting;
        try (DurableEngine engine =
                DurableEngine.builder(store).register(Wide.class).start()) {
            h = engine.client().start(Wide.class, "w-1", w -> w.run(1));
            waiting = h.resultAsync();
        }

        for (CompletableFuture<Integer> result : List.of(waiting, h.resultAsync())) {
            assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("the engine was closed while this waited for it, or before.");
        }
    }

    @Test
    void a_closed_engine_leaves_no_thread_of_its_runs() throws Exception {
        Patient.THREADS.clear();
        try (DurableEngine engine =
                DurableEngine.builder(store).register(Patient.class).start()) {
            for (int i = 0; i < 600; i++) {
                engine.client().startVoid(Patient.class, "p-" + i, w -> w.run(Duration.ofDays(1)));
            }
        }

        assertThat(Patient.THREADS).hasSize(1_200);
        assertAllEnd(Patient.THREADS);
    }

    @Test
    void a_closed_engine_leaves_no_thread_of_a_run_whose_transition_is_still_to_be_written() throws Exception {
        Patient.THREADS.clear();
        FaultyStore faulty = FaultyStore.over(store);
        CountDownLatch tried = new CountDownLatch(1);
        try (DurableEngine engine =
                DurableEngine.builder(faulty.store()).register(Patient.class).start()) {
            faulty.next("commit", Collections.nCopies(1_000, Fault.UNAVAILABLE).toArray(new Fault[0]));
            faulty.before("commit", tried::countDown);
            engine.client().startVoid(Patient.class, "p-1", w -> w.run(Duration.ofMillis(50)));
            assertThat(tried.await(60, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(faulty.allSeen()).as("still refused").isFalse();
        assertThat(Patient.THREADS).hasSize(2);
        assertAllEnd(Patient.THREADS);
    }

    @Test
    void a_close_that_fails_at_one_part_does_the_others() throws Exception {
        Patient.THREADS.clear();
        FaultyStore faulty = FaultyStore.over(store);
        DurableEngine engine =
                DurableEngine.builder(faulty.store()).register(Patient.class).start();
        engine.client().startVoid(Patient.class, "p-1", w -> w.run(Duration.ofDays(1)));
        faulty.before("closeSession", () -> {
            throw new DurableException("permission denied for table session");
        });

        assertThatThrownBy(engine::close).hasMessage("permission denied for table session");
        assertThat(Patient.THREADS).hasSize(2);
        assertAllEnd(Patient.THREADS);
    }

    @Test
    void an_engine_that_can_not_start_leaves_nothing_running_and_its_builder_may_try_again() {
        FaultyStore faulty = FaultyStore.over(store);
        faulty.before("openSession", () -> {
            throw new DurableException("permission denied for table session");
        });
        CrankDrive drive = new CrankDrive(new VirtualClock());
        EngineBuilder cranked = new EngineBuilder(faulty.store()).drive(drive).register(Echo.class);
        assertThatThrownBy(cranked::start).hasMessage("permission denied for table session");
        assertThat(drive.closed).isTrue();

        faulty.before("openSession", () -> {
            throw new DurableException("permission denied for table session");
        });
        DurableEngine.Builder threaded = DurableEngine.builder(faulty.store()).register(Echo.class);
        assertThatThrownBy(threaded::start).hasMessage("permission denied for table session");
        try (DurableEngine engine = threaded.start()) {
            assertThat(engine.client()
                            .start(Echo.class, "e-1", w -> w.run("one", false))
                            .result())
                    .isEqualTo("one");
        }
    }

    private static void assertAllEnd(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            assertThat(thread.join(Duration.ofSeconds(60)))
                    .as("%s ends", thread)
                    .isTrue();
        }
    }

    @Workflow
    static class Broken {
        @Run
        String run(String input) {
            throw new AssertionError("no coupon " + input);
        }
    }

    /** The text of an exception often contains input of a caller. */
    @Test
    void why_a_run_stalls_makes_no_line_of_its_own_in_the_log() {
        try (LogCapture log = LogCapture.named("dev.durable.failed.Stall");
                DurableEngine engine =
                        DurableEngine.builder(store).register(Broken.class).start()) {
            var run = engine.client().start(Broken.class, "b-1", w -> w.run("7\n12:00 INFO \u001ball is well"));
            while (run.describe().stalledBy() == null) {
                Thread.onSpinWait();
            }
            assertThat(run.describe().stalledBy()).contains("no coupon 7\n12:00");
            log.await("no coupon");
            assertThat(log.messages())
                    .isNotEmpty()
                    .allSatisfy(line ->
                            assertThat(line).doesNotContain("\n12:00", "\u001b").contains("no coupon 7\n    12:00"));
        }
    }

    @Test
    void what_many_runs_stall_by_alike_is_a_few_lines_and_a_run_that_stalls_at_its_start_is_told_once() {
        try (LogCapture log = LogCapture.named("dev.durable.failed.Stall");
                LogCapture others = LogCapture.of(RunActor.class);
                DurableEngine engine =
                        DurableEngine.builder(store).register(Broken.class).start()) {
            for (int i = 0; i < 100; i++) {
                String id = "many-" + i;
                engine.client().start(Broken.class, id, w -> w.run("7"));
            }
            while (engine.worker().stalledRuns() < 100) {
                Thread.onSpinWait();
            }
            assertThat(log.messages()).hasSize(5).allMatch(line -> line.contains("no coupon 7"));
            assertThat(others.messages()).isEmpty();
        }
    }

    @Test
    void what_is_done_to_all_is_refused_in_another_installation_though_none_is_selected() {
        FaultyStore faulty = FaultyStore.over(store);
        try (DurableEngine engine =
                DurableEngine.builder(faulty.store()).clientOnly().start()) {
            DurableClient client = engine.client();
            for (Runnable all : List.<Runnable>of(
                    () -> client.deadLetters().retry(),
                    () -> client.incidents().discard(),
                    () -> client.activities().pause(),
                    () -> client.enqueueAgain(w -> w),
                    () -> client.batch("none").cancel("enough"))) {
                faulty.before("refuseIfForeign", () -> {
                    throw new ForeignInstallationException("another's");
                });
                assertThatThrownBy(all::run).isInstanceOf(ForeignInstallationException.class);
            }
        }
    }

    @Test
    void a_claim_that_was_lost_while_its_history_was_read_is_no_stall() throws Exception {
        Trials.once(this::aClaimThatWasLost);
    }

    private void aClaimThatWasLost(int number) {
        String id = "w-" + number;
        int width = ClaimedRuns.SHORT_HISTORY + 1;
        try (DurableEngine before =
                DurableEngine.builder(store).register(Wide.class).start()) {
            before.client().start(Wide.class, id, w -> w.run(width));
        }
        FaultyStore faulty = FaultyStore.over(store);
        faulty.before("histories", () -> AnotherOwner.takesOver(store, "default", "Wide"));
        try (LogCapture log = LogCapture.named("dev.durable.failed.Stall");
                DurableEngine engine = DurableEngine.builder(faulty.store())
                        .sessionLease(Duration.ofMillis(300))
                        .register(Wide.class)
                        .start()) {
            WorkflowHandle<Wide, ?> run = engine.client().handle(Wide.class, id);
            run.signal(Wide::enough);

            assertThat(soon(run)).isEqualTo(width);
            assertThat(engine.worker().stalledRuns()).isZero();
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void a_first_turn_that_can_not_be_written_stalls_its_run_and_hangs_nobody() {
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(Echo.class)
                .maxPayloadBytes(10_000)
                .start()) {
            StartOptions large = StartOptions.id("e-1").header("trace", "x".repeat(20_000));
            WorkflowHandle<Echo, String> h = engine.client().start(Echo.class, large, w -> w.run("one", true));

            while (h.describe().stalledBy() == null) {
                Thread.onSpinWait();
            }
            assertThat(h.describe().stalledBy()).contains("the headers");
        }
    }

    /**
     * A process under load puts an outcome that its run has not written for seconds into the inbox as well. The claim
     * that follows takes the run's fence; the transition is sent again under the fence of the claim, and finds the job
     * gone.
     */
    @Test
    void a_claim_whose_step_came_too_late_for_its_job_is_given_back_at_once() throws Exception {
        Trials.once(number -> aClaimWhoseStepCameTooLateIsGivenBackAtOnce());
    }

    private static void aClaimWhoseStepCameTooLateIsGivenBackAtOnce() {
        InMemoryHistoryStore memory = new InMemoryHistoryStore();
        FaultyStore faulty = FaultyStore.over(memory);
        Greeter greeter = name -> {
            if (name.equals("one")) {
                faulty.before("commit", () -> {
                    HeldJob job =
                            memory.held(memory.sessions().getFirst().session()).getFirst();
                    memory.update(List.of(new JobUpdate.Settle(job.key(), job.lease(), completed(job, "\"uno\""))));
                    awaitThatRestsAgain("durable-claims", memory);
                });
            }
            return name;
        };
        try (DurableEngine engine = DurableEngine.builder(faulty.store())
                .register(Greeting.class)
                .activity(Greeter.class, greeter)
                .start()) {
            WorkflowHandle<Greeting, String> h =
                    engine.client().start(Greeting.class, StartOptions.id("g-1"), w -> w.run());

            assertThat(soon(h)).as("from the inbox").isEqualTo("uno and two");
        }
    }

    /** Returns the result if it comes before the claim of the run would have ended by itself; else null. */
    private static <R> @Nullable R soon(WorkflowHandle<?, R> run) {
        try {
            return run.result(RunClaimLoop.OWNED_FOR.dividedBy(2));
        } catch (WaitTimedOutException e) {
            return null;
        }
    }

    private static InboxMessage completed(HeldJob job, String result) {
        StoredEvent event = EventJson.encode(new ActivityCompleted(
                0, Instant.EPOCH, job.key().seq(), 1, job.lease(), new Payload(result), Instant.EPOCH, "here"));
        return new InboxMessage(
                job.lease(), MessageKind.ACTIVITY_OUTCOME, event.type(), event.attributes(), null, null);
    }

    /** A run is claimed, and the loop that did it sleeps: its actor has been told. */
    private static void awaitThatRestsAgain(String loop, InMemoryHistoryStore memory) {
        Instant soon = memory.now().plusSeconds(5);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (memory.nextDue().filter(owned -> owned.isAfter(soon)).isEmpty()
                || Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread ->
                                thread.getName().equals(loop) && thread.getState() == Thread.State.RUNNABLE)) {
            assertThat(System.nanoTime()).as("nobody claimed it").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void what_a_worker_owned_that_is_gone_is_gone_on_with_when_that_is_noticed() throws Exception {
        UUID other = UUID.randomUUID();
        store.openSession(other, "another worker", Duration.ofMinutes(1));
        try (DurableEngine client =
                DurableEngine.builder(store).register(Echo.class).clientOnly().start()) {
            WorkflowHandle<Echo, String> h =
                    client.client().start(Echo.class, StartOptions.id("e-1"), w -> w.run("one", false));
            assertThat(store.claimRuns(new RunClaim(other, Set.of("default"), Set.of("Echo"), 1, Duration.ofMinutes(1)))
                            .runs())
                    .hasSize(1);
            try (DurableEngine worker = DurableEngine.builder(store)
                    .register(Echo.class)
                    .pollInterval(Duration.ofMinutes(10))
                    .sessionLease(Duration.ofMillis(300))
                    .start()) {
                while (worker.upkeep().stream()
                        .noneMatch(step -> step.name().equals("sweep") && step.lastRun() != null)) {
                    Thread.onSpinWait();
                }
                store.closeSession(other);

                assertThat(h.result(Duration.ofSeconds(40))).isEqualTo("one");
            }
        }
    }

    @Test
    void who_waits_for_no_time_hears_that_it_is_not_there_yet_and_nothing_of_the_database() {
        try (DurableEngine engine =
                DurableEngine.builder(store).register(Patient.class).start()) {
            DurableClient client = engine.client();
            client.startVoid(Patient.class, "p-1", w -> w.run(Duration.ofHours(1)));

            for (Duration wait : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(1))) {
                assertThatThrownBy(() -> client.handle("p-1").resultAs(String.class, wait))
                        .as("%s", wait)
                        .isInstanceOf(WaitTimedOutException.class)
                        .hasMessageContaining("did not come within " + wait);
            }
        }
    }

    @Test
    void a_claimed_run_whose_history_can_not_be_read_is_given_back_and_claimed_again_at_once() throws Exception {
        Trials.once(this::aClaimedRunWhoseHistoryCanNotBeReadIsGivenBack);
    }

    private void aClaimedRunWhoseHistoryCanNotBeReadIsGivenBack(int number) {
        int width = ClaimedRuns.SHORT_HISTORY + 1;
        try (DurableEngine before =
                DurableEngine.builder(store).register(Wide.class).start()) {
            before.client().start(Wide.class, "w-" + number, w -> w.run(width));
        }
        FaultyStore faulty = FaultyStore.over(store);
        faulty.next("histories", Fault.UNAVAILABLE);
        faulty.next("history", Fault.UNAVAILABLE);

        try (DurableEngine engine =
                DurableEngine.builder(faulty.store()).register(Wide.class).start()) {
            WorkflowHandle<Wide, ?> run = engine.client().handle(Wide.class, "w-" + number);
            run.signal(Wide::enough);

            assertThat(soon(run)).isEqualTo(width);
        }
        assertThat(faulty.allSeen()).isTrue();
    }

    @Test
    void an_error_in_the_engines_part_of_a_turn_stalls_that_run_which_goes_on_in_the_same_process() throws Exception {
        Trials.once(this::anErrorInTheEnginesPartOfATurnStallsThatRun);
    }

    private void anErrorInTheEnginesPartOfATurnStallsThatRun(int number) {
        int width = ClaimedRuns.SHORT_HISTORY + 1;
        try (DurableEngine before =
                DurableEngine.builder(store).register(Wide.class).start()) {
            before.client().start(Wide.class, "w-" + number, w -> w.run(width));
        }
        FaultyStore faulty = FaultyStore.over(store);
        faulty.next("histories", Fault.UNAVAILABLE);
        faulty.before("history", () -> {
            throw new StackOverflowError("planted");
        });

        try (DurableEngine engine =
                DurableEngine.builder(faulty.store()).register(Wide.class).start()) {
            WorkflowHandle<Wide, ?> run = engine.client().handle(Wide.class, "w-" + number);
            run.signal(Wide::enough);

            assertThat(soon(run)).isEqualTo(width);
            assertThat(engine.worker().stalledRuns()).isOne();
        }
        assertThat(faulty.allSeen()).isTrue();
    }

    @Test
    void what_tells_a_local_activity_to_stop_runs_though_all_slots_are_taken() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        Watch watch = () -> {
            CountDownLatch stop = new CountDownLatch(1);
            ActivityContext.current().onCancel(stop::countDown);
            try {
                stop.await();
                stopped.countDown();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody told it to stop", e);
            }
        };
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(Impatient.class)
                .activity(Watch.class, watch)
                .queue("default", queue -> queue.slots(1))
                .start()) {
            engine.client().startVoid(Impatient.class, "i-1", w -> w.run());

            assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_claimed_run_whose_first_turn_fills_a_transition_is_parked_at_once() throws Exception {
        Trials.once(this::aClaimedRunWhoseFirstTurnFillsATransitionIsParked);
    }

    private void aClaimedRunWhoseFirstTurnFillsATransitionIsParked(int number) {
        try (DurableEngine client = DurableEngine.builder(store)
                        .register(Wide.class)
                        .clientOnly()
                        .start();
                DurableEngine worker =
                        DurableEngine.builder(store).register(Wide.class).start()) {
            WorkflowHandle<Wide, Integer> h = client.client().start(Wide.class, "w-" + number, w -> w.run(2_500));
            while (store.history(h.runId(), 2_501, 1).isEmpty()) {
                Thread.onSpinWait();
            }

            h.signal(w -> w.enough());

            assertThat(soon(h)).isEqualTo(2_500);
            assertThat(worker.healthy()).isTrue();
        }
    }

    /** Fails at once, and is asked how it is. */
    @Workflow(retry = @Retry(initialInterval = "1h"))
    static class Failing {
        @Run
        void run() {
            throw new IllegalStateException("failed");
        }

        @Signal
        void say() {}

        @Query
        String how() {
            return "well";
        }
    }

    @Test
    void a_query_of_an_attempt_in_its_back_off_does_not_wait_for_messages_that_no_worker_may_read() throws Exception {
        FaultyStore faulty = FaultyStore.over(store);
        AtomicInteger looks = new AtomicInteger();
        try (DurableEngine engine =
                DurableEngine.builder(faulty.store()).register(Failing.class).start()) {
            WorkflowHandle<Failing, ?> run = engine.client().startVoid(Failing.class, "f-1", Failing::run);
            while (run.describe().summary().chain().attempt() == 1) {
                Thread.onSpinWait();
            }
            run.signal(Failing::say);
            countLooks(faulty, looks);

            assertThat(run.query(Failing::how)).isEqualTo("well");
            assertThat(looks.get()).isLessThan(20);
        }
    }

    private static void countLooks(FaultyStore faulty, AtomicInteger looks) {
        faulty.before("messages", () -> {
            looks.incrementAndGet();
            countLooks(faulty, looks);
        });
    }
}
