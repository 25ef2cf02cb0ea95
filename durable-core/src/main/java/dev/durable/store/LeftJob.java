package dev.durable.store;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An activity that had not ended when its run closed; the notes and details that its job carried, or an outcome that
 * was not fed, are written to the history before the closing event.
 *
 * @param seq its number in the run
 * @param attempt the current or next attempt
 * @param notes its informing events, a JSON array; null without
 * @param heartbeatDetails the last accepted details, JSON text; null without
 * @param outcome its outcome that was not fed, a JSON object of {type, attributes}; null if there is none
 */
public record LeftJob(
        int seq,
        int attempt,
        @Nullable String notes,
        @Nullable String heartbeatDetails,
        @Nullable String outcome) {

    /** An activity whose outcome waited for the run. */
    public static LeftJob of(InboxMessage outcome) {
        Map<String, String> attributes = JsonParts.members(outcome.payload());
        return new LeftJob(
                JsonParts.integer(attributes.get("seq"), 0),
                JsonParts.integer(attributes.get("attempt"), 1),
                outcome.notes(),
                null,
                "{\"type\":" + JsonText.quoted(outcome.name()) + ",\"attributes\":" + outcome.payload() + "}");
    }

    /**
     * The events of all these activities in the order in which they happened; their ids are 0.
     *
     * @param closedAt when the run closes
     */
    public static List<StoredEvent> events(Collection<LeftJob> jobs, Instant closedAt) {
        return jobs.stream()
                .flatMap(job -> job.events(closedAt))
                .sorted(Comparator.comparing(StoredEvent::at))
                .toList();
    }

    private Stream<StoredEvent> events(Instant closedAt) {
        Stream<StoredEvent> noted = notes == null
                ? Stream.of()
                : JsonParts.elements(notes).stream().map(note -> event(JsonParts.members(note), closedAt));
        return heartbeatDetails == null && outcome == null
                ? noted
                : Stream.concat(noted, Stream.of(abandoned(closedAt)));
    }

    private static StoredEvent event(Map<String, String> note, Instant closedAt) {
        return new StoredEvent(
                0,
                JsonParts.unquoted(note.getOrDefault("type", "Note")),
                at(note.get("at"), closedAt),
                null,
                note.getOrDefault("attributes", "{\"informing\":true}"));
    }

    /** The time of an event; the time of the close if the text is no time, because the row was edited by hand. */
    private static Instant at(@Nullable String text, Instant closedAt) {
        try {
            return text == null ? closedAt : Instant.parse(JsonParts.unquoted(text));
        } catch (DateTimeParseException e) {
            return closedAt;
        }
    }

    private StoredEvent abandoned(Instant closedAt) {
        return new StoredEvent(
                0,
                "ActivityAbandoned",
                closedAt,
                null,
                "{\"informing\":true,\"seq\":" + seq + ",\"attempt\":" + attempt
                        + (heartbeatDetails == null ? "" : ",\"lastHeartbeatDetails\":" + heartbeatDetails)
                        + (outcome == null ? "" : ",\"outcome\":" + outcome) + "}");
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
