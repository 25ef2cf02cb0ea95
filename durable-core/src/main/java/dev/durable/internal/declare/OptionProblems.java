package dev.durable.internal.declare;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.text.Bounds;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The error texts about options of activities, in annotations and in configuration. */
final class OptionProblems {
    private OptionProblems() {}

    static Problem wrongAttribute(String where, Option option, IllegalArgumentException reason) {
        return new Problem(where, "has a wrong " + option.attribute(), sentence(reason));
    }

    static Problem wrongHeader(String where, String header) {
        return new Problem(
                where, "has the header " + Bounds.quoted(header) + ", which has no name", "Write \"name=value\"");
    }

    static Problem manyEnds(String where, OnExhausted[] given) {
        return new Problem(
                where, "has " + given.length + " values of onExhausted", "Keep one: what happens first, happens");
    }

    static Problem manyGrowths(String where, RetryPolicy.Growth[] given) {
        return new Problem(where, "has " + given.length + " values of growth", "Keep one: delays grow in one way");
    }

    static Problem manyCancellations(String where, ActivityCancellationType[] given) {
        return new Problem(
                where,
                "has " + given.length + " values of cancellation",
                "Keep one: an activity is cancelled in one way");
    }

    static Problem wrongRetryIf(String where, String reason) {
        return new Problem(where, "has a wrong retryIf", reason);
    }

    /** Returns why no worker could create an instance of the class; empty when it can. */
    static Optional<String> unusableRetryIf(Class<? extends RetryIf> type) {
        String name = type.getTypeName();
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return Optional.of(name + " is abstract: name a class that implements RetryIf");
        }
        if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())
                || type.isLocalClass()
                || type.isAnonymousClass()) {
            return Optional.of(name + " needs an object around it: make it static, or a class of its own");
        }
        return Stream.of(type.getDeclaredConstructors()).anyMatch(made -> made.getParameterCount() == 0)
                ? Optional.empty()
                : Optional.of(
                        name + " has no constructor without arguments, and workers have nothing to give it: add one");
    }

    /** Returns the problem of an activity that can't end as its options say when its attempts are used up. */
    static Optional<Problem> ofEnd(String activity, MethodSpec method, ActivityOptions options) {
        OnExhausted end = options.retry().onExhausted();
        Class<?> result = method.method().getReturnType();
        if (end == OnExhausted.DISCARD && result.isPrimitive() && result != void.class) {
            return Optional.of(discardsPrimitive(activity, result));
        }
        return switch (end) {
            case INCIDENT, DEAD_LETTER ->
                options.local() ? Optional.of(localCannotStay(activity, end)) : Optional.empty();
            case FAIL, DISCARD -> Optional.empty();
        };
    }

    /** Returns the problem of a heartbeat timeout that can't run out before the attempt is over anyway. */
    static Optional<Problem> ofHeartbeat(String activity, ActivityOptions options) {
        Duration heartbeat = options.heartbeatTimeout();
        return heartbeat == null || heartbeat.compareTo(options.startToClose()) <= 0
                ? Optional.empty()
                : Optional.of(new Problem(
                        activity,
                        "has heartbeatTimeout " + heartbeat + ", which is longer than its startToClose "
                                + options.startToClose() + " (" + ActivityOptions.DEFAULT.startToClose()
                                + " by default): an attempt is over before its missing heartbeat could be noticed",
                        "Set startToClose to how long one attempt may take in all, or heartbeatTimeout to how long it may"
                                + " be silent, which is less"));
    }

    private static Problem discardsPrimitive(String activity, Class<?> primitive) {
        return new Problem(
                activity,
                "has onExhausted = DISCARD and returns " + primitive.getName() + ", which can't be null",
                "Return the boxed type, or choose FAIL, INCIDENT or DEAD_LETTER");
    }

    private static Problem localCannotStay(String activity, OnExhausted end) {
        return new Problem(
                activity,
                "is local and has onExhausted = " + end + ": a local activity has no job that could stay",
                "Take local = true away, or choose FAIL or DISCARD");
    }

    static Problem doNotFit(String activity, IllegalArgumentException reason) {
        return new Problem(
                activity,
                "has options that do not fit together, all levels merged: " + reason.getMessage(),
                "Set both on the same level, or remove one");
    }

    static Problem wrongValue(String key, IllegalArgumentException reason) {
        return new Problem("Configuration key " + key, "has a wrong value", sentence(reason));
    }

    static Problem foreignKey(String key) {
        return new Problem(
                "Configuration key " + key,
                "is none of an activity's",
                "Keys are " + Configuration.PREFIX + "Payments.start-to-close and " + Configuration.PREFIX
                        + "Payments.methods.charge.retry.max-attempts");
    }

    static Problem unknownType(String key, String rest, Collection<String> types) {
        String given = rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest;
        return new Problem(
                "Configuration key " + key,
                "names no activity type that is registered or injected here",
                choices(given, types, "activity types"));
    }

    static Problem unknownMethod(String key, String given, String type, Collection<String> methods) {
        return new Problem(
                "Configuration key " + key, "names no activity of " + type, choices(given, methods, "activities"));
    }

    static Problem unknownOption(String key, String given) {
        Collection<String> keys = Stream.concat(
                        Stream.of(Option.values()).map(Option::key), Stream.of("headers.<name>", "methods.<method>.…"))
                .toList();
        return new Problem(
                "Configuration key " + key,
                "ends with \"" + given + "\", which is no option",
                choices(given, keys, "options"));
    }

    static Problem twice(String key) {
        return new Problem(
                "Configuration key " + key, "sets what another key sets too, spelled differently", "Keep one of them");
    }

    private static String choices(String given, Collection<String> all, String noun) {
        String list = all.stream().sorted().collect(Collectors.joining(", "));
        String hint = NameRules.closest(given, all)
                .map(name -> "Did you mean " + name + "? ")
                .orElse("");
        return hint + (all.isEmpty() ? "There are no " + noun : "There are the " + noun + " " + list);
    }

    private static String sentence(IllegalArgumentException reason) {
        return String.valueOf(reason.getMessage());
    }
}
