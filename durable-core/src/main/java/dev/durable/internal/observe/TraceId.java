package dev.durable.internal.observe;

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
    /** A trace header in a JSON object; a quote inside of a value is escaped there. */
    private static final Pattern JSON = Pattern.compile(
            "[{,]\\s{0,3}\"(?:traceparent|b3|X-B3-TraceId)\"\\s{0,3}:\\s{0,3}\"([^\"\\\\]{16,300})\"",
            Pattern.CASE_INSENSITIVE);

    private TraceId() {}

    /** Finds the id in headers as a JSON object; null where they name none that is valid. */
    public static @Nullable String of(String headers) {
        Matcher found = JSON.matcher(headers);
        return found.find() ? checked(found.group(1)) : null;
    }

    /** Finds the id in headers; null where they name none that is valid. */
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
