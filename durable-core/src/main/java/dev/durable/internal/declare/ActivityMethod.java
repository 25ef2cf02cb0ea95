package dev.durable.internal.declare;

import dev.durable.ActivityOptions;
import dev.durable.history.OptionsJson;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.Problem;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method of an activity type as declared: its name and aliases, its signature, and its options before the call site.
 *
 * @param name {@code Payments.charge}
 * @param aliases former names
 * @param spec the signature of its method in the declared type
 * @param options the options merged from type, method and configuration; the call site may change them
 * @param ofJob these options for a background job, which ends in another way when its attempts are used up
 * @param saysEnd whether type, method or configuration set that end
 */
public record ActivityMethod(
        String name,
        List<String> aliases,
        MethodSpec spec,
        ActivityOptions options,
        ActivityOptions ofJob,
        boolean saysEnd) {

    public ActivityMethod {
        aliases = List.copyOf(aliases);
        options = OptionsJson.shared(options);
        ofJob = OptionsJson.shared(ofJob);
    }

    /** Creates an activity with the same options in a workflow and as a background job. */
    public ActivityMethod(String name, List<String> aliases, MethodSpec spec, ActivityOptions options) {
        this(name, aliases, spec, options, options, true);
    }

    /**
     * Returns the options changed at a call site, if this activity can end as they say.
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

    /**
     * Refuses a heartbeat timeout that could not be noticed, changed at a call site.
     *
     * @param activity its name
     * @param recorded options of the same call in the history, which may have been written before this was refused; null
     *     where there is none
     * @throws IllegalArgumentException if the options don't fit together, and the history has no such call
     */
    public static void checkHeartbeat(String activity, ActivityOptions changed, @Nullable ActivityOptions recorded) {
        Optional<Problem> problem = OptionProblems.ofHeartbeat(activity, changed);
        if (problem.isPresent()
                && (recorded == null
                        || OptionProblems.ofHeartbeat(activity, recorded).isEmpty())) {
            throw new IllegalArgumentException(problem.get().toString());
        }
    }

    /** Returns the name, then the aliases. */
    public List<String> names() {
        return Stream.concat(Stream.of(name), aliases.stream()).toList();
    }
}
