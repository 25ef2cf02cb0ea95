package dev.durable.store;

import org.jspecify.annotations.Nullable;

/**
 * The JSON texts with which a job calls its activity.
 *
 * @param input arguments, a JSON array
 * @param options ActivityOptions as JSON text, as recorded
 * @param headers headers of options and run, a JSON object
 */
public record JobContent(String input, String options, String headers) {
    /**
     * The header of an activity that was scheduled by another run, before that was forked: the idempotency key that it
     * had there. Bodies and interceptors do not see it among the headers.
     */
    public static final String IDEMPOTENCY_KEY = "durable.idempotencyKey";

    /** These texts with other arguments or options; null keeps those that stand here. */
    public JobContent with(@Nullable String otherInput, @Nullable String otherOptions) {
        return new JobContent(
                otherInput == null ? input : otherInput, otherOptions == null ? options : otherOptions, headers);
    }

    @Override
    public String toString() {
        return "JobContent[input of " + input.length() + " characters, options of " + options.length() + "]";
    }
}
