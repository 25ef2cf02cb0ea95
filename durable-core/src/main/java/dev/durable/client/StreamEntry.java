package dev.durable.client;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a stream.
 *
 * @param offset its offset: 0, 1, 2, … without a gap; the first ones may have gone with the histories of their runs
 * @param value the value
 * @param writtenAt when it was written, by the clock of the database
 * @param attempt the attempt of an activity that appended it; null where workflow code did
 * @param <T> the type of the value
 */
public record StreamEntry<T extends @Nullable Object>(
        long offset, T value, Instant writtenAt, @Nullable Attempt attempt) {

    /**
     * An attempt of an activity that appends entries. Another one for the same activity means that the attempt before was
     * given up, and what it appended may come again.
     *
     * @param runId the run whose activity it is
     * @param activity the number of the activity in its run
     * @param number the number of the attempt, from 1
     */
    public record Attempt(UUID runId, int activity, int number) {}

    @Override
    public String toString() {
        return "StreamEntry[" + offset + ", " + writtenAt + (attempt == null ? "" : ", " + attempt) + "]";
    }
}
