package dev.durable.store.memory;

import dev.durable.internal.text.Bounds;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.Nudges.StreamWritten;
import dev.durable.store.StreamPage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The streams of all chains. */
final class Streams {
    private final Tables tables;
    private final Map<Key, Stream> streams = new HashMap<>();

    private record Key(UUID chain, String name) {}

    /** A stream, with the numbers of entries that the jobs have appended to it, by lease. */
    private static final class Stream {
        private final List<StreamPage.Entry> entries = new ArrayList<>();
        private final Map<JobKey, Map<UUID, Long>> appended = new HashMap<>();
        private long bytes;

        boolean isFull() {
            return entries.size() >= Bounds.STREAM_ENTRIES || bytes >= Bounds.STREAM_BYTES;
        }

        long appendedBefore(JobKey job, UUID lease) {
            return appended.getOrDefault(job, Map.of()).entrySet().stream()
                    .filter(counted -> !counted.getKey().equals(lease))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    Streams(Tables tables) {
        this.tables = tables;
    }

    /** Appends what the code of a run has appended. */
    void append(UUID chain, List<NewEntry> entries) {
        entries.forEach(entry -> add(chain, entry, null));
    }

    /** Appends an entry of an attempt that holds its lease. */
    JobUpdate.Outcome append(UUID chain, JobUpdate.Append append, JobUpdate.Outcome written) {
        Stream stream = kept(chain, append.entry().stream());
        Map<UUID, Long> byLease = stream.appended.computeIfAbsent(append.key(), key -> new HashMap<>());
        if (append.number() < byLease.getOrDefault(append.lease(), 0L)) {
            return JobUpdate.Outcome.DUPLICATE;
        }
        if (stream.isFull()) {
            return JobUpdate.Outcome.FULL;
        }
        byLease.put(append.lease(), append.number() + 1);
        add(
                chain,
                append.entry(),
                new StreamPage.Writer(append.key().run().runId(), append.key().seq(), append.attempt()));
        return written;
    }

    long appendedBefore(UUID chain, JobKey job, UUID lease, String name) {
        return stream(chain, name).appendedBefore(job, lease);
    }

    StreamPage page(StreamPage.Question question, long bytes) {
        UUID chain = question.chain().runId();
        List<StreamPage.Entry> all = stream(chain, question.stream()).entries;
        List<StreamPage.Entry> page = new ArrayList<>();
        long left = bytes;
        for (long at = question.from(); at < all.size() && page.size() < question.limit() && left > 0; at++) {
            StreamPage.Entry entry = all.get((int) at);
            page.add(entry);
            left -= bytesOf(entry.value());
        }
        RunRow open = tables.runs().findOpen(question.chain().workflowId(), chain);
        return new StreamPage(
                question, page, all.size(), open == null ? null : open.key().runId());
    }

    private void add(UUID chain, NewEntry entry, StreamPage.@Nullable Writer writer) {
        Stream stream = kept(chain, entry.stream());
        stream.entries.add(new StreamPage.Entry(stream.entries.size(), entry.value(), tables.now(), writer));
        stream.bytes += bytesOf(entry.value());
        tables.hints().owe(new StreamWritten(chain));
    }

    private Stream kept(UUID chain, String name) {
        return streams.computeIfAbsent(new Key(chain, name), key -> new Stream());
    }

    /** The stream; an empty one that is kept nowhere where nothing was appended yet. */
    private Stream stream(UUID chain, String name) {
        return streams.getOrDefault(new Key(chain, name), new Stream());
    }

    private static long bytesOf(String value) {
        return value.getBytes(StandardCharsets.UTF_8).length;
    }
}
