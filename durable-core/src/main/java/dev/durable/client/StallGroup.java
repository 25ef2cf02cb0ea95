package dev.durable.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Stalled runs of one workflow type that have stalled alike: for the same cause, at the same line of the code. Each is tried
 * again by itself, a minute later at most, and goes on with code that fits what was recorded.
 *
 * @param type their workflow type
 * @param cause the first line of why the example has stalled
 * @param line {@code OrderWorkflow.run(OrderWorkflow.java:42)}; null where the cause names no line
 * @param count how many they are
 * @param oldestStartedAt when the one of them was started that was started first
 * @param example the run that was found first in the order of the listing
 * @param exampleText why it has stalled, in full: with the lists of commands side by side, where the code gave other commands
 *     than the history has
 */
public record StallGroup(
        String type,
        String cause,
        @Nullable String line,
        long count,
        Instant oldestStartedAt,
        WorkflowSummary example,
        String exampleText) {
    /** Without the texts, in which code may have written what it likes. */
    @Override
    public String toString() {
        return "StallGroup[" + type + ", count=" + count + ", oldestStartedAt=" + oldestStartedAt + "]";
    }
}
