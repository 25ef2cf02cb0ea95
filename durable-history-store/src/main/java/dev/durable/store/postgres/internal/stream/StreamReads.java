package dev.durable.store.postgres.internal.stream;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.StreamPage;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads streams: one query for all waiting readers of a process. */
public final class StreamReads {
    private final Connections connections;

    public StreamReads(Connections connections) {
        this.connections = connections;
    }

    public List<StreamPage> pages(List<StreamPage.Question> questions, long bytes) {
        if (questions.isEmpty()) {
            return List.of();
        }
        return connections.read(TransactionSettings.SHORT, tx -> {
            Map<Integer, Page> pages = new LinkedHashMap<>();
            tx.last(new SqlScript()
                    .read(
                            StreamSql.PAGES,
                            row -> add(questions, pages, row),
                            uuids(questions, q -> q.chain().runId()),
                            texts(questions, q -> q.chain().workflowId()),
                            shorts(questions, q -> q.chain().shard()),
                            texts(questions, StreamPage.Question::stream),
                            longs(questions, StreamPage.Question::from),
                            ints(questions, StreamPage.Question::limit),
                            Param.of(bytes)));
            return pages.values().stream()
                    .map(p -> new StreamPage(p.asked, p.entries, p.size, p.openRun))
                    .toList();
        });
    }

    private static void add(List<StreamPage.Question> questions, Map<Integer, Page> pages, ResultSet row)
            throws SQLException {
        int item = row.getInt("item");
        Page page = pages.get(item);
        if (page == null) {
            page = new Page(
                    questions.get(item - 1),
                    new ArrayList<>(),
                    row.getLong("size"),
                    row.getObject("open_run", UUID.class));
            pages.put(item, page);
        }
        long offset = row.getLong("entry_offset");
        if (!row.wasNull()) {
            page.entries.add(new StreamPage.Entry(
                    offset, row.getString("value"), TimeColumns.required(row, "written_at"), writer(row)));
        }
    }

    private static StreamPage.@Nullable Writer writer(ResultSet row) throws SQLException {
        int seq = row.getInt("seq");
        return row.wasNull()
                ? null
                : new StreamPage.Writer(row.getObject("run_id", UUID.class), seq, row.getInt("attempt"));
    }

    public long appendedBefore(JobKey job, UUID lease, String stream) {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<Long> before = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            StreamSql.APPENDED_BEFORE,
                            row -> before.add(row.getLong("before")),
                            Param.of(lease),
                            Param.of(job.run().runId()),
                            Param.of(job.seq()),
                            Param.of(stream),
                            Param.of((short) job.run().shard())));
            return before.isEmpty() ? 0L : before.getFirst();
        });
    }

    /** A page that is being read. */
    private record Page(
            StreamPage.Question asked,
            List<StreamPage.Entry> entries,
            long size,
            @Nullable UUID openRun) {}
}
