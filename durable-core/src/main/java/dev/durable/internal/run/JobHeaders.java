package dev.durable.internal.run;

import dev.durable.history.ActivityScheduled;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Returns the headers of the activities of one run, as JSON: the run's and those of their options, or both as
 * interceptors have changed them.
 */
public final class JobHeaders {
    private static final String NONE = "{}";

    private final Map<String, String> ofRun;
    private final Function<Map<String, String>, String> json;
    private final @Nullable RunInterception interception;

    /**
     * @param ofRun the headers given at the start
     * @param json writes headers as a JSON object
     * @param interception has the headers of activities as interceptors have changed them; null without interceptors
     */
    JobHeaders(
            Map<String, String> ofRun,
            Function<Map<String, String>, String> json,
            @Nullable RunInterception interception) {
        this.ofRun = ofRun;
        this.json = json;
        this.interception = interception;
    }

    /** Returns the headers of an activity that no workflow code schedules. */
    public static JobHeaders of(Map<String, String> ofRun, Function<Map<String, String>, String> json) {
        return new JobHeaders(ofRun, json, null);
    }

    String of(ActivityScheduled scheduled) {
        Map<String, String> intercepted = interception == null ? null : interception.takeHeaders(scheduled.seq());
        if (intercepted != null) {
            return json(intercepted);
        }
        Map<String, String> ofOptions = scheduled.options().headers();
        if (ofRun.isEmpty() && ofOptions.isEmpty()) {
            return NONE;
        }
        Map<String, String> headers = new LinkedHashMap<>(ofRun);
        headers.putAll(ofOptions);
        return json(headers);
    }

    private String json(Map<String, String> headers) {
        return headers.isEmpty() ? NONE : json.apply(headers);
    }
}
