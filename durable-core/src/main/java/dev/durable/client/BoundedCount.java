package dev.durable.client;

import java.util.Locale;

/**
 * The number of entries of a listing, counted up to a bound, so that millions cost no more.
 *
 * @param count exactly, or the bound where there are more
 * @param more whether there are more than {@code count}
 */
public record BoundedCount(long count, boolean more) {

    /** For people: {@code 42}, or {@code more than 10,000}. */
    @Override
    public String toString() {
        return (more ? "more than " : "") + String.format(Locale.ROOT, "%,d", count);
    }
}
