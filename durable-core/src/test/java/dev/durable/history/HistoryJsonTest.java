package dev.durable.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryJsonTest {
    /** Written by the first release. Never regenerate it: what was exported once must be readable for ever. */
    private static final Path GOLDEN = Path.of("src/test/resources/histories/format-1.json");

    /** The first release said each option also where it was the default. */
    private static final String ALL_DEFAULTS =
            "{\"startToClose\":\"PT1M\",\"priority\":0,\"retry\":{\"maxAttempts\":0,\"initialInterval\":\"PT1S\",\"backoff\":2.0,\"maxInterval\":\"PT1M\",\"jitter\":0.2,\"maxWorkerCrashes\":3}}";

    /** The format had a place for the ids of messages of earlier links of a chain of runs; no release wrote any. */
    private static final String CARRIED_MESSAGES =
            ",\n      \"carriedMessages\": [\"00000000-0000-4000-8000-000000000001\",\"00000000-0000-4000-8000-000000000002\"]";

    private static final Instant START = Instant.parse("2026-03-01T09:00:00.000001Z");

    @TempDir
    Path dir;

    @Test
    void the_document_of_the_first_release_is_read() {
        assertThat(HistoryJson.read(GOLDEN)).isEqualTo(golden());
    }

    @Test
    void the_document_is_written_as_the_first_release_wrote_it() throws Exception {
        assertThat(HistoryJson.write(golden()))
                .isEqualTo(Files.readString(GOLDEN)
                        .replace(ALL_DEFAULTS, "{\"startToClose\":\"PT1M\"}")
                        .replace(CARRIED_MESSAGES, ""));
    }

    @Test
    void a_time_out_keeps_what_failed_last() {
        ActivityTimedOut late = new ActivityTimedOut(
                        3, Instant.EPOCH, 1, 2, new UUID(0, 1), TimeoutType.SCHEDULE_TO_CLOSE, null)
                .after(Failure.of("java.io.IOException", "refused"));

        assertThat(EventJson.decode(EventJson.encode(late))).isEqualTo(late);
    }

    @Test
    void the_golden_document_has_an_event_of_every_type() {
        assertThat(golden().stream().<Class<?>>map(Object::getClass))
                .containsAll(Samples.eventTypes().toList());
    }

    @Test
    void random_histories_come_back_as_they_were() {
        long seed = System.nanoTime();
        Samples samples = new Samples(seed);
        for (int round = 0; round < 20; round++) {
            History history = random(samples);
            History back = HistoryJson.read(HistoryJson.write(history));
            assertThat(back).as("seed %d, round %d", seed, round).isEqualTo(history);
            assertThat(HistoryJson.write(back)).isEqualTo(HistoryJson.write(history));
        }
    }

    private static History random(Samples samples) {
        List<HistoryEvent> events = new ArrayList<>();
        WorkflowStarted s = samples.event(WorkflowStarted.class);
        events.add(new WorkflowStarted(
                1,
                s.at(),
                s.workflowId(),
                s.runId(),
                s.workflowType(),
                s.taskQueue(),
                s.input(),
                s.flags(),
                s.runDeadline(),
                s.headers(),
                false,
                null,
                null,
                s.runTimeout(),
                s.executionDeadline(),
                s.chain(),
                s.parent(),
                s.attempt()));
        Samples.eventTypes()
                .filter(type -> type != WorkflowStarted.class && type != UnknownEvent.class)
                .forEach(type -> {
                    var stored = EventJson.encode((HistoryEvent) samples.event(type));
                    events.add(EventJson.decode(new dev.durable.history.StoredEvent(
                            events.size() + 1, stored.type(), stored.at(), stored.messageId(), stored.attributes())));
                });
        return new History(events);
    }

    @Test
    void a_file_is_written_whole_in_place_of_what_was_there() throws Exception {
        Path file = dir.resolve("deep/order-42.json");
        HistoryJson.write(new History(golden().subList(0, 1)), file);
        HistoryJson.write(golden(), file);
        assertThat(HistoryJson.read(file)).isEqualTo(golden());
        try (var files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void what_is_no_history_is_refused_with_the_reason() {
        assertThatThrownBy(() -> HistoryJson.read("{\"events\":[]}"))
                .isExactlyInstanceOf(DurableException.class)
                .hasMessage(
                        "the document is no history: its \"format\" is not \"durable-history\". It must be a document as client.export(workflowId, path) writes it");
        assertThatThrownBy(() -> HistoryJson.read("nothing"))
                .isExactlyInstanceOf(DurableException.class)
                .hasMessageStartingWith("the document is no history: it is no JSON from character ");
        String gap = HistoryJson.write(golden()).replace("{\"id\": 3,", "{\"id\": 4,");
        assertThatThrownBy(() -> HistoryJson.read(gap))
                .hasMessageContaining("is no history: event 4 is where event 3 should be");
        Path missing = dir.resolve("missing.json");
        assertThatThrownBy(() -> HistoryJson.read(missing))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("there is no history to read at " + missing);
    }

    @Test
    void a_document_of_a_newer_format_is_refused() {
        String newer = HistoryJson.write(golden()).replace("\"formatVersion\": 1", "\"formatVersion\": 2");
        assertThatThrownBy(() -> HistoryJson.read(newer))
                .hasMessage(
                        "the document has format version 2 and this version of Durable reads up to 1: it was exported by a newer version. Upgrade this one, or export it again with this one.");
    }

    private static History golden() {
        return GoldenHistory.history(START, UUID.fromString("0195504a-8e80-7abc-8def-0123456789ab"));
    }
}
