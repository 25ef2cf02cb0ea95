package dev.durable.store;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.temporal.Temporal;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Renders records that carry payloads or tokens for logs and errors: names and ids as they are, of all other text its
 * length, of maps the keys, of lists the size, and no fence, lease or token. Components that are not listed here as
 * names are not shown, so a component that is added later isn't either.
 */
public final class RecordText {
    private static final int LONGEST = 200;

    /** The names of components whose text is shown. */
    private static final Set<String> NAMES = Set.of(
            "type",
            "workflowType",
            "workflowId",
            "taskQueue",
            "activity",
            "name",
            "changeId",
            "query",
            "action",
            "actor",
            "by",
            "batch",
            "identity",
            "fingerprint",
            "handler",
            "reason",
            "eventType",
            "state",
            "formerTypes",
            "taskQueues",
            "queues",
            "activities",
            "doNotRetry",
            "retryIf",
            "worker",
            "kind",
            "resolution",
            "id");

    /** The names of components whose id gives no right to write. */
    private static final Set<String> IDS = Set.of("runId", "messageId", "session", "id", "latestRunId", "message");

    private RecordText() {}

    /** The text for the record's {@code toString}. */
    public static String of(Record record) {
        StringJoiner text = new StringJoiner(", ", record.getClass().getSimpleName() + "[", "]");
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object value = valueOf(component, record);
            if (value != null) {
                text.add(component.getName() + "=" + shown(component.getName(), value));
            }
        }
        return text.toString();
    }

    private static String shown(String name, Object value) {
        return switch (value) {
            case String text -> NAMES.contains(name) ? cut(text) : text.length() + " characters";
            case UUID id -> IDS.contains(name) ? id.toString() : "***";
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            case Enum<?> constant -> constant.name();
            case Temporal time -> time.toString();
            case Duration duration -> duration.toString();
            case Record record -> of(record);
            case Map<?, ?> map -> cut(map.keySet().toString());
            case Optional<?> optional ->
                optional.map(present -> shown(name, present)).orElse("none");
            case Collection<?> items -> NAMES.contains(name) ? cut(items.toString()) : items.size() + " items";
            default -> value.getClass().getSimpleName();
        };
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : Bounds.cut(text, LONGEST) + "…";
    }

    private static @Nullable Object valueOf(RecordComponent component, Record record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(record.getClass() + " does not tell its " + component.getName(), e);
        }
    }
}
