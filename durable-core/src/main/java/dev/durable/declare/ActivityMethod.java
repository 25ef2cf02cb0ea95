package dev.durable.declare;

import dev.durable.ActivityOptions;
import dev.durable.history.OptionsJson;
import java.util.List;
import java.util.stream.Stream;

/**
 * One activity.
 *
 * @param name {@code Payments.charge}
 * @param aliases former names
 * @param spec its method, of the declared type
 * @param options as resolved from type, method and configuration; the call site may change them
 */
public record ActivityMethod(String name, List<String> aliases, MethodSpec spec, ActivityOptions options) {

    public ActivityMethod {
        aliases = List.copyOf(aliases);
        options = OptionsJson.shared(options);
    }

    /**
     * Options changed at a call site, if this activity can end as they say.
     *
     * @throws IllegalArgumentException if it can't
     */
    public ActivityOptions checked(ActivityOptions changed) {
        if (!changed.equals(options)) {
            OptionProblems.ofEnd(name, spec, changed).ifPresent(problem -> {
                throw new IllegalArgumentException(problem.toString());
            });
        }
        return changed;
    }

    /** The name, then the aliases. */
    public List<String> names() {
        return Stream.concat(Stream.of(name), aliases.stream()).toList();
    }
}
