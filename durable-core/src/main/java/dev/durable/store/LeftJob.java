package dev.durable.store;

import dev.durable.history.ActivityAbandoned;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An activity that had not ended when its run closed: the notes and details of its job, or an outcome that was not taken in,
 * are written to the history before the closing event. Every store writes the same.
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
        JsonObjectReader attributes = JsonObjectReader.ofAny(outcome.payload());
        return new LeftJob(
                attributes.integerIfAny("seq", 0),
                attributes.integerIfAny("attempt", 1),
                outcome.notes(),
                null,
                JsonObjectWriter.object(
                        out -> out.string("type", outcome.name()).json("attributes", outcome.payload())));
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
        Stream<StoredEvent> noted = EventJson.decodeAnyNotes(notes, closedAt).stream();
        return heartbeatDetails == null && outcome == null
                ? noted
                : Stream.concat(noted, Stream.of(abandoned(closedAt)));
    }

    private StoredEvent abandoned(Instant closedAt) {
        return EventJson.encode(new ActivityAbandoned(
                0,
                closedAt,
                seq,
                attempt,
                heartbeatDetails == null ? null : new Payload(heartbeatDetails),
                outcome == null ? null : new Payload(outcome)));
    }

    @Override
    public String toString() {
        return "LeftJob[" + seq + ", attempt=" + attempt + "]";
    }
}
