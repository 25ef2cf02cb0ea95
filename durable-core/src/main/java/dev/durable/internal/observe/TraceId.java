package dev.durable.internal.observe;

import dev.durable.internal.json.JsonObjectReader;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of the trace that headers of a run or a job name, as W3C's {@code traceparent} or Zipkin's {@code b3}.
 * Lines about failures are written when the span is over, often by another thread, so that no tracer adds the id
 * itself.
 */
public final class TraceId {
    private static final Pattern VALUE = Pattern.compile("(?:[0-9a-f]{2}-)?([0-9a-f]{32}|[0-9a-f]{16})(?:-.{0,200})?");

    private TraceId() {}

    /** Finds the id in headers as a JSON object; null where they name none that is valid. */
    public static @Nullable String of(String headers) {
        return of(JsonObjectReader.ofAny(headers).stringProperties());
    }

    /** Of headers; null where they name none that is one. */
    static @Nullable String of(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            switch (header.getKey().toLowerCase(Locale.ROOT)) {
                case "traceparent", "b3", "x-b3-traceid" -> {
                    return checked(header.getValue());
                }
                default -> {}
            }
        }
        return null;
    }

    private static @Nullable String checked(String value) {
        Matcher id = VALUE.matcher(value);
        return id.matches() ? id.group(1) : null;
    }
}
