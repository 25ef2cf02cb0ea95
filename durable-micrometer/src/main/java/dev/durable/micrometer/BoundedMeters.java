package dev.durable.micrometer;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Meters by name, made when they are first needed, of a bounded number of names: what comes beyond it is counted together
 * as {@code other}. So a caller that starts workflows under names of its own making does not fill the registry.
 *
 * @param <T> the meters of one name
 */
final class BoundedMeters<T> {
    static final int MOST = 200;
    static final String OTHER = "other";

    private final ConcurrentMap<String, T> made = new ConcurrentHashMap<>();
    private final int most;
    private final Function<String, T> maker;

    BoundedMeters(Function<String, T> maker) {
        this(MOST, maker);
    }

    BoundedMeters(int most, Function<String, T> maker) {
        this.most = most;
        this.maker = maker;
    }

    T of(String name) {
        T known = made.get(name);
        if (known != null) {
            return known;
        }
        return made.computeIfAbsent(made.size() < most ? tag(name) : OTHER, maker);
    }

    /** No tag is empty, as some registries drop such. */
    private static String tag(String name) {
        return name.isEmpty() ? "unknown" : name;
    }
}
