package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.StoredEvent;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A history of very many events is paged, queried, exported, and replayed by a worker that goes on with the run, on both
 * stores. {@code -Dhistory.events=100000} is the full size; the pages are bounded at any size.
 */
@Timeout(600)
@Tag("slow")
class LargeHistoryTest {
    private static final int EVENTS = Integer.getInteger("history.events", 20_000);
    /** The most events of a page that a store gives at once. */
    private static final int PAGE = 2_000;

    @TempDir
    private Path directory;

    /** Counts signals. */
    @Workflow
    static class Counter {
        private int count;
        private boolean over;

        @Run
        int run() {
            Durable.await(() -> over);
            return count;
        }

        @Signal
        void add(String payload) {
            count++;
        }

        @Signal
        void end() {
            over = true;
        }

        @Query
        int count() {
            return count;
        }
    }

    @Test
    void a_history_in_postgresql_is_paged_queried_exported_and_replayed() throws IOException {
        try (Bench bench = new Bench()) {
            everyReaderReadsIt(PostgresHistoryStore.of(bench.dataSource()));
        }
    }

    @Test
    void a_history_in_memory_is_paged_queried_exported_and_replayed() throws IOException {
        everyReaderReadsIt(new InMemoryHistoryStore());
    }

    private void everyReaderReadsIt(HistoryStore store) throws IOException {
        RunKey key;
        try (DurableEngine caller = engine(store).clientOnly().start()) {
            WorkflowHandle<Counter, Integer> run = caller.client().start(Counter.class, "c-1", Counter::run);
            key = new RunKey(run.describe().summary().runId(), "c-1");
            write(store, key);
            long asked = System.nanoTime();

            assertThat(run.query(Counter::count)).isEqualTo(EVENTS - 1);

            report(store, "query", asked);
            assertThat(run.describe().historyLength()).isEqualTo(EVENTS);
            assertThat(caller.client().history("c-1")).hasSize(EVENTS);
            exports(caller);
            assertThat(pages(store, key)).isEqualTo(EVENTS);
        }
        long begun = System.nanoTime();
        try (DurableEngine worker = engine(store).start()) {
            WorkflowHandle<Counter, ?> run = worker.client().handle(Counter.class, "c-1");
            run.signal(w -> w.add(""));
            run.signal(Counter::end);

            assertThat(run.resultAs(Integer.class)).isEqualTo(EVENTS);

            report(store, "replay by a worker", begun);
            assertThat(run.describe().historyLength()).isEqualTo(EVENTS + 3);
        }
    }

    private void exports(DurableEngine caller) throws IOException {
        Path file = directory.resolve("c-1-" + UUID.randomUUID() + ".json");
        caller.client().export("c-1", file);
        assertThat(Files.readString(file).split("SignalReceived", -1)).hasSize(EVENTS);
    }

    /** Reads the history as a replay does; no page is larger than a portion, however long the history is. */
    private static long pages(HistoryStore store, RunKey key) {
        long read = 0;
        List<StoredEvent> page = store.history(key.runId(), 1, PAGE);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(PAGE);
            assertThat(page.getFirst().id()).isEqualTo(read + 1);
            read += page.size();
            page = store.history(key.runId(), read + 1, PAGE);
        }
        return read;
    }

    /** Writes signals into the history, as a worker does that is fed with them. */
    private static void write(HistoryStore store, RunKey key) {
        UUID session = UUID.randomUUID();
        store.openSession(session, "writer", Duration.ofSeconds(30));
        var claim = store.claimRuns(new dev.durable.store.RunClaim(
                        session, java.util.Set.of("default"), java.util.Set.of("Counter"), 1, Duration.ofSeconds(30)))
                .runs()
                .getFirst();
        UUID fence = claim.fence();
        long next = claim.nextEventId();
        while (next <= EVENTS) {
            Instant now = store.clock().now();
            List<StoredEvent> events = new ArrayList<>();
            for (long id = next; id <= Math.min(EVENTS, next + PAGE - 1); id++) {
                events.add(new StoredEvent(
                        id, "SignalReceived", now, UUID.randomUUID(), "{\"name\":\"add\",\"input\":[\"" + id + "\"]}"));
            }
            UUID after = UUID.randomUUID();
            Transition.Outcome outcome = store.commit(List.of(new Transition(
                            key,
                            new Transition.Fences(fence, after),
                            next,
                            events,
                            List.of(),
                            Transition.JobChanges.NONE,
                            next + PAGE > EVENTS,
                            null,
                            null,
                            null)))
                    .getFirst();
            assertThat(outcome.isApplied()).isTrue();
            fence = after;
            next += events.size();
        }
        store.closeSession(session);
    }

    private static DurableEngine.Builder engine(HistoryStore store) {
        return DurableEngine.builder(store)
                .pollInterval(Duration.ofMillis(50))
                .maxHistoryEvents(10L * EVENTS)
                .register(Counter.class);
    }

    private static void report(HistoryStore store, String what, long since) {
        System.out.printf(
                "%,d events, %s: %s %,d ms%n",
                EVENTS, store.getClass().getSimpleName(), what, (System.nanoTime() - since) / 1_000_000);
    }
}
