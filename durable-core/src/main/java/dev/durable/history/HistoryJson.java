package dev.durable.history;

import dev.durable.DurableException;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Bounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A history as one document, to look at, to keep as a test fixture and to replay later.
 *
 * <pre>{@code
 * {
 *   "format": "durable-history",
 *   "formatVersion": 1,
 *   "workflowId": "order-42",
 *   "runId": "0195…",
 *   "workflowType": "OrderWorkflow",
 *   "events": [
 *     {"id": 1, "type": "WorkflowStarted", "at": "2026-03-01T09:00:00.000120Z", "messageId": "…", "attributes": {
 *       "workflowId": "order-42",
 *       …
 *     }},
 *     …
 *   ]
 * }
 * }</pre>
 *
 * <p>Attributes are those of {@link EventJson}, one property a line, so that two documents can be compared by eye and by
 * {@code diff}; payloads stand in them as they stand in the store, to the byte. The same history always gives the same
 * text. Documents of format version 1 are read by every later version; unknown properties are ignored.
 */
public final class HistoryJson {
    static final String FORMAT = "durable-history";
    static final int FORMAT_VERSION = 1;

    private HistoryJson() {}

    /** A history as a document. */
    public static String write(History history) {
        return """
                {
                  "format": %s,
                  "formatVersion": %d,
                  "workflowId": %s,
                  "runId": %s,
                  "workflowType": %s,
                  "events": [
                %s
                  ]
                }
                """.formatted(
                quote(FORMAT),
                FORMAT_VERSION,
                quote(history.workflowId()),
                quote(history.runId()),
                quote(history.started().workflowType()),
                history.stream().map(EventJson::encode).map(HistoryJson::event).collect(Collectors.joining(",\n")));
    }

    /**
     * Writes a history into a file, in place of what was there; a reader sees the old document or the new one.
     *
     * @throws UncheckedIOException if it can't be written
     */
    public static void write(History history, Path file) {
        String document = write(history);
        Path target = file.toAbsolutePath();
        try {
            Files.createDirectories(target.getParent());
            Path part = Files.createTempFile(
                    target.getParent(), target.getFileName().toString(), ".part");
            Files.writeString(part, document);
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the history of " + Bounds.shown(history.workflowId()) + " can't be written to " + file, e);
        }
    }

    /**
     * A history from a document.
     *
     * @throws DurableException if it is none
     */
    public static History read(String document) {
        return read(document, "the document");
    }

    /**
     * A history from a file.
     *
     * @throws UncheckedIOException if there is no such file
     * @throws DurableException if it holds no history
     */
    public static History read(Path file) {
        try {
            return read(Files.readString(file), file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("there is no history to read at " + file, e);
        }
    }

    private static History read(String document, String where) {
        try {
            JsonObjectReader in = JsonObjectReader.of(document);
            checkFormat(in, where);
            List<HistoryEvent> events = JsonObjectReader.elements(in.json("events")).stream()
                    .map(HistoryJson::event)
                    .map(EventJson::decode)
                    .toList();
            checkIds(events);
            return new History(events);
        } catch (IllegalArgumentException e) {
            throw new DurableException(
                    where + " is no history: " + e.getMessage()
                            + ". It must be a document as client.export(workflowId, path) writes it",
                    e);
        }
    }

    private static void checkFormat(JsonObjectReader in, String where) {
        if (!in.string("format", "").equals(FORMAT)) {
            throw new IllegalArgumentException("its \"format\" is not \"" + FORMAT + "\"");
        }
        if (in.integer("formatVersion") > FORMAT_VERSION) {
            throw new DurableException(
                    "%s has format version %d and this version of Durable reads up to %d: it was exported by a newer version. Upgrade this one, or export it again with this one."
                            .formatted(where, in.integer("formatVersion"), FORMAT_VERSION));
        }
    }

    /** A missing event would be taken for a command that the code no longer gives. */
    private static void checkIds(List<HistoryEvent> events) {
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).id() != i + 1) {
                throw new IllegalArgumentException("event %d is where event %d should be"
                        .formatted(events.get(i).id(), i + 1));
            }
        }
    }

    private static String event(StoredEvent event) {
        StringBuilder line = new StringBuilder("    {\"id\": ").append(event.id());
        line.append(", \"type\": ").append(quote(event.type()));
        line.append(", \"at\": ").append(quote(event.at()));
        UUID messageId = event.messageId();
        if (messageId != null) {
            line.append(", \"messageId\": ").append(quote(messageId));
        }
        return line.append(", \"attributes\": ")
                .append(attributes(event.attributes()))
                .append('}')
                .toString();
    }

    private static String attributes(String json) {
        return JsonObjectReader.of(json).properties().entrySet().stream()
                .map(property -> "      " + JsonObjectWriter.quote(property.getKey()) + ": " + property.getValue())
                .collect(Collectors.joining(",\n", "{\n", "\n    }"));
    }

    private static StoredEvent event(String json) {
        JsonObjectReader in = JsonObjectReader.of(json);
        String messageId = in.stringOrNull("messageId");
        return new StoredEvent(
                in.number("id"),
                in.string("type"),
                in.instant("at"),
                messageId == null ? null : UUID.fromString(messageId),
                in.json("attributes"));
    }

    private static String quote(Object value) {
        return JsonObjectWriter.quote(value.toString());
    }
}
