package dev.durable.internal.declare;

import dev.durable.Activity;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An activity type as its annotations declare it, before configuration.
 *
 * @param type the annotated interface or class
 * @param name the first part of the names of its activities
 * @param activities its activities
 */
record ActivityDeclaration(Class<?> type, String name, List<Declared> activities) {

    ActivityDeclaration {
        activities = List.copyOf(activities);
    }

    /** Returns whether the type itself is annotated; its supertypes do not count. */
    static boolean isDeclaredBy(Class<?> type) {
        return type.isAnnotationPresent(Activity.class);
    }

    /**
     * Merges all levels of options below the call site.
     *
     * @param jobsOnExhausted the end of background jobs whose attempts are used up, where no level sets it
     */
    ActivityType resolve(Configuration configuration, OnExhausted jobsOnExhausted, Problems problems) {
        List<ActivityMethod> methods = new ArrayList<>();
        for (Declared activity : activities) {
            try {
                OptionLevel level = configuration.of(this, activity).over(activity.level());
                ActivityOptions options = level.applyTo(ActivityOptions.DEFAULT);
                Optional<Problem> end = OptionProblems.ofEnd(activity.name(), activity.spec(), options);
                end.ifPresent(problems::add);
                OptionProblems.ofHeartbeat(activity.name(), options).ifPresent(problems::add);
                boolean saysEnd = level.sets(Option.ON_EXHAUSTED);
                methods.add(new ActivityMethod(
                        activity.name(),
                        activity.aliases(),
                        activity.spec(),
                        options,
                        saysEnd ? options : ofJob(activity, options, jobsOnExhausted),
                        saysEnd));
            } catch (IllegalArgumentException e) {
                problems.add(OptionProblems.doNotFit(activity.name(), e));
            }
        }
        return new ActivityType(type, name, methods);
    }

    /**
     * Returns the options as a background job: no code waits for it, so a job that may not be discarded is kept when
     * its attempts are used up.
     */
    private static ActivityOptions ofJob(Declared activity, ActivityOptions options, OnExhausted then) {
        if (options.local()) {
            return options;
        }
        ActivityOptions wanted = options.withRetry(options.retry().withOnExhausted(then));
        return OptionProblems.ofEnd(activity.name(), activity.spec(), wanted).isEmpty()
                ? wanted
                : options.withRetry(options.retry().withOnExhausted(OnExhausted.DEAD_LETTER));
    }

    /**
     * One activity of the type.
     *
     * @param shortName the activity's own part of the name
     * @param name {@code Payments.charge}
     * @param aliases former full names
     * @param entry its method
     * @param spec the signature of its method
     * @param level the options that type and method set
     */
    record Declared(
            String shortName,
            String name,
            List<String> aliases,
            MethodTable.Entry entry,
            MethodSpec spec,
            OptionLevel level) {}
}
