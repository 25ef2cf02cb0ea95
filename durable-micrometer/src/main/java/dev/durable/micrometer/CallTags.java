package dev.durable.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one observation, beside those that the application's filters and handlers add to its context. They are
 * not kept in the context's maps, which would cost more than all else of an observation: those of few values are made once
 * for all alike ({@link SharedTags}), those of many when a handler reads them. Used by the thread that makes the call.
 *
 * <p>Micrometer has a class of contexts for senders and one for receivers, so {@link SentContext} and {@link
 * ReceivedContext} override the same six methods, and all that they do is here.
 */
final class CallTags {
    private final SharedTags shared;
    private final Supplier<KeyValues> own;
    private KeyValues low;
    private @Nullable KeyValue late;
    private @Nullable Set<String> removedLow;
    private @Nullable Set<String> removedHigh;

    CallTags(SharedTags shared, Supplier<KeyValues> own) {
        this.shared = shared;
        this.own = own;
        this.low = shared.begun();
    }

    String contextualName() {
        return shared.contextualName();
    }

    /** The call was made. */
    void completed() {
        low = shared.completed();
    }

    /**
     * It ended otherwise.
     *
     * @param error the class of what was thrown, of a bounded number
     */
    void ended(String outcome, String error) {
        low = shared.ended(outcome, error);
    }

    /** An attribute that became known meanwhile, of many values. */
    void add(KeyValue known) {
        late = known;
    }

    /** @param added what is in the context: it goes before what is here */
    KeyValues low(KeyValues added) {
        return left(low, removedLow).and(added);
    }

    KeyValues high(KeyValues added) {
        KeyValue known = late;
        KeyValues all = known == null ? own.get() : own.get().and(known);
        return left(all, removedHigh).and(added);
    }

    @Nullable
    KeyValue low(String key, @Nullable KeyValue added) {
        return added != null ? added : find(low(KeyValues.empty()), key);
    }

    @Nullable
    KeyValue high(String key, @Nullable KeyValue added) {
        return added != null ? added : find(high(KeyValues.empty()), key);
    }

    void removeLow(String key) {
        removedLow = with(removedLow, key);
    }

    void removeHigh(String key) {
        removedHigh = with(removedHigh, key);
    }

    private static Set<String> with(@Nullable Set<String> removed, String key) {
        Set<String> all = removed == null ? new HashSet<>() : removed;
        all.add(key);
        return all;
    }

    private static KeyValues left(KeyValues all, @Nullable Set<String> without) {
        return without == null
                ? all
                : KeyValues.of(all.stream()
                        .filter(each -> !without.contains(each.getKey()))
                        .toList());
    }

    private static @Nullable KeyValue find(KeyValues all, String key) {
        for (KeyValue each : all) {
            if (each.getKey().equals(key)) {
                return each;
            }
        }
        return null;
    }
}
