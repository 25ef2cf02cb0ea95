package dev.durable.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads from the first event of a run whether it is a background job and of which activity. */
public final class JobStart {
    /** The workflow type of the runs that are one background job each. */
    public static final String TYPE = "durable.job";

    /**
     * Finds the activity's name in the attributes of the run's first event. A quote inside any JSON text is escaped, so
     * only the member {@code input} itself looks like this.
     */
    public static final String ACTIVITY = "\"input\"\\s*:\\s*\\[\\s*\"([^\"\\\\]*)\"";

    private static final Pattern PATTERN = Pattern.compile(ACTIVITY);

    private JobStart() {}

    /**
     * The name of the job's activity; null if the run is no background job.
     *
     * @param type its workflow type
     * @param started the attributes of its first event
     */
    public static @Nullable String activity(String type, String started) {
        if (!type.equals(TYPE)) {
            return null;
        }
        Matcher name = PATTERN.matcher(started);
        return name.find() ? name.group(1) : null;
    }

    /**
     * The client that started the run; null if the event does not name it.
     *
     * @param started the attributes of its first event
     */
    public static @Nullable String startedBy(String started) {
        String caller = JsonParts.members(started).get("startedBy");
        return caller == null || !caller.startsWith("\"")
                ? null
                : JsonParts.unquoted(caller).replaceAll("\\\\(.)", "$1");
    }
}
