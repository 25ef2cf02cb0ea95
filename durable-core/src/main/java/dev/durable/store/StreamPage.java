package dev.durable.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A page of a stream, as one snapshot shows it.
 *
 * @param asked the question that it answers
 * @param entries the entries from the asked offset on, without a gap, but that the first ones of a stream may have gone
 *     with the histories of the runs that appended them
 * @param size the number of entries that were ever appended to the stream
 * @param openRun the open run of the chain; null where the chain has ended or was never there, so that nothing is
 *     appended any more
 */
public record StreamPage(
        Question asked,
        List<Entry> entries,
        long size,
        @Nullable UUID openRun) {
    public StreamPage {
        entries = List.copyOf(entries);
    }

    /** Returns whether no entry will ever stand behind those of this page. */
    public boolean isLast() {
        return openRun == null && next() >= size;
    }

    /** Returns the offset from which the next page is to be read. */
    public long next() {
        return entries.isEmpty()
                ? Math.max(asked.from(), size)
                : entries.getLast().offset() + 1;
    }

    /**
     * The question of a reader.
     *
     * @param chain the first run of the chain to which the stream belongs
     * @param stream the name of the stream
     * @param from the offset of the first entry that is wanted, from 0
     * @param limit the largest number of entries that is wanted
     */
    public record Question(RunKey chain, String stream, long from, int limit) {}

    /**
     * An entry.
     *
     * @param offset its offset: 0, 1, 2, … without a gap
     * @param value the value, JSON text
     * @param at the time of the store at which it was written
     * @param writer the attempt that appended it; null where workflow code did
     */
    public record Entry(
            long offset, String value, Instant at, @Nullable Writer writer) {
        @Override
        public String toString() {
            return "Entry[" + offset + ", " + value.length() + " characters, " + at + ", " + writer + "]";
        }
    }

    /**
     * An attempt of an activity that appends entries.
     *
     * @param job the number of the activity in its run
     * @param run the run of the chain whose activity it is
     * @param attempt the number of the attempt, from 1
     */
    public record Writer(UUID run, int job, int attempt) {}
}
