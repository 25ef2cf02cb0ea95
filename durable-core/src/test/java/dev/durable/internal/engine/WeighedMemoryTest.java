package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.commit.HeapShare;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bytes that an engine reports to keep in memory are at least those that came in, on each way into memory. */
@Timeout(120)
class WeighedMemoryTest {
    private static final int SIZE = 100_000;
    private static final String LATIN = "durable ".repeat(SIZE / 8);
    private static final String GREEK = "αβγδεζηθ".repeat(SIZE / 8);
    /** The JSON and the value. */
    private static final long KEPT = 2L * SIZE;

    private static final AtomicReference<CountDownLatch> END = new AtomicReference<>(new CountDownLatch(1));

    @Activity(taskQueue = "nobody")
    interface Elsewhere {
        void call(String text);
    }

    @Activity
    interface Texts {
        String text(int size);

        @Activity(local = true, startToClose = "10m")
        void waits(String text);
    }

    static final class TextsHere implements Texts {
        @Override
        public String text(int size) {
            return "x".repeat(size);
        }

        @Override
        public void waits(String text) {
            try {
                END.get().await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Workflow
    static class Keeper {
        private final Texts texts;
        private final Elsewhere elsewhere;
        private String kept = "";
        private int letters;

        Keeper(Texts texts, Elsewhere elsewhere) {
            this.texts = texts;
            this.elsewhere = elsewhere;
        }

        @Run
        int run(String how, String argument) {
            switch (how) {
                case "result" -> kept = texts.text(SIZE);
                case "call" -> Durable.async(() -> elsewhere.call("x".repeat(SIZE)));
                case "local" -> texts.waits(argument);
                case "sideEffect" -> kept = Durable.sideEffect(String.class, () -> "x".repeat(SIZE));
                default -> {}
            }
            Durable.await(() -> letters < 0);
            return kept.length();
        }

        @Signal
        void letter(String text) {
            letters++;
            kept = text;
        }
    }

    private final InMemoryHistoryStore store = new InMemoryHistoryStore();
    private DurableEngine engine = engine(store).start();

    private static DurableEngine.Builder engine(InMemoryHistoryStore store) {
        return DurableEngine.builder(store)
                .pollInterval(Duration.ofMillis(20))
                .register(Keeper.class)
                .activity(Texts.class, new TextsHere());
    }

    @AfterEach
    void close() {
        END.get().countDown();
        engine.close();
    }

    @Test
    void a_run_that_is_started_here_weighs_what_it_keeps() {
        assertThat(started("", LATIN)).isBetween(KEPT, 2 * KEPT);
    }

    @Test
    void characters_beyond_latin_1_weigh_two_bytes() {
        assertThat(started("", GREEK)).isBetween(2 * KEPT, 3 * KEPT);
    }

    @Test
    void a_run_without_arguments_weighs_its_instance_and_its_stack() {
        assertThat(started("", "")).isBetween(7_000L, 20_000L);
    }

    @Test
    void a_run_weighs_what_its_activities_have_given() {
        assertThat(started("result", "")).isGreaterThan(KEPT);
    }

    @Test
    void a_run_weighs_the_arguments_of_what_it_waits_for() {
        assertThat(started("call", "")).isGreaterThan(SIZE);
    }

    @Test
    void a_run_weighs_its_side_effects() {
        assertThat(started("sideEffect", "")).isGreaterThan(KEPT);
    }

    @Test
    void a_run_that_waits_for_a_local_activity_is_weighed_too() {
        assertThat(started("local", LATIN)).isGreaterThan(KEPT + SIZE);
    }

    @Test
    void a_run_weighs_what_it_was_signalled_and_its_arguments_however_many_signals_come() {
        WorkflowHandle<Keeper, Integer> run = start("signalled", "", LATIN);
        run.signal(k -> k.letter(LATIN));
        assertThat(bytesOnceAtLeast(2 * KEPT)).isGreaterThanOrEqualTo(2 * KEPT);
        for (int i = 0; i < 500; i++) {
            run.signal(k -> k.letter(""));
        }
        // The ids of signals are kept, the letter is taken to be forgotten, the argument is not.
        assertThat(bytesOnceAtLeast(KEPT + 500 * 64)).isGreaterThan(KEPT + 500 * 64);
    }

    @Test
    void a_run_that_is_claimed_weighs_as_one_that_was_started_here() {
        start("one", "result", LATIN);
        long here = bytesOnceAtLeast(2 * KEPT);
        engine.close();
        engine = engine(store).start();
        engine.client().handle(Keeper.class, "one").signal(k -> k.letter(""));
        assertThat(bytesOnceAtLeast(here * 8 / 9)).isBetween(here * 8 / 9, here * 10 / 9);
    }

    @Test
    void what_is_evicted_weighs_nothing_and_the_bound_is_kept() {
        engine.close();
        long most = 5_000_000;
        engine = ((EngineBuilder) engine(store)).cacheBytes(most).start();
        int runs = (int) (most / KEPT) + 20;
        for (int i = 0; i < runs; i++) {
            start("run-" + i, "", LATIN);
        }
        EngineStatistics.Cache cache = engine.statistics().cache();
        assertThat(cache.bytes()).isBetween(most * 8 / 10, most);
        assertThat(cache.runs()).isLessThan(runs);
    }

    @Test
    void runs_that_fill_the_memory_while_they_wait_for_local_activities_hear_what_is_sent_to_them() {
        engine.close();
        END.set(new CountDownLatch(1));
        engine = ((EngineBuilder) engine(store)).cacheBytes(SIZE).start();
        WorkflowHandle<Keeper, Integer> full = start("full", "local", LATIN);
        assertThat(bytesOnceAtLeast(KEPT + SIZE)).isGreaterThan(KEPT + SIZE);

        full.cancel("enough");

        assertThatThrownBy(() -> full.result(Duration.ofMinutes(1)))
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("enough");
    }

    @Test
    void engines_of_one_process_share_what_one_may_keep() {
        long most = Math.max(16L << 20, Runtime.getRuntime().maxMemory() / 4) / 3;
        try (DurableEngine other = engine(new InMemoryHistoryStore()).start();
                DurableEngine third =
                        engine(new InMemoryHistoryStore()).clientOnly().start()) {
            for (DurableEngine each : List.of(engine, other, third)) {
                assertThat(each.statistics().cache().maxBytes()).isBetween(1L, most);
            }
        }
        assertThat(engine.statistics().cache().maxBytes()).isEqualTo(HeapShare.cache());
    }

    private WorkflowHandle<Keeper, Integer> start(String id, String how, String argument) {
        return engine.client().start(Keeper.class, id, k -> k.run(how, argument));
    }

    /** Bytes that a run weighs when it waits. */
    private long started(String how, String argument) {
        start("one", how, argument);
        long known = how.isEmpty() ? 7_000 : SIZE;
        return bytesOnceAtLeast(known);
    }

    private long bytesOnceAtLeast(long bytes) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (engine.statistics().cache().bytes() < bytes && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        return engine.statistics().cache().bytes();
    }
}
