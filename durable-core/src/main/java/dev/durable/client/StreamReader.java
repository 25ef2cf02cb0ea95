package dev.durable.client;

import dev.durable.CallInterruptedException;
import dev.durable.PayloadException;
import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream, entry by entry, and waits for those that are still to come:
 *
 * <pre>{@code
 * try (StreamReader<Chunk> reader = handle.stream("tokens", Chunk.class).from(0)) {
 *     while (reader.hasNext()) {
 *         show(reader.next().value());
 *     }
 * }
 * }</pre>
 *
 * <p>For one thread; only {@link #close} may be called on any. It holds entries that it has read ahead, and nothing
 * else.
 *
 * @param <T> the type of the values
 */
public interface StreamReader<T extends @Nullable Object> extends Iterator<StreamEntry<T>>, AutoCloseable {

    /**
     * Waits for the next entry.
     *
     * @return false when the chain of runs has ended and every entry was read, or the reader was closed
     * @throws CallInterruptedException when the thread is interrupted meanwhile; its flag stays set
     */
    @Override
    boolean hasNext();

    /**
     * Waits at most that long for the next entry.
     *
     * @return false when the chain of runs has ended and every entry was read, or the reader was closed
     * @throws WaitTimedOutException when neither an entry nor the end has come then; it may be called again
     */
    boolean hasNext(Duration timeout);

    /**
     * Returns the next entry, and waits for it as {@link #hasNext()} does.
     *
     * @throws NoSuchElementException when there is none any more
     * @throws PayloadException if its value can't be read as the type; the next call gives the entry behind it
     */
    @Override
    StreamEntry<T> next();

    /** The offset from which the reading goes on, now or in another reader later: behind the entry that was read last. */
    long offset();

    /** Ends the reading; a thread that waits for an entry goes on, without one. */
    @Override
    void close();
}
