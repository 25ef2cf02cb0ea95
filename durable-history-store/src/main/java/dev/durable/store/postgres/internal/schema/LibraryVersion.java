package dev.durable.store.postgres.internal.schema;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A release of Durable, by which a schema names the oldest release that can work with it. */
record LibraryVersion(List<Integer> numbers) implements Comparable<LibraryVersion> {
    /** This release. It is the version of the build; a test compares them. */
    static final LibraryVersion CURRENT = of("0.1.0");

    static LibraryVersion of(String text) {
        return new LibraryVersion(
                Arrays.stream(text.split("\\.")).map(Integer::valueOf).toList());
    }

    boolean isAtLeast(LibraryVersion other) {
        return compareTo(other) >= 0;
    }

    @Override
    public int compareTo(LibraryVersion other) {
        return Comparator.<LibraryVersion>comparingInt(v -> v.number(0))
                .thenComparingInt(v -> v.number(1))
                .thenComparingInt(v -> v.number(2))
                .compare(this, other);
    }

    private int number(int place) {
        return place < numbers.size() ? numbers.get(place) : 0;
    }

    @Override
    public String toString() {
        return String.join(".", numbers.stream().map(String::valueOf).toList());
    }
}
