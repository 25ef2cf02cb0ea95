package dev.durable.intercept;

import dev.durable.internal.text.Bounds;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Implements {@link ContextPropagator#mdc}. */
final class MdcPropagator implements ContextPropagator {
    /** The longest value that is bound. */
    private static final int LONGEST = 1_000;

    private static final Set<String> ENGINES = Set.of("workflowId", "runId", "activity", "attempt");

    private final Set<String> keys = new LinkedHashSet<>();

    MdcPropagator(String... keys) {
        for (String key : keys) {
            if (ENGINES.contains(key)) {
                throw new IllegalArgumentException("ContextPropagator.mdc(…) can't carry " + key
                        + ": the engine puts that of the run or the attempt there. It has "
                        + ENGINES.stream().sorted().toList()
                        + ". Take another key.");
            }
            this.keys.add(Bounds.name("ContextPropagator.mdc(…): the key", key));
        }
        if (this.keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "ContextPropagator.mdc() carries nothing: name the keys of the MDC, such as"
                            + " mdc(\"tenant\", \"user\"). Not all are carried, as some belong to one request or one thread.");
        }
    }

    @Override
    public String name() {
        return "mdc";
    }

    @Override
    public Map<String, String> capture() {
        Map<String, String> captured = new LinkedHashMap<>();
        for (String key : keys) {
            String value = MDC.get(key);
            if (value != null) {
                captured.put(key, value);
            }
        }
        return captured;
    }

    @Override
    public Scope restore(Map<String, String> context) {
        record Before(String key, @Nullable String value) {}
        List<Before> before =
                keys.stream().map(key -> new Before(key, MDC.get(key))).toList();
        keys.forEach(key -> bind(key, shown(context.get(key))));
        return () -> before.forEach(one -> bind(one.key(), one.value()));
    }

    /** Layouts write what the MDC has into lines as it is, and headers come from callers. */
    private static @Nullable String shown(@Nullable String value) {
        return value == null ? null : Bounds.shown(Bounds.cutWithMark(value, LONGEST));
    }

    private static void bind(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }

    @Override
    public String toString() {
        return "ContextPropagator.mdc" + keys;
    }
}
