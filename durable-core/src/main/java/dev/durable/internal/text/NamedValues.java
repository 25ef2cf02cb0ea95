package dev.durable.internal.text;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Headers, a memo or other values that callers have named. Its text shows the names and no value, so that a record that
 * has such a map as a component may stand in logs and errors. Unmodifiable.
 */
public final class NamedValues extends AbstractMap<String, String> {
    private final Map<String, String> values;

    private NamedValues(Map<String, String> values) {
        this.values = values;
    }

    /** An unmodifiable copy; a map that is one already is returned as it is. */
    public static Map<String, String> copyOf(Map<String, String> map) {
        if (map instanceof NamedValues) {
            return map;
        }
        return map.isEmpty() ? Map.of() : new NamedValues(Map.copyOf(map));
    }

    /** The map itself, whose text shows the values: what an accessor gives to callers. */
    public static Map<String, String> plain(Map<String, String> map) {
        return map instanceof NamedValues named ? named.values : map;
    }

    @Override
    public Set<Entry<String, String>> entrySet() {
        return values.entrySet();
    }

    @Override
    public @Nullable String get(@Nullable Object name) {
        return values.get(name);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return values.containsKey(name);
    }

    @Override
    public String toString() {
        return keySet().toString();
    }
}
