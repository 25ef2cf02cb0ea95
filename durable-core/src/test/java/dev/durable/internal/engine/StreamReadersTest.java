package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import dev.durable.store.contract.Seizures;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
        CompletableFuture<StreamPage> ofChain = page(null);
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

    private static DurableEngine engine() {
        return DurableEngine.builder(new InMemoryHistoryStore())
                .register(Talk.class)
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
