package dev.durable.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a stream that are there.
 *
 * @param entries the entries, in their order; fewer than asked for may be there although more follow
 * @param next the offset behind them, from which the next page is read
 * @param isEnd whether the chain of runs has ended, and no entry follows these
 * @param <T> the type of the values
 */
public record StreamEntries<T extends @Nullable Object>(List<StreamEntry<T>> entries, long next, boolean isEnd) {
    public StreamEntries {
        entries = List.copyOf(entries);
    }
}
