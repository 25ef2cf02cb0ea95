package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.durable.CallInterruptedException;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StreamReader;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.text.Portion;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import dev.durable.store.contract.Seizures;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Readers of streams that wait: what wakes them, and what ends their wait. Real threads, but for the first tests. */
class StreamReadersTest {
    private final ActivityBench bench = new ActivityBench();
    private final StreamWaiters waiters = new StreamWaiters(bench.store, () -> true);
    private final RunKey run = bench.schedule("[\"x\"]").run();

    private CompletableFuture<StreamPage> page(UUID openRun) {
        return waiters.page(new StreamPage.Question(run, "tokens", 0, 10), openRun);
    }

    @Test
    void a_nudge_of_the_chain_or_of_its_open_run_has_the_streams_read_at_once() {
        UUID openRun = UUID.randomUUID();
        CompletableFuture<StreamPage> ofChain = page(run.runId());
        waiters.loop().runOnce();
        assertThat(ofChain).isNotDone();
        bench.memory.seize(Seizures.terminate(run));
        waiters.loop().look(UUID.randomUUID());
        waiters.loop().runOnce();
        assertThat(ofChain).as("a nudge of another chain").isNotDone();

        waiters.loop().look(run.runId());
        waiters.loop().runOnce();
        assertThat(ofChain.join().isLast()).isTrue();

        CompletableFuture<StreamPage> ofRun = page(openRun);
        waiters.loop().look(openRun);
        waiters.loop().runOnce();
        assertThat(ofRun.join().isLast()).isTrue();
    }

    @Test
    void a_reader_hears_that_another_run_of_its_chain_is_open_as_the_end_of_that_one_is_its_own() {
        CompletableFuture<StreamPage> ofEarlierRun = page(UUID.randomUUID());

        waiters.loop().look(run.runId());
        waiters.loop().runOnce();

        assertThat(ofEarlierRun.join().entries()).isEmpty();
        assertThat(ofEarlierRun.join().openRun()).isEqualTo(run.runId());
        CompletableFuture<StreamPage> ofThisRun = page(run.runId());
        waiters.loop().runOnce();
        assertThat(ofThisRun).isNotDone();
    }

    @Workflow
    static class Talk {
        private boolean over;

        @Run
        String run() {
            Durable.await(() -> over);
            return "over";
        }

        @Signal
        void say(String word) {
            Durable.stream("words", String.class).append(word);
        }
    }

    /** Waits for a signal, and ends in its third run. */
    @Workflow
    static class Relay {
        private boolean goOn;

        @Run
        String run(int number) {
            Durable.await(() -> goOn || number > 1);
            if (number < 3) {
                throw Durable.continueAsNew(Relay.class, w -> w.run(number + 1));
            }
            return "over";
        }

        @Signal
        void goOn() {
            goOn = true;
        }
    }

    private static DurableEngine engine() {
        return engine(new InMemoryHistoryStore());
    }

    private static DurableEngine engine(HistoryStore store) {
        return DurableEngine.builder(store)
                .register(Talk.class)
                .register(Relay.class)
                .start();
    }

    private static WorkflowHandle<Talk, String> talk(DurableEngine engine) {
        return engine.client().start(Talk.class, "talk-1", Talk::run);
    }

    private static CompletableFuture<Boolean> waits(StreamReader<String> reader) {
        CompletableFuture<Boolean> begins = new CompletableFuture<>();
        CompletableFuture<Boolean> next = CompletableFuture.supplyAsync(() -> {
            begins.complete(true);
            return reader.hasNext();
        });
        begins.join();
        return next;
    }

    @Test
    void a_waiting_reader_gets_what_a_handler_appends() {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Talk, String> talk = talk(engine);
            StreamReader<String> reader = talk.stream("words", String.class).from(0);
            CompletableFuture<Boolean> waits = waits(reader);

            talk.signal(w -> w.say("hello"));

            assertThat(waits.join()).isTrue();
            assertThat(reader.next().value()).isEqualTo("hello");
        }
    }

    @Test
    void a_reader_that_another_thread_closes_ends_its_wait_without_an_entry() {
        try (DurableEngine engine = engine()) {
            StreamReader<String> reader =
                    talk(engine).stream("words", String.class).from(0);
            CompletableFuture<Boolean> waits = waits(reader);

            reader.close();

            assertThat(waits.join()).isFalse();
        }
    }

    @Test
    void an_engine_that_closes_ends_the_waits_of_its_readers() {
        CompletableFuture<Boolean> waits;
        try (DurableEngine engine = engine()) {
            waits = waits(talk(engine).stream("words", String.class).from(0));
        }

        assertThatThrownBy(waits::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void a_reader_that_does_not_wait_finds_an_entry_that_is_there() {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Talk, String> talk = talk(engine);
            StreamReader<String> reader = talk.stream("words", String.class).from(0);
            talk.signal(w -> w.say("hello"));
            reader.next();
            assertThatThrownBy(() -> reader.hasNext(Duration.ZERO)).isInstanceOf(WaitTimedOutException.class);

            talk.signal(w -> w.say("again"));
            talk.stream("words", String.class).from(1).next();

            assertThat(reader.hasNext(Duration.ZERO)).isTrue();
            assertThat(reader.next().value()).isEqualTo("again");
        }
    }

    @Test
    void a_reader_follows_its_chain_over_its_runs_to_its_end() {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Relay, String> relay = engine.client().start(Relay.class, "relay-1", w -> w.run(1));
            CompletableFuture<Boolean> waits =
                    waits(relay.stream("words", String.class).from(0));

            relay.signal(Relay::goOn);

            assertThat(waits.join()).isFalse();
        }
    }

    @Test
    void a_reader_that_waits_keeps_no_page_that_it_has_read() throws Exception {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Talk, String> talk = talk(engine);
            StreamReader<String> reader = talk.stream("words", String.class).from(0);
            talk.signal(w -> w.say("hello"));
            assertThat(reader.next().value()).isEqualTo("hello");
            assertThatThrownBy(() -> reader.hasNext(Duration.ZERO)).isInstanceOf(WaitTimedOutException.class);

            for (Field field : reader.getClass().getDeclaredFields()) {
                field.setAccessible(true);
                Object kept = field.get(reader);
                assertThat(kept instanceof StreamPage).as(field.getName()).isFalse();
                if (kept instanceof Collection<?> entries) {
                    assertThat(entries).isEmpty();
                }
            }
        }
    }

    @Test
    void a_reader_reads_ahead_a_small_part_of_a_portion() {
        List<Long> bytes = new CopyOnWriteArrayList<>();
        try (DurableEngine engine = engine(asked(new InMemoryHistoryStore(), bytes, () -> {}))) {
            WorkflowHandle<Talk, String> talk = talk(engine);
            talk.signal(w -> w.say("hello"));
            StreamReader<String> reader = talk.stream("words", String.class).from(0);
            assertThat(reader.next().value()).isEqualTo("hello");
        }

        assertThat(bytes.getFirst()).isEqualTo(Portion.BYTES / 16);
    }

    @Test
    void a_wait_with_a_timeout_has_one_for_all_that_it_reads() {
        VirtualClock clock = new VirtualClock();
        HistoryStore slow =
                asked(InMemoryHistoryStore.on(clock), new ArrayList<>(), () -> clock.advance(Duration.ofMinutes(2)));
        try (DurableEngine engine = engine(slow)) {
            StreamReader<String> reader =
                    talk(engine).stream("words", String.class).from(0);

            assertTimeoutPreemptively(
                    Duration.ofSeconds(50),
                    () -> assertThatThrownBy(() -> reader.hasNext(Duration.ofMinutes(1)))
                            .isInstanceOf(WaitTimedOutException.class)
                            .hasMessage("entry 0 of stream words did not come within PT1M"));
        }
    }

    /** A store that notes how many bytes pages may have, and does something before it reads them. */
    private static HistoryStore asked(HistoryStore store, List<Long> bytes, Runnable before) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("historyStore")) {
                        return proxy;
                    }
                    if (method.getName().equals("streams")) {
                        bytes.add((Long) arguments[1]);
                        before.run();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void an_interrupt_ends_the_wait_and_the_reader_reads_on_afterwards() throws Exception {
        try (DurableEngine engine = engine()) {
            WorkflowHandle<Talk, String> talk = talk(engine);
            StreamReader<String> reader = talk.stream("words", String.class).from(0);
            AtomicBoolean interrupted = new AtomicBoolean();
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    assertThat(reader.hasNext()).isFalse();
                } catch (CallInterruptedException e) {
                    interrupted.set(Thread.currentThread().isInterrupted());
                }
            });
            thread.interrupt();
            thread.join();
            talk.signal(w -> w.say("hello"));

            assertThat(interrupted).isTrue();
            assertThat(reader.next().value()).isEqualTo("hello");
        }
    }
}
