package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Counts the activities that began in the last second, in pieces of 50 ms, for rate limits. Conservative by one of
 * these pieces: activities of the piece that contains the time of one second ago still count, so no window of one
 * second, wherever it begins, ever has more starts than the rate. Not thread-safe.
 *
 * <p>Written as {@code 34028:3 34029:1}: the number of the piece since 1970, and how many began in it.
 */
public final class RecentStarts {
    private static final long PIECE_MILLIS = 50;
    private static final long PIECES = 1_000 / PIECE_MILLIS;
    private static final Pattern PIECE = Pattern.compile("[0-9]{1,18}:[0-9]{1,9}");

    private final TreeMap<Long, Integer> counts = new TreeMap<>();

    /** Reads the text that {@link #toString} wrote; an empty text is no starts. */
    public static RecentStarts parse(String text) {
        RecentStarts starts = new RecentStarts();
        if (!text.isEmpty()) {
            for (String piece : text.split(" ", -1)) {
                // A text that is no piece, because the row was edited by hand, counts as no start: the next claim
                // replaces it.
                if (PIECE.matcher(piece).matches()) {
                    int colon = piece.indexOf(':');
                    starts.counts.put(
                            Long.valueOf(piece.substring(0, colon)), Integer.valueOf(piece.substring(colon + 1)));
                }
            }
        }
        return starts;
    }

    /** The number of starts within the second before this time. */
    public int in(Instant now) {
        forget(now);
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Counts so many starts at this time. */
    public void add(Instant now, int count) {
        if (count > 0) {
            counts.merge(piece(now), count, Integer::sum);
        }
    }

    /** How long until one of the starts no longer counts. */
    public Duration freeIn(Instant now) {
        forget(now);
        if (counts.isEmpty()) {
            return Duration.ZERO;
        }
        Instant free = Instant.ofEpochMilli((counts.firstKey() + PIECES + 1) * PIECE_MILLIS);
        return Duration.between(now, free);
    }

    /**
     * Drops starts that no longer count. Those of the future, which a clock that was set back leaves, stay for one
     * second; kept longer they would stop the queue.
     */
    private void forget(Instant now) {
        long current = piece(now);
        counts.headMap(current - PIECES).clear();
        counts.tailMap(current + PIECES, false).clear();
    }

    private static long piece(Instant at) {
        return Math.floorDiv(at.toEpochMilli(), PIECE_MILLIS);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map((Map.Entry<Long, Integer> piece) -> piece.getKey() + ":" + piece.getValue())
                .collect(Collectors.joining(" "));
    }
}
