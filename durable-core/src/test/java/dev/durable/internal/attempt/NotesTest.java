package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.StoredEvent;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The notes that travel with a job and are written before its outcome. */
class NotesTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void nothing_happened_is_no_notes() {
        assertThat(new Notes(null).json()).isNull();
    }

    @Test
    void notes_travel_as_json_and_go_on_where_they_were() {
        Notes first = new Notes(null);
        first.add(failed(1));
        Notes second = new Notes(first.json());
        second.add(failed(2));

        assertThat(attempts(second)).containsExactly(1, 2);
    }

    @Test
    void the_last_twenty_failed_attempts_are_kept_and_the_rest_is_counted() {
        Notes notes = new Notes(null);
        for (int attempt = 1; attempt <= 1_000; attempt++) {
            notes = new Notes(notes.json());
            notes.add(failed(attempt));
        }

        assertThat(attempts(notes)).hasSize(20).startsWith(981).endsWith(1_000);
        assertThat(((ActivityAttemptFailed) events(notes).getFirst()).omitted()).isEqualTo(980);
        assertThat(events(notes).subList(1, 20)).allMatch(event -> ((ActivityAttemptFailed) event).omitted() == 0);
    }

    @Test
    void what_others_have_added_is_cut_when_it_is_taken_over() {
        String added = EventJson.encodeNotes(IntStream.rangeClosed(1, 1_000)
                .mapToObj(attempt -> EventJson.encode(failed(attempt)))
                .toList());

        Notes notes = new Notes(added);

        assertThat(attempts(notes)).hasSize(20).endsWith(1_000);
        assertThat(((ActivityAttemptFailed) events(notes).getFirst()).omitted()).isEqualTo(980);
    }

    @Test
    void a_thousand_moved_deadlines_do_not_push_out_failures() {
        Notes notes = new Notes(null);
        notes.add(failed(1));
        for (int i = 0; i < 1_000; i++) {
            notes.add(new ActivityTimeoutUpdated(0, AT, 1, 2, AT, AT.plusSeconds(i), "me"));
        }

        assertThat(events(notes)).hasSize(21);
        assertThat(events(notes).getFirst()).isInstanceOf(ActivityAttemptFailed.class);
    }

    @Test
    void lost_workers_are_counted_even_when_not_all_are_kept() {
        Notes notes = new Notes(null);
        for (int i = 0; i < 30; i++) {
            notes.add(new ActivityAttemptFailed(0, AT, 1, 1, Notes.WORKER_LOST, null, null, 0));
            notes.add(failed(i + 1));
        }

        assertThat(notes.workersLost()).isEqualTo(30);
        assertThat(new Notes(notes.json()).workersLost()).isEqualTo(30);
    }

    @Test
    void what_a_newer_version_noted_is_passed_on() {
        String newer = EventJson.encodeNotes(
                List.of(new StoredEvent(0, "ActivityDreamt", AT, null, "{\"seq\":1,\"informing\":true}")));
        Notes notes = new Notes(newer);
        notes.add(failed(1));

        assertThat(EventJson.decodeNotes(notes.json()))
                .extracting(StoredEvent::type)
                .containsExactly("ActivityDreamt", "ActivityAttemptFailed");
    }

    @Test
    void it_is_unread_as_long_as_that_is_the_last_that_happened() {
        Notes notes = new Notes(null);
        assertThat(notes.unreadSince()).isNull();
        notes.add(unread());
        assertThat(new Notes(notes.json()).unreadSince()).isEqualTo(AT);
        notes.add(failed(1));
        assertThat(notes.unreadSince()).isNull();
        assertThat(notes.read(AT)).as("nothing to say").isFalse();
    }

    @Test
    void who_reads_it_says_when_and_it_is_unread_no_longer() {
        Notes notes = new Notes(null);
        notes.add(unread());

        assertThat(notes.read(AT.plusSeconds(7))).isTrue();

        assertThat(notes.unreadSince()).isNull();
        assertThat(notes.read(AT.plusSeconds(9))).isFalse();
        assertThat(events(notes))
                .singleElement()
                .satisfies(event -> assertThat(((ActivityAttemptFailed) event).nextAttemptAt())
                        .isEqualTo(AT.plusSeconds(7)));
    }

    @Test
    void outages_in_a_row_are_one_note_that_counts_them() {
        Notes notes = new Notes(null);
        assertThat(notes.outage(outage(0))).isEqualTo(new Notes.Outages(1, 1));
        assertThat(new Notes(notes.json()).outage(outage(1))).isEqualTo(new Notes.Outages(2, 2));
        notes.outage(outage(1));
        notes.outage(outage(2));
        notes.add(failed(1));
        assertThat(notes.outage(outage(9))).isEqualTo(new Notes.Outages(1, 4));

        assertThat(events(notes))
                .extracting(event -> ((ActivityAttemptFailed) event).reason())
                .containsExactly("outage", "failed", "outage");
        assertThat((ActivityAttemptFailed) events(notes).getFirst())
                .as("the last of the three, and how many before it")
                .satisfies(last -> {
                    assertThat(last.at()).isEqualTo(AT.minusSeconds(3));
                    assertThat(last.omitted()).isEqualTo(2);
                });
    }

    private static ActivityAttemptFailed outage(int second) {
        return new ActivityAttemptFailed(
                0, AT.plusSeconds(second - 5), 1, 1, Notes.OUTAGE, Failure.of("x.Away", "gone"), null, 0);
    }

    private static ActivityAttemptFailed unread() {
        return new ActivityAttemptFailed(0, AT, 1, 1, "not read", Failure.of("x.Unfit", "what"), null, 0);
    }

    private static ActivityAttemptFailed failed(int attempt) {
        return new ActivityAttemptFailed(
                0, AT, 1, attempt, Notes.FAILED, Failure.of("x.Broken", "no"), AT.plusSeconds(1), 0);
    }

    private static List<Integer> attempts(Notes notes) {
        return events(notes).stream()
                .map(event -> ((ActivityAttemptFailed) event).attempt())
                .toList();
    }

    private static List<HistoryEvent> events(Notes notes) {
        return EventJson.decodeNotes(notes.json()).stream()
                .map(EventJson::decode)
                .toList();
    }
}
