package dev.durable.store.postgres.internal.queue;

import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.texts;

import dev.durable.store.RecentStarts;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A task queue with limits, locked for one claim: how many jobs the limits allow, and what the claim has taken. */
final class LimitedQueue {
    private final String name;
    private final boolean locked;
    private final @Nullable Integer concurrency;
    private final @Nullable Integer rate;
    private final boolean keyRate;
    private final RecentStarts starts;
    private final Instant now;
    private int running;

    /**
     * A claimed job.
     *
     * @param limitKey its limit key; null has none
     * @param at when, by the database's clock
     */
    record Start(@Nullable String limitKey, Instant at) {}

    private LimitedQueue(String name, @Nullable ResultSet row, Instant now) throws SQLException {
        this.name = name;
        this.now = now;
        this.locked = row != null;
        this.concurrency = row == null ? null : row.getObject("concurrency", Integer.class);
        this.rate = row == null ? null : row.getObject("rate_per_second", Integer.class);
        this.keyRate = row != null && row.getObject("key_rate_per_second") != null;
        this.starts = RecentStarts.parse(row == null ? "" : row.getString("recent_starts"));
    }

    /** Locks the queue's row if no other transaction has it; else it lets this claim take no job. */
    static LimitedQueue lock(Tx tx, String name) throws SQLException {
        List<LimitedQueue> found = new ArrayList<>();
        int[] running = new int[1];
        tx.run(new SqlScript()
                .read(
                        QueueSql.LOCK,
                        row -> found.add(new LimitedQueue(name, row, TimeColumns.required(row, "now"))),
                        Param.of(name))
                .read(QueueSql.RUNNING, row -> running[0] = row.getInt("running"), Param.of(name)));
        LimitedQueue queue = found.isEmpty() ? new LimitedQueue(name, null, Instant.EPOCH) : found.getFirst();
        queue.running = running[0];
        return queue;
    }

    /** The number of jobs that may begin now, of so many that could. */
    int room(int wanted) {
        if (!locked) {
            return 0;
        }
        int room = wanted;
        if (concurrency != null) {
            room = Math.min(room, concurrency - running);
        }
        if (rate != null) {
            room = Math.min(room, rate - starts.in(now));
        }
        return Math.max(0, room);
    }

    /** Counts the starts of claimed jobs, at the times that stand in the jobs. */
    void began(List<Start> claimed, SqlScript script) {
        if (claimed.isEmpty()) {
            return;
        }
        if (rate != null) {
            claimed.forEach(start -> starts.add(start.at(), 1));
            script.then(QueueSql.COUNT_STARTS, Param.of(starts.toString()), Param.of(name));
        }
        List<Start> keyed =
                claimed.stream().filter(start -> start.limitKey() != null).toList();
        if (keyRate && !keyed.isEmpty()) {
            script.then(
                    QueueSql.COUNT_KEY_STARTS,
                    Param.of(name),
                    texts(keyed, Start::limitKey),
                    instants(keyed, Start::at));
        }
    }

    /**
     * How long until more jobs may be let through, if the rate or another claim held some back; null if only the end of
     * a job lets more through.
     */
    @Nullable
    Duration retryIn(int wanted, int claimed) {
        if (!locked) {
            return Duration.ofMillis(5 + ThreadLocalRandom.current().nextLong(15));
        }
        boolean slowed = rate != null && claimed < wanted && starts.in(now) >= rate;
        return slowed ? starts.freeIn(now) : null;
    }
}
