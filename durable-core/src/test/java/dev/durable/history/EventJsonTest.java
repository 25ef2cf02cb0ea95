package dev.durable.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityOptions;
import dev.durable.DurableException;
import dev.durable.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventJsonTest {
    private static final Instant AT = Instant.parse("2026-03-01T09:00:00.000120Z");
    private static final UUID MESSAGE = UUID.fromString("00000000-0000-4000-8000-000000000007");

    static Stream<Class<?>> eventTypes() {
        return Samples.eventTypes();
    }

    @ParameterizedTest
    @MethodSource("eventTypes")
    void every_event_comes_back_from_the_store_as_it_was(Class<? extends HistoryEvent> type) {
        long seed = System.nanoTime();
        Samples samples = new Samples(seed);
        for (int i = 0; i < 300; i++) {
            HistoryEvent event = samples.event(type);
            StoredEvent stored = throughUtf8(EventJson.encode(event));
            assertThat(EventJson.decode(stored))
                    .as("seed %d, round %d", seed, i)
                    .isEqualTo(event);
        }
    }

    /** What a database does to text. */
    private static StoredEvent throughUtf8(StoredEvent e) {
        byte[] bytes = e.attributes().getBytes(StandardCharsets.UTF_8);
        String text = new String(bytes, StandardCharsets.UTF_8);
        return new StoredEvent(e.id(), e.type(), e.at(), e.messageId(), text);
    }

    @Test
    void causes_nested_deeper_than_anybody_writes_are_refused_with_the_event_that_has_them() {
        String nested = "{\"type\":\"x\",\"cause\":".repeat(3_000) + "null" + "}".repeat(3_000);
        StoredEvent stored = new StoredEvent(
                5,
                "ActivityFailed",
                Instant.EPOCH,
                new UUID(0, 1),
                "{\"seq\":1,\"attempt\":1,\"failure\":" + nested + "}");

        assertThatThrownBy(() -> EventJson.decode(stored))
                .isInstanceOf(DurableException.class)
                .hasMessageStartingWith(
                        "event 5, ActivityFailed, can't be read: its causes are nested deeper than 50.");
        String somewhat = "{\"type\":\"[{\\\"{\",\"cause\":".repeat(51) + "null" + "}".repeat(51);
        for (String text : List.of(nested, somewhat)) {
            assertThatThrownBy(() -> FailureJson.decode(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("its causes are nested deeper than 50");
        }
        String allowed = "{\"type\":\"[{\\\"{\",\"cause\":".repeat(50) + "null" + "}".repeat(50);
        assertThat(FailureJson.decode(allowed).type()).isEqualTo("[{\"{");
    }

    @Test
    void attributes_say_nothing_that_is_a_column() {
        String attributes = EventJson.attributes(new ActivityCompleted(
                7, AT, 3, 1, MESSAGE, new Payload("{ \"amount\" : 1.00 }"), AT.plusMillis(5), "worker-1"));
        assertThat(attributes)
                .isEqualTo(
                        "{\"seq\":3,\"attempt\":1,\"result\":{ \"amount\" : 1.00 },\"startedAt\":\"2026-03-01T09:00:00.005120Z\",\"worker\":\"worker-1\"}");
    }

    @Test
    void a_signal_says_when_it_was_accepted_where_that_was_not_when_it_was_fed() {
        Payload none = new Payload("[]");
        String same = "{\"name\":\"approve\",\"input\":[]}";
        assertThat(EventJson.attributes(new SignalReceived(7, AT, MESSAGE, "approve", none)))
                .isEqualTo(same);
        assertThat(EventJson.attributes(new SignalReceived(7, AT, MESSAGE, "approve", none, false, AT)))
                .isEqualTo(same);
        assertThat(EventJson.attributes(new SignalReceived(7, AT, MESSAGE, "approve", none, false, AT.minusSeconds(9))))
                .isEqualTo("{\"name\":\"approve\",\"input\":[],\"acceptedAt\":\"2026-03-01T08:59:51.000120Z\"}");
        assertThat(EventJson.decode(new StoredEvent(7, "SignalReceived", AT, MESSAGE, same)))
                .isEqualTo(new SignalReceived(7, AT, MESSAGE, "approve", none));
    }

    @Test
    void a_failure_names_the_handler_that_threw_it_and_is_as_ever_where_none_did() {
        Failure failure = Failure.of("com.acme.Oops", "no");
        String byRun = "{\"failure\":{\"type\":\"com.acme.Oops\",\"message\":\"no\"}}";
        assertThat(EventJson.attributes(new WorkflowFailed(7, AT, failure))).isEqualTo(byRun);
        assertThat(EventJson.attributes(new WorkflowFailed(7, AT, failure.thrownBy("signal approve"))))
                .isEqualTo(
                        "{\"failure\":{\"type\":\"com.acme.Oops\",\"message\":\"no\",\"handler\":\"signal approve\"}}");
        assertThat(EventJson.decode(new StoredEvent(7, "WorkflowFailed", AT, null, byRun)))
                .isEqualTo(new WorkflowFailed(7, AT, failure));
    }

    @Test
    void a_payload_comes_out_to_the_byte() {
        String odd = "{ \"b\" : 1.000,\n \"a\" :\t[1e5 , \"\\u0041\\/\\ud800\"], \"b\":-0 }";
        StoredEvent stored = EventJson.encode(new SideEffectRecorded(2, AT, new Payload(odd)));
        assertThat(((SideEffectRecorded) EventJson.decode(stored)).value().json())
                .isEqualTo(odd);
    }

    @Test
    void a_payload_larger_than_any_buffer_comes_out_to_the_byte() {
        String large = "[\"" + "😀x\\n".repeat(200_000) + "\", 12345 ]";
        StoredEvent stored = EventJson.encode(new SideEffectRecorded(2, AT, new Payload(large)));
        assertThat(((SideEffectRecorded) EventJson.decode(stored)).value().json())
                .isEqualTo(large);
    }

    @Test
    void of_the_options_of_a_call_that_stands_there_which_silence_does_not_mean() {
        assertThat(OptionsJson.encode(ActivityOptions.DEFAULT)).isEqualTo("{\"startToClose\":\"PT1M\"}");
        assertThat(OptionsJson.encode(ActivityOptions.DEFAULT.withRetry(RetryPolicy.DEFAULT.withMaxAttempts(3))))
                .isEqualTo("{\"startToClose\":\"PT1M\",\"retry\":{\"maxAttempts\":3}}");
    }

    /** Whatever the defaults of a later release are: histories were written by this. */
    @Test
    void what_silence_means_never_changes() {
        String said =
                "{\"startToClose\":\"PT1M\",\"priority\":0,\"retry\":{\"maxAttempts\":0,\"initialInterval\":\"PT1S\","
                        + "\"backoff\":2.0,\"maxInterval\":\"PT1M\",\"jitter\":0.2,\"doNotRetry\":[],\"maxWorkerCrashes\":3,"
                        + "\"growth\":\"EXPONENTIAL\",\"onExhausted\":\"FAIL\",\"attemptsBefore\":0},\"transactional\":false,"
                        + "\"local\":false,\"atMostOnce\":false,\"headers\":{},\"cancellation\":\"TRY_CANCEL\"}";

        assertThat(OptionsJson.decode("{}")).isEqualTo(OptionsJson.decodeAll(said));
        assertThat(OptionsJson.decode("{\"retry\":{}}")).isEqualTo(OptionsJson.decodeAll(said));
        assertThat(OptionsJson.encode(OptionsJson.decodeAll(said))).isEqualTo("{\"startToClose\":\"PT1M\"}");
    }

    @Test
    void options_that_an_older_version_did_not_write_have_their_defaults() {
        assertThat(OptionsJson.decode("{\"retry\":{},\"later\":[1]}")).isEqualTo(ActivityOptions.DEFAULT);
        assertThat(OptionsJson.decode("{}")).isEqualTo(ActivityOptions.DEFAULT);
        assertThat(OptionsJson.decodeAll("{\"retry\":{},\"local\":true}").local())
                .isTrue();
        assertThat(OptionsJson.decodeAll(OptionsJson.encode(ActivityOptions.DEFAULT)))
                .isSameAs(ActivityOptions.DEFAULT);
        assertThatThrownBy(() -> OptionsJson.decodeAll("{\"retry\":{\"more\":1},\"later\":[1]}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("this version of Durable does not know later, retry.more");
    }

    @Test
    void equal_options_are_one_object_however_they_are_written() {
        String json = "{\"taskQueue\":\"shared\",\"priority\":7}";

        ActivityOptions read = OptionsJson.decode(json);

        assertThat(OptionsJson.decode(" " + json)).isSameAs(read);
        assertThat(OptionsJson.shared(read.withRetry(ActivityOptions.DEFAULT.retry())))
                .isSameAs(read);
        assertThat(OptionsJson.decode(json.replace('7', '8'))).isNotEqualTo(read);
        assertThat(OptionsJson.decode("{}")).isSameAs(ActivityOptions.DEFAULT);
    }

    @Test
    void what_was_written_last_is_not_mistaken_for_other_options() {
        ActivityOptions first = OptionsJson.decode("{\"priority\":1}");
        ActivityOptions second = OptionsJson.decode("{\"priority\":2}");

        assertThat(OptionsJson.encode(first)).contains("\"priority\":1");
        assertThat(OptionsJson.encode(second)).contains("\"priority\":2");
        assertThat(OptionsJson.encode(first)).contains("\"priority\":1");
    }

    @Test
    void properties_of_a_newer_version_are_ignored() {
        HistoryEvent event = EventJson.decode(
                new StoredEvent(4, "TimerFired", AT, null, "{\"later\":{\"seq\":9},\"seq\":2,\"x\":[]}"));
        assertThat(event).isEqualTo(new TimerFired(4, AT, 2));
    }

    @Test
    void an_unknown_event_that_only_informs_is_kept_as_it_is() {
        StoredEvent stored =
                new StoredEvent(4, "ActivityBlessed", AT, null, "{ \"informing\" : true, \"by\":\"ann\" }");
        HistoryEvent event = EventJson.decode(stored);
        assertThat(event).isInstanceOf(HistoryEvent.Informing.class);
        assertThat(event.type()).isEqualTo("ActivityBlessed");
        assertThat(EventJson.encode(event)).isEqualTo(stored);
    }

    @Test
    void any_other_unknown_event_is_refused() {
        assertThatThrownBy(() -> EventJson.decode(new StoredEvent(4, "RunSplit", AT, null, "{}")))
                .isExactlyInstanceOf(DurableException.class)
                .hasMessage(
                        "event 4 is of type RunSplit, which this version of Durable does not know: it was written by a newer version, and replaying without it would go wrong. Let a worker of that version take the run, or upgrade this one.");
    }

    @Test
    void an_option_with_a_value_of_a_newer_version_is_refused_as_an_unknown_event_is() {
        for (String option : List.of("\"retry\":{\"growth\":\"FIBONACCI\"}", "\"retry\":{\"onExhausted\":\"ASK\"}")) {
            StoredEvent stored = new StoredEvent(
                    4,
                    "ActivityScheduled",
                    AT,
                    null,
                    "{\"seq\":1,\"activity\":\"A.b\",\"taskQueue\":\"q\",\"input\":[],\"options\":{" + option + "}}");
            assertThatThrownBy(() -> EventJson.decode(stored))
                    .isExactlyInstanceOf(DurableException.class)
                    .hasMessageMatching(
                            "event 4, ActivityScheduled, has the (growth \"FIBONACCI\"|onExhausted \"ASK\"),"
                                    + " which this version of Durable does not know: it was written by a newer version, and"
                                    + " replaying without it would go wrong\\. Let a worker of that version take the run, or"
                                    + " upgrade this one\\.");
        }
    }

    @Test
    void a_damaged_event_is_named() {
        assertThatThrownBy(() -> EventJson.decode(new StoredEvent(4, "TimerFired", AT, null, "{\"sec\":1}")))
                .isExactlyInstanceOf(DurableException.class)
                .hasMessage(
                        "event 4, TimerFired, can't be read: it has no property \"seq\". Was it changed by hand, or imported from a document that was? Its attributes are 9 characters");
        for (String attributes : List.of("", "[1]", "{\"seq\":", "{\"seq\":\"one\"}", "{\"seq\":1}}")) {
            StoredEvent stored = new StoredEvent(4, "TimerFired", AT, null, attributes);
            assertThatThrownBy(() -> EventJson.decode(stored))
                    .isExactlyInstanceOf(DurableException.class)
                    .hasMessageContaining("event 4, TimerFired, can't be read");
        }
        StoredEvent signal = new StoredEvent(4, "SignalReceived", AT, null, "{\"name\":\"x\",\"input\":[]}");
        assertThatThrownBy(() -> EventJson.decode(signal)).hasMessageContaining("it has no message id");
        StoredEvent time = new StoredEvent(4, "TimerStarted", AT, null, "{\"seq\":1,\"fireAt\":\"soon\"}");
        assertThatThrownBy(() -> EventJson.decode(time)).hasMessageContaining("'soon' could not be parsed");
    }

    @Test
    void notes_travel_with_a_job_and_get_their_ids_later() {
        StoredEvent failed = EventJson.encode(new ActivityAttemptFailed(
                0, AT, 1, 1, "failed", Failure.of("com.acme.Oops", "no"), AT.plusSeconds(1), 0));
        StoredEvent updated = EventJson.encode(new ActivityTimeoutUpdated(0, AT, 1, 2, AT, AT.plusSeconds(9), "ann"));
        String notes = EventJson.encodeNotes(List.of(failed, updated));
        assertThat(EventJson.decodeNotes(notes)).containsExactly(failed, updated);
        assertThat(EventJson.decodeNotes(EventJson.encodeNotes(List.of()))).isEmpty();
        assertThat(EventJson.decodeNotes(null)).isEmpty();
    }

    @Test
    void notes_that_were_changed_by_hand_say_what_they_can() {
        Instant closed = AT.plusSeconds(60);

        assertThat(EventJson.decodeAnyNotes(
                        "[{\"type\":\"TimerFired\",\"at\":\"never\",\"attributes\": [1] },{\"at\":\"" + AT + "\"},5]",
                        closed))
                .containsExactly(
                        new StoredEvent(0, "TimerFired", closed, null, "[1]"),
                        new StoredEvent(0, "Note", AT, null, "{\"informing\":true}"),
                        new StoredEvent(0, "Note", closed, null, "{\"informing\":true}"));
        for (String none : List.of("", "{}", "7", "[1", "[".repeat(20_000))) {
            assertThat(EventJson.decodeAnyNotes(none, closed)).as(none).isEmpty();
        }
    }
}
