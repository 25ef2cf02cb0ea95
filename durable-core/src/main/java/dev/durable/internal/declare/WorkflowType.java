package dev.durable.internal.declare;

import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.internal.declare.type.MethodSpec;
import java.lang.reflect.Constructor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as registered, or as a client reads it from its declaration: name, task queue, run method and handlers.
 *
 * @param name the workflow type
 * @param aliases former names
 * @param taskQueue its default queue
 * @param declared the annotated class or interface, which clients use
 * @param implementation the class that runs; the declared type where a client knows only that
 * @param constructor its only constructor, accessible; null where a client knows only the declaration
 * @param dependencies the activity types of its parameters, in order
 * @param stallOn exceptions that stall a run instead of failing it; empty where the engine's default counts
 * @param methods its run method and handlers
 */
public record WorkflowType(
        String name,
        List<String> aliases,
        String taskQueue,
        Class<?> declared,
        Class<?> implementation,
        @Nullable Constructor<?> constructor,
        List<ActivityType> dependencies,
        Set<Class<? extends Throwable>> stallOn,
        Methods methods) {

    public WorkflowType {
        aliases = List.copyOf(aliases);
        dependencies = List.copyOf(dependencies);
        stallOn = Set.copyOf(stallOn);
    }

    /**
     * The methods of a workflow that callers reach.
     *
     * @param run the run method, of the declared type
     * @param signals by name
     * @param queries by name
     * @param unfinishedPolicies of signals, by name, where another than the default was chosen
     */
    public record Methods(
            MethodSpec run,
            Map<String, MethodSpec> signals,
            Map<String, MethodSpec> queries,
            Map<String, HandlerUnfinishedPolicy> unfinishedPolicies) {
        public Methods {
            signals = Map.copyOf(signals);
            queries = Map.copyOf(queries);
            unfinishedPolicies = Map.copyOf(unfinishedPolicies);
        }
    }

    /** Returns what happens to the handler of this signal when the run ends before it. */
    public HandlerUnfinishedPolicy unfinishedPolicy(String signal) {
        return methods.unfinishedPolicies().getOrDefault(signal, HandlerUnfinishedPolicy.WARN_AND_ABANDON);
    }

    /** Returns the exceptions that the run method declares. */
    public Collection<Class<? extends Throwable>> named() {
        return methods.run().named();
    }

    /** Returns the name, then the aliases. */
    public List<String> names() {
        return Stream.concat(Stream.of(name), aliases.stream()).distinct().toList();
    }
}
