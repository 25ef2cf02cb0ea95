package dev.durable.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time at which a job was scheduled, and the deadlines of its beginning and end.
 *
 * @param scheduledAt when its workflow scheduled it; of a background job that was delayed, the end of its delay
 * @param toStart when its first attempt must have begun; null is never, or it has begun
 * @param toClose when all its attempts must have ended; null is never
 */
public record JobDeadlines(
        Instant scheduledAt,
        @Nullable Instant toStart,
        @Nullable Instant toClose) {

    /** Returns these deadlines with another start and close; the time of scheduling stays. */
    public JobDeadlines with(@Nullable Instant start, @Nullable Instant close) {
        return new JobDeadlines(scheduledAt, start, close);
    }
}
