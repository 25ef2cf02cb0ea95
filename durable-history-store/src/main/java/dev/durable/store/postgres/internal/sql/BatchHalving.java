package dev.durable.store.postgres.internal.sql;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Splits a batch that met a locked row into halves, again and again, until the items that wait for the lock stand
 * alone; those are not written, all others are. One locked item of 64 costs the others six probes.
 *
 * <p>Items of one row keep their order: once an item is found locked, later ones of its row count as locked, too.
 *
 * @param <T> the type of items
 */
public final class BatchHalving<T> {
    private static final int MOST_ROLLBACKS = 12;

    private final Function<T, Object> row;
    private final Part<T> part;
    private final Deque<List<T>> left = new ArrayDeque<>();
    private final Set<Object> lockedRows = new HashSet<>();
    private final List<T> locked = new ArrayList<>();
    private int rolledBack;

    /** Writes a part in one transaction. */
    @FunctionalInterface
    public interface Part<T> {
        void write(List<T> items) throws SQLException;
    }

    /**
     *
     * @param row the row that an item needs
     * @param part writes items
     */
    public BatchHalving(Function<T, Object> row, Part<T> part) {
        this.row = row;
        this.part = part;
    }

    /**
     * Writes the items. Returns those that were not written, because they are locked.
     *
     * @param why the error of the whole batch: a lock, or a rollback as a victim of others; any other is thrown
     */
    public List<T> write(List<T> items, SqlState why) throws SQLException {
        if (why == SqlState.LOCKED && items.size() == 1) {
            return items;
        }
        halve(items);
        while (!left.isEmpty()) {
            List<T> next = free(left.pop());
            if (!next.isEmpty()) {
                attempt(next);
            }
        }
        return locked;
    }

    private void attempt(List<T> items) throws SQLException {
        try {
            part.write(items);
        } catch (SQLException e) {
            SqlState state = SqlState.of(e);
            if (state == SqlState.AGAIN && ++rolledBack < MOST_ROLLBACKS) {
                Connections.pause(rolledBack);
                halve(items);
            } else if (state == SqlState.LOCKED) {
                isLocked(items);
            } else {
                throw e;
            }
        }
    }

    private void isLocked(List<T> items) {
        if (items.size() == 1) {
            locked.addAll(items);
            lockedRows.add(row.apply(items.getFirst()));
        } else {
            halve(items);
        }
    }

    private void halve(List<T> items) {
        int half = items.size() / 2;
        left.push(items.subList(half, items.size()));
        if (half > 0) {
            left.push(items.subList(0, half));
        }
    }

    private List<T> free(List<T> items) {
        List<T> free = new ArrayList<>();
        for (T item : items) {
            (lockedRows.contains(row.apply(item)) ? locked : free).add(item);
        }
        return free;
    }
}
