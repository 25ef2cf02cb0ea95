package dev.durable.history;

import dev.durable.DurableException;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Thrown;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Converts events to their stored form and back. Id, type, time and message id are columns; all else are the
 * attributes, one JSON object with a property for each other component of the event's record, under the component's
 * name:
 *
 * <pre>{@code
 * ActivityCompleted   {"seq":3,"attempt":1,"result":<payload>,"startedAt":"2026-03-01T09:00:00.000120Z","worker":"…"}
 * }</pre>
 *
 * <ul>
 *   <li>Payloads are embedded as they are and come out to the byte as they went in.
 *   <li>Times and durations are ISO-8601, ids are text, options and failures are objects ({@link OptionsJson}, {@link
 *       FailureJson}). What is null, empty or false is left out.
 *   <li>The names are for ever: histories of every release are read by every later one. New properties may come, with a
 *       default for when they are absent; those that are not known are ignored.
 *   <li>Informing events that {@linkplain HistoryEvent.Informing#mayBeIgnored may be ignored} say {@code "informing":true}. An older version that does not know such a type keeps it as {@link
 *       UnknownEvent}; any other unknown type would be fed to code, so it refuses the history.
 * </ul>
 */
public final class EventJson {
    private EventJson() {}

    /** An event as it is stored. */
    public static StoredEvent encode(HistoryEvent event) {
        return new StoredEvent(event.id(), event.type(), event.at(), messageId(event), attributes(event));
    }

    /**
     * An event from the store.
     *
     * @throws DurableException if it is of a type that this version must not ignore, or can't be read
     */
    public static HistoryEvent decode(StoredEvent stored) {
        try {
            JsonObjectReader in = JsonObjectReader.of(stored.attributes());
            HistoryEvent event = AttributesReader.readOrNull(stored, in);
            return event == null ? unknown(stored, in) : event;
        } catch (DurableException e) {
            throw e;
        } catch (UnknownValueException e) {
            throw new DurableException(
                    "event %d, %s, has %s: it was written by a newer version, and replaying without it would go wrong. Let a worker of that version take the run, or upgrade this one."
                            .formatted(stored.id(), stored.type(), e.getMessage()),
                    e);
        } catch (RuntimeException | StackOverflowError e) {
            // What stands there may be anything: JSON of any depth, numbers of any size, values that records refuse.
            throw new DurableException(
                    "event %d, %s, can't be read: %s. Was it changed by hand, or imported from a document that was? Its attributes are %d characters"
                            .formatted(
                                    stored.id(),
                                    stored.type(),
                                    e instanceof IllegalArgumentException || e instanceof DateTimeException
                                            ? Thrown.of(e).words()
                                            : Thrown.of(e).text(),
                                    stored.attributes().length()),
                    e);
        }
    }

    /** The attributes of an event as JSON text. */
    public static String attributes(HistoryEvent event) {
        return event instanceof UnknownEvent unknown
                ? unknown.attributes()
                : JsonObjectWriter.object(out -> AttributesWriter.write(event, out));
    }

    /**
     * The end of an activity as it is sent to its run.
     *
     * @param id recognises a resend
     * @param notes informing events that stand before it, a JSON array; null without
     */
    public static InboxMessage outcome(UUID id, HistoryEvent.ActivityClosed event, @Nullable String notes) {
        return new InboxMessage(id, MessageKind.ACTIVITY_OUTCOME, event.type(), attributes(event), notes, null);
    }

    /** Informing events that travel with a job: a JSON array of {type, at, attributes}. Their ids are left out. */
    public static String encodeNotes(List<StoredEvent> notes) {
        return JsonObjectWriter.array(notes.stream().map(EventJson::note).toList());
    }

    /** One informing event as it stands among notes. */
    public static String note(HistoryEvent.Informing event) {
        return detail(event);
    }

    /** An event as it stands in the audit: as a note. */
    public static String detail(HistoryEvent event) {
        return note(encode(event));
    }

    private static String note(StoredEvent event) {
        return JsonObjectWriter.object(out ->
                out.string("type", event.type()).instant("at", event.at()).json("attributes", event.attributes()));
    }

    /**
     * Informing events that travelled with a job, in the order in which they happened: what its worker noted and what orders
     * have added stand in two lists until then. Their ids are 0 until they are written. Null is none.
     */
    public static List<StoredEvent> decodeNotes(@Nullable String notes) {
        return notes == null
                ? List.of()
                : JsonObjectReader.elements(notes).stream()
                        .map(JsonObjectReader::of)
                        .map(in -> new StoredEvent(0, in.string("type"), in.instant("at"), null, in.json("attributes")))
                        .sorted(Comparator.comparing(StoredEvent::at))
                        .toList();
    }

    /**
     * Informing events out of a row that was perhaps changed by hand, in the order they stand: text that is no array holds
     * none, and an element says what it can.
     *
     * @param unless when an event happened that has no time
     */
    public static List<StoredEvent> decodeAnyNotes(@Nullable String notes, Instant unless) {
        try {
            return notes == null
                    ? List.of()
                    : JsonObjectReader.elements(notes).stream()
                            .map(note -> anyNote(JsonObjectReader.ofAny(note), unless))
                            .toList();
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    private static StoredEvent anyNote(JsonObjectReader in, Instant unless) {
        String type = in.stringIfAny("type");
        Instant at = in.instantIfAny("at");
        String attributes = in.jsonOrNull("attributes");
        return new StoredEvent(
                0,
                type == null ? "Note" : type,
                at == null ? unless : at,
                null,
                attributes == null
                        ? JsonObjectWriter.object(out -> out.flag(AttributesWriter.INFORMING, true))
                        : attributes);
    }

    private static HistoryEvent unknown(StoredEvent stored, JsonObjectReader in) {
        if (in.flag(AttributesWriter.INFORMING)) {
            return new UnknownEvent(stored.id(), stored.at(), stored.type(), stored.attributes());
        }
        throw new DurableException(
                "event %d is of type %s, which this version of Durable does not know: it was written by a newer version, and replaying without it would go wrong. Let a worker of that version take the run, or upgrade this one."
                        .formatted(stored.id(), stored.type()));
    }

    private static @Nullable UUID messageId(HistoryEvent event) {
        return switch (event) {
            case WorkflowCancelRequested e -> e.messageId();
            case ActivityCompleted e -> e.messageId();
            case ActivityFailed e -> e.messageId();
            case ActivityTimedOut e -> e.messageId();
            case ActivityCancelled e -> e.messageId();
            case SignalReceived e -> e.messageId();
            case UpdateAccepted e -> e.messageId();
            case HistoryEvent.OfChild e -> e.messageId();
            case HistoryEvent.OfCallback e -> e.messageId();
            case WorkflowStarted e -> null;
            case TimerFired e -> null;
            case HistoryEvent.Command e -> null;
            case HistoryEvent.Informing e -> null;
            case HistoryEvent.Closing e -> null;
        };
    }
}
