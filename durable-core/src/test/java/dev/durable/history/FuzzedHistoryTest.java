package dev.durable.history;

import dev.durable.DurableException;
import dev.durable.fuzz.Fuzz;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What stands in the tables of histories and jobs, changed at random, is a value or an error that says so. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FuzzedHistoryTest {
    private static final Instant AT = Instant.parse("2026-03-01T09:00:00.000001Z");
    private static final UUID ID = UUID.fromString("0195504a-8e80-7abc-8def-0123456789ab");
    private static final List<HistoryEvent> EVENTS =
            GoldenHistory.history(AT, ID).stream().toList();

    @Test
    void documents() throws Exception {
        List<String> recorded = List.of(
                Files.readString(Path.of("src/test/resources/histories/format-1.json")),
                HistoryJson.write(new History(List.of(EVENTS.getFirst()))));
        Fuzz.of("documents of histories", recorded).through(HistoryJson::read, List.of(DurableException.class));
    }

    @Test
    void events() {
        List<String> types = EVENTS.stream().map(HistoryEvent::type).distinct().toList();
        Fuzz.of(
                        "attributes of events",
                        EVENTS.stream().map(EventJson::attributes).toList())
                .through(
                        attributes -> EventJson.decode(new StoredEvent(
                                1,
                                // of each type by turns, as the attributes have none that tells theirs
                                types.get(Math.floorMod(attributes.hashCode(), types.size())),
                                AT,
                                ID,
                                attributes)),
                        List.of(DurableException.class));
    }

    @Test
    void notes() {
        String notes = EventJson.encodeNotes(EVENTS.stream()
                .filter(HistoryEvent.Informing.class::isInstance)
                .map(EventJson::encode)
                .toList());
        Fuzz.of("notes of jobs", List.of(notes, "[]"))
                .through(EventJson::decodeNotes, List.of(IllegalArgumentException.class));
    }

    @Test
    void failures() {
        Fuzz.of("failures", failuresAsRecorded()).through(FailureJson::decode, List.of(IllegalArgumentException.class));
    }

    private static List<String> failuresAsRecorded() {
        Samples samples = new Samples(7);
        Stream<Failure> random = IntStream.range(0, 20)
                .mapToObj(i -> samples.event(WorkflowFailed.class).failure());
        Failure plain = new Failure("a.B", "m", "", null, Failure.of("a.C", "n"), List.of(Failure.of("a.D", "o")));
        return Stream.concat(random, Stream.of(plain, plain, plain, plain))
                .map(failure -> FailureJson.encode(failure).json())
                .toList();
    }

    @Test
    void options() {
        Fuzz.of("options", optionsAsRecorded()).through(OptionsJson::decode, List.of(IllegalArgumentException.class));
    }

    @Test
    void options_of_who_keeps_them() {
        Fuzz.of("options", optionsAsRecorded())
                .through(OptionsJson::decodeAll, List.of(IllegalArgumentException.class));
    }

    @Test
    void options_with_what_was_chosen_where_a_job_was_enqueued() {
        Samples samples = new Samples(8);
        List<String> recorded = IntStream.range(0, 20)
                .mapToObj(i -> samples.event(ActivityScheduled.class).options())
                .map(options -> new EnqueuedOptions(
                                options.headers(),
                                options.headers(),
                                options.retry().doNotRetry(),
                                options.retry())
                        .with(options))
                .toList();
        Fuzz.of("enqueued options", recorded).through(EnqueuedOptions::of, List.of(IllegalArgumentException.class));
    }

    private static List<String> optionsAsRecorded() {
        Samples samples = new Samples(9);
        return IntStream.range(0, 20)
                .mapToObj(i -> OptionsJson.encode(
                        samples.event(ActivityScheduled.class).options()))
                .toList();
    }

    @Test
    void objects_and_what_stands_in_them() {
        Fuzz.of("objects", List.of("{\"a\":1,\"b\":{\"c\":[1,2,{\"d\":\"\\u0000x\"}]},\"e\\u0065\":null}", "{ }"))
                .through(json -> new Payload(json).properties(), List.of(IllegalArgumentException.class));
    }
}
