package dev.durable.store.memory;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A collection ordered by time, in which elements with the same time keep their order of insertion. */
final class Agenda<T> {
    private final TreeMap<Slot, T> slots = new TreeMap<>();
    private final Map<T, Slot> slotOf = new HashMap<>();
    private long ordinal;

    private record Slot(Instant at, long ordinal) implements Comparable<Slot> {
        @Override
        public int compareTo(Slot other) {
            int order = at.compareTo(other.at);
            return order != 0 ? order : Long.compare(ordinal, other.ordinal);
        }
    }

    /** Puts the element at this time, wherever it was; null takes it out. At an unchanged time it keeps its place. */
    void put(T thing, @Nullable Instant at) {
        Slot slot = slotOf.get(thing);
        if (slot != null && slot.at.equals(at)) {
            return;
        }
        remove(thing);
        if (at != null) {
            Slot free = new Slot(at, ordinal++);
            slotOf.put(thing, free);
            slots.put(free, thing);
        }
    }

    void remove(T thing) {
        Slot slot = slotOf.remove(thing);
        if (slot != null) {
            slots.remove(slot);
        }
    }

    Stream<T> inOrder() {
        return slots.values().stream();
    }

    /** The elements whose time has come. */
    Stream<T> due(Instant now) {
        return slots.headMap(endOf(now), true).values().stream();
    }

    /** The first time of all elements; null if there is none. */
    @Nullable
    Instant first() {
        return slots.isEmpty() ? null : slots.firstKey().at;
    }

    /** The first time of an element after this one. */
    Optional<Instant> firstAfter(Instant now) {
        return Optional.ofNullable(slots.higherKey(endOf(now))).map(Slot::at);
    }

    Instant timeOf(T thing) {
        return Objects.requireNonNull(slotOf.get(thing)).at;
    }

    private static Slot endOf(Instant instant) {
        return new Slot(instant, Long.MAX_VALUE);
    }
}
