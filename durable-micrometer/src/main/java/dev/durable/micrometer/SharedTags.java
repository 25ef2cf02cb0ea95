package dev.durable.micrometer;

import io.micrometer.common.KeyValues;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * The tags that all observations of one kind with the same types and queue have in common.
 *
 * @param contextualName the name of their spans
 * @param begun attributes of few values
 * @param completed those attributes and the outcome of a call that was made
 */
record SharedTags(String contextualName, KeyValues begun, KeyValues completed) {
    private static final String OUTCOME = "durable.outcome";
    private static final String ERROR = "error.type";

    static SharedTags of(String contextualName, KeyValues begun) {
        return new SharedTags(contextualName, begun, begun.and(OUTCOME, "completed", ERROR, "none"));
    }

    /**
     * The attributes of a call that ended otherwise.
     *
     * @param error the class of what was thrown, of a bounded number
     */
    KeyValues ended(String outcome, String error) {
        return begun.and(OUTCOME, outcome, ERROR, error);
    }

    /**
     * The properties that a call shares with others.
     *
     * @param operation what is done, in a word: {@code enqueue}, say
     * @param type of the workflow, or the activity of a background job
     * @param subject its activity, event, signal or update; empty where it has none
     */
    record Call(DurableObservation kind, String operation, String type, String subject, String queue) {}

    /** Those made already, of a bounded number of calls: others are made anew each time. */
    static final class Cache {
        private static final int MOST = 2_000;
        private final ConcurrentMap<Call, SharedTags> made = new ConcurrentHashMap<>();
        private final Function<Call, SharedTags> maker;

        Cache(Function<Call, SharedTags> maker) {
            this.maker = maker;
        }

        SharedTags of(Call call) {
            SharedTags known = made.get(call);
            if (known != null) {
                return known;
            }
            return made.size() < MOST ? made.computeIfAbsent(call, maker) : maker.apply(call);
        }
    }
}
