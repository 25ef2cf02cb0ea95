package dev.durable.store;

import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The bound in bytes of what the engine reads or keeps in memory at once. Reads and batches are bounded by counts and
 * by bytes; at least one item always passes, however large it is, so that nothing stands in its own way for ever.
 *
 * <p>The rule of every read that is bounded so: items come in their order until they make {@link #BYTES}; the one with which
 * they do so is the last. A store may count an item that it keeps compressed for more than it is, at most for {@link
 * #COMPRESSED} times as much, so that it need not unpack it to know: it then ends a portion earlier. Who gets fewer items
 * than asked for has all of them only if they are {@linkplain #isWhole small}.
 */
public final class Portion {
    /** Of messages, of events, of a batch that is committed: 4 MiB, less with a heap of less than 256 MiB, at least 1 MiB. */
    public static final int BYTES = (int) Math.clamp(Runtime.getRuntime().maxMemory() / 64, 1L << 20, 4L << 20);

    /** What a byte of a compressed item counts for. The usual compression of PostgreSQL makes 87 bytes one at most. */
    public static final int COMPRESSED = 32;

    /** Texts of fewer bytes are not compressed. */
    private static final int PLAIN = 1_500;
    /** Bytes of a character in UTF-8, at most: a pair of surrogates is two characters and four bytes. */
    private static final int WIDEST = 3;

    private static final int HEADER = 8;
    /** The last character that a JVM keeps in one byte. */
    private static final char LATIN_1 = '\u00ff';

    private Portion() {}

    /**
     * Whether these items, of which at most {@code limit} were asked for, go to the end of what there is.
     *
     * @param atMost what a store may count one for, at most
     */
    public static <T> boolean isWhole(List<T> items, int limit, ToLongFunction<T> atMost) {
        return items.size() < limit && items.stream().mapToLong(atMost).sum() < BYTES;
    }

    /** What a store may count this text for, at most; null is none. */
    public static long atMost(@Nullable String text) {
        return text == null ? 0 : atMost(text.length());
    }

    /**
     * What the characters of this text take of the heap: two bytes each where one of them is not in Latin-1, else one; null
     * is none.
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
