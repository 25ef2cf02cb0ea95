package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WaitFor;
import dev.durable.history.ActivityScheduled;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What stops and goes on with a worker: engines that follow one another on one store in memory, in real time, as other
 * engines' lists of tests name it; {@code docs/conformance.md}.
 */
@Timeout(60)
class WorkerConformanceTest {
    private static final TypeRef<List<String>> ENTRIES = new TypeRef<>() {};

    @Activity
    interface Work {
        String work(String what);

        @Activity(local = true)
        String workHere(String what);
    }

    /** Keeps what it hears, and ends when it is told so. */
    @Workflow
    static class Ledger {
        private final Work work;
        private final List<String> entries = new ArrayList<>();
        private boolean closed;

        Ledger(Work work) {
            this.work = work;
        }

        @Run
        List<String> run(String what) {
            switch (what) {
                case "work" -> entries.add(work.work("w"));
                case "work here" -> entries.add(work.workHere("h"));
                case "sleep" -> Durable.sleep(Duration.ofMillis(200));
                default -> {}
            }
            if (what.equals("listen")) {
                Durable.await(() -> closed);
            }
            return entries;
        }

        @Signal
        void enter(String entry) {
            entries.add(entry);
        }

        @Signal
        void close() {
            closed = true;
        }

        @Query
        List<String> entries() {
            return entries;
        }

        @Update
        String worked(String what) {
            return work.work(what);
        }
    }

    private final InMemoryHistoryStore store = new InMemoryHistoryStore();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);
    private volatile boolean blocking;

    private final Work work = new Work() {
        @Override
        public String work(String what) {
            bodies.add(what + " in attempt " + ActivityContext.current().info().attempt());
            begun.release();
            if (blocking) {
                try {
                    mayEnd.acquire();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("told to stop", e);
                }
            }
            return what + "!";
        }

        @Override
        public String workHere(String what) {
            return work(what);
        }
    };

    private DurableEngine engine(Duration drain) {
        return DurableEngine.builder(store)
                .register(Ledger.class)
                .activity(Work.class, work)
                .drainTimeout(drain)
                .start();
    }

    private DurableEngine engine() {
        return engine(Duration.ofSeconds(30));
    }

    @Test
    void the_state_of_a_run_is_there_after_its_worker_has_stopped_and_another_started() {
        try (DurableEngine first = engine()) {
            var run = first.client().start(Ledger.class, "l-1", w -> w.run("listen"));
            run.signal(w -> w.enter("a"));
        }
        try (DurableEngine second = engine()) {
            var run = second.client().handle(Ledger.class, "l-1");
            List<String> entries = run.query(Ledger::entries);
            assertThat(entries).containsExactly("a");
            run.signal(w -> w.enter("b"));
            run.signal(Ledger::close);
            assertThat(run.resultAs(ENTRIES)).containsExactly("a", "b");
        }
    }

    @Test
    void a_sleep_goes_on_while_no_worker_is_there() {
        try (DurableEngine first = engine()) {
            first.client().start(Ledger.class, "l-1", w -> w.run("sleep"));
        }
        try (DurableEngine second = engine()) {
            assertThat(second.client().handle("l-1").resultAs(ENTRIES)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"work", "work here"})
    void an_activity_that_ends_while_its_worker_stops_counts(String how) throws Exception {
        blocking = true;
        DurableEngine first = engine();
        first.client().start(Ledger.class, "l-1", w -> w.run(how));
        begun.acquire();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close);
        mayEnd.release();
        closed.get(40, TimeUnit.SECONDS);

        try (DurableEngine second = engine()) {
            assertThat(second.client().handle("l-1").resultAs(ENTRIES)).hasSize(1);
        }
        assertThat(bodies).as("the body ran once").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"work", "work here"})
    void an_activity_that_does_not_end_in_the_time_of_the_stop_is_told_so_and_made_again_elsewhere(String how)
            throws Exception {
        blocking = true;
        DurableEngine first = engine(Duration.ofMillis(10));
        first.client().start(Ledger.class, "l-1", w -> w.run(how));
        begun.acquire();
        first.close();
        blocking = false;

        try (DurableEngine second = engine()) {
            assertThat(second.client().handle("l-1").resultAs(ENTRIES)).hasSize(1);
        }
        assertThat(bodies)
                .as("the interrupted attempt is not counted")
                .hasSize(2)
                .allMatch(b -> b.endsWith("attempt 1"));
    }

    @Test
    void an_update_whose_handler_waits_is_answered_after_the_worker_was_restarted() throws Exception {
        blocking = true;
        DurableEngine first = engine(Duration.ofMillis(10));
        first.client()
                .start(Ledger.class, "l-1", w -> w.run("listen"))
                .startUpdate("u-1", w -> w.worked("u"), WaitFor.ACCEPTED);
        begun.acquire();
        first.close();
        blocking = false;

        try (DurableEngine second = engine()) {
            var run = second.client().handle(Ledger.class, "l-1");
            assertThat(run.updateHandle("u-1", String.class).result()).isEqualTo("u!");
            run.signal(Ledger::close);
        }
    }

    @Test
    void a_run_waits_while_it_is_paused_and_goes_on_with_what_came_meanwhile() {
        try (DurableEngine engine = engine()) {
            var run = engine.client().start(Ledger.class, "l-1", w -> w.run("listen"));
            run.pause("maintenance");
            run.signal(w -> w.enter("while it was paused"));
            run.signal(Ledger::close);
            List<String> entries = run.query(Ledger::entries);
            assertThat(entries).isEmpty();
            run.resume();

            assertThat(run.result()).containsExactly("while it was paused");
        }
    }

    /** The next release of the same workflow: it calls an activity first. */
    @Workflow(name = "Ledger")
    static class ChangedLedger {
        private final Work work;
        private final List<String> entries = new ArrayList<>();
        private boolean closed;

        ChangedLedger(Work work) {
            this.work = work;
        }

        @Run
        List<String> run(String what) {
            if (Durable.version("work first", 0, 1) == 1) {
                entries.add(work.work(what));
            }
            Durable.await(() -> closed);
            return entries;
        }

        @Signal
        void enter(String entry) {
            entries.add(entry);
        }

        @Signal
        void close() {
            closed = true;
        }
    }

    private DurableEngine changed() {
        return DurableEngine.builder(store)
                .register(ChangedLedger.class)
                .activity(Work.class, work)
                .start();
    }

    @Test
    void a_run_of_the_former_release_goes_on_by_its_code_and_a_new_run_has_the_new() {
        try (DurableEngine first = engine()) {
            first.client().start(Ledger.class, "l-1", w -> w.run("listen")).signal(w -> w.enter("a"));
        }
        try (DurableEngine second = changed()) {
            var old = second.client().handle(ChangedLedger.class, "l-1");
            var young = second.client().start(ChangedLedger.class, "l-2", w -> w.run("n"));
            old.signal(ChangedLedger::close);
            young.signal(ChangedLedger::close);

            assertThat(old.resultAs(ENTRIES)).containsExactly("a");
            assertThat(young.result()).containsExactly("n!");
            assertThat(old.history().events(ActivityScheduled.class)).isEmpty();
        }
    }

    /** A change without a version: the history does not fit. */
    @Workflow(name = "Ledger")
    static class WrongLedger {
        private final Work work;
        private boolean closed;

        WrongLedger(Work work) {
            this.work = work;
        }

        @Run
        List<String> run(String what) {
            String entry = work.work(what);
            Durable.await(() -> closed);
            return List.of(entry);
        }

        @Signal
        void enter(String entry) {
            closed = entry.isEmpty();
        }

        @Signal
        void close() {
            closed = true;
        }
    }

    @Test
    void code_that_no_longer_fits_its_history_stalls_the_run_and_mended_code_ends_it() {
        try (DurableEngine first = engine()) {
            first.client().start(Ledger.class, "l-1", w -> w.run("listen")).signal(w -> w.enter("a"));
        }
        try (DurableEngine second = DurableEngine.builder(store)
                .register(WrongLedger.class)
                .activity(Work.class, work)
                .start()) {
            var run = second.client().handle(WrongLedger.class, "l-1");
            run.signal(WrongLedger::close);
            while (run.describe().stalledBy() == null) {
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
            assertThat(run.describe().stalledBy()).contains("Work.work");
        }
        try (DurableEngine third = engine()) {
            assertThat(third.client().handle("l-1").resultAs(ENTRIES)).containsExactly("a");
        }
    }
}
