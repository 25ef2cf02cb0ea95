package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StreamEntry;
import dev.durable.client.StreamReader;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Streams that are written in one process or in two, and read in another. */
@Timeout(300)
@Tag("slow")
class StreamsFromTwoProcessesTest {
    private static final Logger log = LoggerFactory.getLogger(StreamsFromTwoProcessesTest.class);
    private static final int ENTRIES = Integer.getInteger("entries", 60);
    private static final int ACTIVITIES = 6;
    private static final int EACH = 20;

    private final Bench bench = new Bench();

    @AfterEach
    void close() {
        bench.close();
    }

    /** Appends the time of each signal, by itself or by an activity. */
    @Workflow
    static class Echo {
        private static final AtomicLong handledAt = new AtomicLong();

        private final Speaker speaker;
        private boolean stop;

        Echo(Speaker speaker) {
            this.speaker = speaker;
        }

        @Run
        void run() {
            Durable.await(() -> stop);
        }

        @Signal
        void say(int number) {
            handledAt.set(System.nanoTime());
            Durable.stream("said", Integer.class).append(number);
        }

        @Signal
        void haveSaid(int number) {
            speaker.say(number);
        }

        @Signal
        void stop() {
            stop = true;
        }
    }

    @Activity
    interface Speaker {
        void say(int number);
    }

    private static void say(int number) {
        Echo.handledAt.set(System.nanoTime());
        ActivityContext.current().stream("said", Integer.class).append(number);
    }

    /** Polls alone would find an entry after 50 ms in the median, as they begin at 100 ms where nudges arrive. */
    @Test
    void entries_of_another_process_come_with_a_nudge_as_soon_as_signals_do() throws Exception {
        Trials.once(number -> entriesComeSoon());
    }

    private void entriesComeSoon() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(bench.pool(8));
                PostgresHistoryStore ours = PostgresHistoryStore.of(bench.pool(8));
                DurableEngine worker = DurableEngine.builder(theirs)
                        .register(Echo.class)
                        .activity(Speaker.class, StreamsFromTwoProcessesTest::say)
                        .start();
                DurableEngine caller = DurableEngine.builder(ours).clientOnly().start()) {
            WorkflowHandle<Echo, ?> echo =
                    caller.client().startVoid(Echo.class, "echo-" + System.nanoTime(), Echo::run);
            long[] signals = new long[ENTRIES];
            long[] entries = new long[2 * ENTRIES];
            try (StreamReader<Integer> reader =
                    echo.stream("said", Integer.class).from(0)) {
                for (int i = 0; i < 2 * ENTRIES; i++) {
                    int said = i;
                    long sentAt = System.nanoTime();
                    echo.signal(w -> {
                        if (said < ENTRIES) {
                            w.say(said);
                        } else {
                            w.haveSaid(said);
                        }
                    });
                    assertThat(reader.hasNext(Duration.ofMinutes(1))).isTrue();
                    long readAt = System.nanoTime();
                    assertThat(reader.next().value()).isEqualTo(said);
                    entries[i] = readAt - Echo.handledAt.get();
                    if (i < ENTRIES) {
                        signals[i] = Echo.handledAt.get() - sentAt;
                    }
                }
            }
            echo.signal(Echo::stop);
            long signal = median(signals, 0, ENTRIES);
            long ofCode = median(entries, 0, ENTRIES);
            long ofActivity = median(entries, ENTRIES, 2 * ENTRIES);
            log.info(
                    "p50 of a signal from here to there {} µs, of an entry from there to here {} µs by code, {} µs by an activity",
                    signal / 1000,
                    ofCode / 1000,
                    ofActivity / 1000);
            assertThat(List.of(ofCode, ofActivity))
                    .allMatch(nanos -> nanos < Math.max(TimeUnit.MILLISECONDS.toNanos(25), signal + signal / 2));
        }
    }

    private static long median(long[] nanos, int from, int to) {
        long[] sorted = Arrays.copyOfRange(nanos, from, to);
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Has activities count at the same time, and counts with them. */
    @Workflow
    static class Choir {
        private final Singer singer;

        Choir(Singer singer) {
            this.singer = singer;
        }

        @Run
        void run() {
            List<Promise<Void>> singers = IntStream.range(0, ACTIVITIES)
                    .mapToObj(i -> Durable.async(singer::sing, "singer " + i))
                    .toList();
            for (int i = 0; i < EACH; i++) {
                Durable.stream("song", String.class).append("code " + i);
                Durable.sleep(Duration.ofMillis(5));
            }
            Promise.all(singers);
        }
    }

    @Activity
    interface Singer {
        void sing(String name);
    }

    private static void sing(String name) {
        for (int i = 0; i < EACH; i++) {
            ActivityContext.current().stream("song", String.class).append(name + " " + i);
        }
    }

    @Test
    void writers_and_readers_of_two_processes_agree_on_the_order_of_all_entries() throws Exception {
        try (DurableEngine one = choir();
                DurableEngine other = choir()) {
            WorkflowHandle<Choir, ?> here = one.client().startVoid(Choir.class, "choir", Choir::run);
            CompletableFuture<List<StreamEntry<String>>> readHere = CompletableFuture.supplyAsync(() -> read(here, 0));
            CompletableFuture<List<StreamEntry<String>>> readThere =
                    CompletableFuture.supplyAsync(() -> read(other.client().handle(Choir.class, "choir"), 0));

            List<StreamEntry<String>> song = readHere.get(2, TimeUnit.MINUTES);
            assertThat(readThere.get(2, TimeUnit.MINUTES)).isEqualTo(song);
            assertThat(read(here, 40)).isEqualTo(song.subList(40, song.size()));
            assertThat(song)
                    .extracting(StreamEntry::offset)
                    .isEqualTo(
                            LongStream.range(0, (ACTIVITIES + 1) * EACH).boxed().toList());
            for (String name : voices()) {
                assertThat(song)
                        .extracting(StreamEntry::value)
                        .filteredOn(value -> value.startsWith(name))
                        .isEqualTo(IntStream.range(0, EACH)
                                .mapToObj(i -> name + " " + i)
                                .toList());
            }
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    private static List<String> voices() {
        List<String> voices = new ArrayList<>(List.of("code"));
        IntStream.range(0, ACTIVITIES).forEach(i -> voices.add("singer " + i));
        return voices;
    }

    private DurableEngine choir() {
        return bench.engine()
                .register(Choir.class)
                .activity(Singer.class, StreamsFromTwoProcessesTest::sing)
                .start();
    }

    private static List<StreamEntry<String>> read(WorkflowHandle<?, ?> run, long from) {
        List<StreamEntry<String>> entries = new ArrayList<>();
        try (StreamReader<String> reader = run.stream("song", String.class).from(from)) {
            reader.forEachRemaining(entries::add);
        }
        return entries;
    }
}
