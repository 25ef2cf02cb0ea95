package dev.durable.store;

import dev.durable.internal.json.JsonObjectReader;
import org.jspecify.annotations.Nullable;

/** Reads from the first event of a run whether it is a background job and of which activity. */
public final class JobStart {
    /** The workflow type of the runs that are one background job each. */
    public static final String TYPE = "durable.job";

    private JobStart() {}

    /**
     * The name of the job's activity; null if the run is no background job.
     *
     * @param type its workflow type
     * @param started the attributes of its first event
     */
    public static @Nullable String activity(String type, String started) {
        return type.equals(TYPE) ? JsonObjectReader.ofAny(started).firstStringIfAny("input") : null;
    }

    /**
     * The client that started the run; null if the event does not name it.
     *
     * @param started the attributes of its first event
     */
    public static @Nullable String startedBy(String started) {
        return JsonObjectReader.ofAny(started).stringIfAny("startedBy");
    }
}
