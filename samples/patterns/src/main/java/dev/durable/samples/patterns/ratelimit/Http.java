package dev.durable.samples.patterns.ratelimit;

/** The HTTP client of an application. */
interface Http {
    /**
     * An answer.
     *
     * @param retryAfter seconds, from the header of that name
     */
    record Answer(int status, int retryAfter) {}

    Answer put(String path);
}
