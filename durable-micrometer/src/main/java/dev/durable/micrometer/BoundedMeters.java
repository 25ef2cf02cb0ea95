package dev.durable.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Meters by name, made when they are first needed. Names that the engine registers and serves have each its own, always; of
 * all others there is a bounded number, and what comes beyond it is counted together as {@code other}. So a caller that
 * starts workflows under names of its own making neither fills the registry nor takes the place of a name that counts.
 *
 * @param <T> the meters of one name
 */
final class BoundedMeters<T> {
    static final int MOST = 200;
    static final String OTHER = "other";

    private final ConcurrentMap<String, T> known = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, T> others = new ConcurrentHashMap<>();
    private final int most;
    private final Function<String, T> maker;
    private volatile Set<String> names = Set.of();

    BoundedMeters(Function<String, T> maker) {
        this(MOST, maker);
    }

    BoundedMeters(int most, Function<String, T> maker) {
        this.most = most;
        this.maker = maker;
    }

    /** From now on these names have places of their own. */
    BoundedMeters<T> know(Set<String> registered) {
        names = registered;
        return this;
    }

    T of(String name) {
        T made = known.get(name);
        if (made != null) {
            return made;
        }
        if (names.contains(name)) {
            return known.computeIfAbsent(name, maker);
        }
        made = others.get(name);
        return made != null ? made : others.computeIfAbsent(others.size() < most ? tag(name) : OTHER, maker);
    }

    /** No tag is empty, as some registries drop such. */
    private static String tag(String name) {
        return name.isEmpty() ? "unknown" : name;
    }
}
