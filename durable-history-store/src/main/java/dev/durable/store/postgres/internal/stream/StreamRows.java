package dev.durable.store.postgres.internal.stream;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.RunIds;
import dev.durable.store.Transition;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The entries that a batch appends, in their order, by streams, which are in lock order. */
public final class StreamRows {
    private static final Comparator<Key> LOCK_ORDER =
            Comparator.comparing(Key::chain, RunIds.ORDER).thenComparing(Key::name, Utf8Order.INSTANCE);

    private final Map<Key, List<Row>> streams = new TreeMap<>(LOCK_ORDER);

    /** Appends the entries of transitions, by a statement that only a batch with entries has. */
    public static void insert(List<Transition> transitions, SqlScript script) {
        if (transitions.stream().anyMatch(t -> !t.appends().isEmpty())) {
            StreamRows all = new StreamRows();
            transitions.forEach(t -> t.appends()
                    .forEach(entry -> all.add(t.mail().chain(), new Row(t.run().runId(), entry, null, null))));
            all.insert(script);
        }
    }

    /** Adds the entry of an activity. */
    void add(UUID chain, JobUpdate.Append append) {
        add(
                chain,
                new Row(append.key().run().runId(), append.entry(), append.key().seq(), append.attempt()));
    }

    private void add(UUID chain, Row row) {
        streams.computeIfAbsent(new Key(chain, row.entry().stream()), key -> new ArrayList<>())
                .add(row);
    }

    void insert(SqlScript script) {
        List<Map.Entry<Key, List<Row>>> locked = List.copyOf(streams.entrySet());
        List<Place> places = new ArrayList<>();
        locked.forEach(stream -> addPlaces(stream.getValue(), places));
        script.then(
                StreamSql.APPEND,
                uuids(locked, s -> s.getKey().chain()),
                shorts(locked, s -> RunIds.shard(s.getKey().chain())),
                texts(locked, s -> s.getKey().name()),
                longs(locked, s -> (long) s.getValue().size()),
                longs(locked, s -> bytes(s.getValue())),
                ints(places, Place::stream),
                uuids(places, p -> p.row().run()),
                longs(places, Place::entriesLeft),
                longs(places, Place::bytesLeft),
                ints(places, p -> p.row().seq()),
                ints(places, p -> p.row().attempt()),
                texts(places, p -> p.row().entry().value()));
    }

    private static void addPlaces(List<Row> rows, List<Place> places) {
        int stream = places.isEmpty() ? 1 : places.getLast().stream() + 1;
        long entries = rows.size();
        long bytes = bytes(rows);
        for (Row row : rows) {
            places.add(new Place(stream, row, entries, bytes));
            entries--;
            bytes -= bytes(row.entry());
        }
    }

    private static long bytes(List<Row> rows) {
        return rows.stream().mapToLong(row -> bytes(row.entry())).sum();
    }

    /** The size of a value, as bounds and pages count it. */
    static int bytes(NewEntry entry) {
        return entry.value().getBytes(StandardCharsets.UTF_8).length;
    }

    private record Key(UUID chain, String name) {}

    private record Row(
            UUID run,
            NewEntry entry,
            @Nullable Integer seq,
            @Nullable Integer attempt) {}

    /** An entry in a stream, counted from 1, and what is left of that stream's batch from the entry on. */
    private record Place(int stream, Row row, long entriesLeft, long bytesLeft) {}
}
