package dev.durable.internal.text;

import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The bound in bytes of one read or batch, which bounds the memory that the engine needs at once. Reads and batches are
 * bounded by counts and by bytes; at least one item always passes, however large it is, so that a large item can't
 * block its queue for ever.
 *
 * <p>The rule of every such read: items come in their order until they make {@link #BYTES}; the one with which they do
 * so is the last. A store may count an item that it keeps compressed for more than it is, at most for {@link
 * #COMPRESSED} times as much, so that it need not unpack the item to know its size: it then ends a portion earlier. A
 * caller that gets fewer items than it asked for has all of them only if they are {@linkplain #isWhole small}.
 */
public final class Portion {
    /**
     * The size of a portion of messages, of events, or of a batch that is committed: 4 MiB, less with a heap of less
     * than 256 MiB, at least 1 MiB.
     */
    public static final int BYTES = (int) Math.clamp(Runtime.getRuntime().maxMemory() / 64, 1L << 20, 4L << 20);

    /**
     * The number of bytes for which a byte of a compressed item counts. The usual compression of PostgreSQL makes one
     * byte of at most 87.
     */
    public static final int COMPRESSED = 32;

    /** The size from which texts may be compressed, in bytes. */
    private static final int PLAIN = 1_500;
    /** The greatest number of bytes of a character in UTF-8: a pair of surrogates is two characters and four bytes. */
    private static final int WIDEST = 3;

    private static final int HEADER = 8;
    /** The last character that a JVM keeps in one byte. */
    private static final char LATIN_1 = '\u00ff';

    private Portion() {}

    /**
     * Returns whether these items, of which at most {@code limit} were asked for, are all that there are.
     *
     * @param atMost the largest size that a store may count for an item
     */
    public static <T> boolean isWhole(List<T> items, int limit, ToLongFunction<T> atMost) {
        return items.size() < limit && items.stream().mapToLong(atMost).sum() < BYTES;
    }

    /** The largest size that a store may count for this text; 0 for null. */
    public static long atMost(@Nullable String text) {
        return text == null ? 0 : atMost(text.length());
    }

    /**
     * The bytes of heap that the characters of this text take: two bytes each if one of them is not in Latin-1, else
     * one; 0 for null.
     */
    public static long heapBytes(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > LATIN_1) {
                return 2L * text.length();
            }
        }
        return text.length();
    }

    /** The most that a store may count a text of so many characters for. */
    public static long atMost(long characters) {
        long bytes = characters * WIDEST;
        return (bytes < PLAIN ? bytes : bytes * COMPRESSED) + HEADER;
    }
}
