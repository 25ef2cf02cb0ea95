package dev.durable.client;

import dev.durable.RefusedInputException;
import dev.durable.WorkflowNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a chain of runs, to be read: {@link WorkflowHandle#stream(String, Class)}. Any number of readers in any
 * number of processes read a stream, each from where it likes. Thread-safe; holds no resources.
 *
 * @param <T> the type of its values
 */
public interface StreamHandle<T extends @Nullable Object> {

    /** The name of the stream. */
    String name();

    /**
     * Reads from an offset on, and waits for entries that are still to come: {@code 0} reads all of the stream, the
     * offset behind the last entry that was shown goes on there.
     *
     * @throws WorkflowNotFoundException when there is no such run
     * @throws RefusedInputException if the offset is negative
     */
    StreamReader<T> from(long offset);

    /**
     * Reads what is there, without waiting: at most so many entries from an offset on, and fewer where they are large.
     *
     * @throws WorkflowNotFoundException when there is no such run
     * @throws RefusedInputException if the offset is negative, or the size more than 10,000
     */
    StreamEntries<T> page(long offset, int size);
}
