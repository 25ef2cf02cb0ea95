package dev.durable.store.postgres.internal.stream;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.internal.text.Bounds;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Append;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The entries that jobs of a batch append to streams. Each is judged by what was appended before it, in the database and
 * in the batch: it was written already, the stream is full, or it is written.
 */
public final class JobAppends {
    private static final Comparator<Source> LOCK_ORDER =
            Comparator.comparing(Source::job, JobKey.LOCK_ORDER).thenComparing(Source::stream, Utf8Order.INSTANCE);

    private final Map<Source, Last> found = new HashMap<>();
    private final Map<StreamKey, Size> sizes = new HashMap<>();
    private final Map<Source, Append> last = new TreeMap<>(LOCK_ORDER);
    private final StreamRows rows = new StreamRows();

    /** Adds the statement that reads what was appended before, behind the one that locks the jobs. */
    public void read(List<? extends JobUpdate> updates, SqlScript script) {
        List<Append> appends = updates.stream()
                .filter(Append.class::isInstance)
                .map(Append.class::cast)
                .toList();
        if (!appends.isEmpty()) {
            script.read(
                    StreamSql.SOURCES,
                    row -> add(appends.get(row.getInt("item") - 1), row),
                    uuids(appends, a -> a.key().run().runId()),
                    shorts(appends, a -> a.key().run().shard()),
                    ints(appends, a -> a.key().seq()),
                    texts(appends, a -> a.entry().stream()));
        }
    }

    private void add(Append append, ResultSet row) throws SQLException {
        UUID chain = row.getObject("chain_id", UUID.class);
        found.put(Source.of(append), new Last(chain, row.getObject("lease", UUID.class), row.getLong("number")));
        sizes.put(
                new StreamKey(chain, append.entry().stream()),
                new Size(row.getLong("next_offset"), row.getLong("bytes")));
    }

    /**
     * Takes an append of a job whose lease is held.
     *
     * @param written the outcome if it is written
     */
    public Outcome take(Append append, Outcome written, PendingNudges hints) {
        Source source = Source.of(append);
        Last before = found.get(source);
        if (before == null) {
            return Outcome.STALE;
        }
        if (append.lease().equals(before.lease()) && append.number() <= before.number()) {
            // Its nudge may be lost with the answer to its COMMIT.
            hints.written(before.chain());
            return Outcome.DUPLICATE;
        }
        StreamKey stream = new StreamKey(before.chain(), append.entry().stream());
        Size size = sizes.getOrDefault(stream, new Size(0, 0));
        if (size.isFull()) {
            return Outcome.FULL;
        }
        sizes.put(stream, new Size(size.entries() + 1, size.bytes() + StreamRows.bytes(append.entry())));
        found.put(source, new Last(before.chain(), append.lease(), append.number()));
        last.put(source, append);
        rows.add(before.chain(), append);
        hints.written(before.chain());
        return written;
    }

    /** Adds the statements that write what was taken: the last ones, as they lock streams. */
    public void write(SqlScript script) {
        if (last.isEmpty()) {
            return;
        }
        List<Append> noted = List.copyOf(last.values());
        script.then(
                StreamSql.NOTE_SOURCES,
                uuids(noted, a -> a.key().run().runId()),
                ints(noted, a -> a.key().seq()),
                shorts(noted, a -> a.key().run().shard()),
                texts(noted, a -> a.entry().stream()),
                uuids(noted, Append::lease),
                longs(noted, Append::number));
        rows.insert(script);
    }

    /** A job that appends to a stream. */
    private record Source(JobKey job, String stream) {
        static Source of(Append append) {
            return new Source(append.key(), append.entry().stream());
        }
    }

    private record StreamKey(UUID chain, String name) {}

    /** The last append of a source; without a lease there is none. */
    private record Last(UUID chain, @Nullable UUID lease, long number) {
        @Override
        public String toString() {
            return "Last[" + chain + ", " + number + "]";
        }
    }

    private record Size(long entries, long bytes) {
        boolean isFull() {
            return entries >= Bounds.STREAM_ENTRIES || bytes >= Bounds.STREAM_BYTES;
        }
    }
}
