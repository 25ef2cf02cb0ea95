package dev.durable.internal.declare;

import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.RetryPolicy;
import dev.durable.Versioning;
import dev.durable.internal.declare.object.CallKind;
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
 * @param making how its objects are made
 * @param stallOn exceptions that stall a run instead of failing it; empty where the engine's default counts
 * @param retry its retry policy; null where it declares none
 * @param versioning which builds may go on with its runs
 * @param methods its run method and handlers
 */
public record WorkflowType(
        String name,
        List<String> aliases,
        String taskQueue,
        Class<?> declared,
        Class<?> implementation,
        Making making,
        Set<Class<? extends Throwable>> stallOn,
        @Nullable RetryPolicy retry,
        Versioning versioning,
        Methods methods) {

    public WorkflowType {
        aliases = List.copyOf(aliases);
        stallOn = Set.copyOf(stallOn);
    }

    /**
     * How the objects of a workflow are made.
     *
     * @param constructor its only constructor, accessible; null where a client knows only the declaration
     * @param dependencies the activity types of its parameters, in order
     * @param standIn the object that runs instead of new ones of the class, as a test gives it; null without
     */
    public record Making(
            @Nullable Constructor<?> constructor,
            List<ActivityType> dependencies,
            @Nullable Object standIn) {
        /** Of a workflow of which only its declaration is known. */
        static final Making UNKNOWN = new Making(null, List.of(), null);

        public Making {
            dependencies = List.copyOf(dependencies);
        }
    }

    /** Returns its only constructor, accessible; null where a client knows only the declaration. */
    public @Nullable Constructor<?> constructor() {
        return making.constructor();
    }

    /** Returns the activity types of its constructor's parameters, in order. */
    public List<ActivityType> dependencies() {
        return making.dependencies();
    }

    /**
     * The methods of a workflow that callers reach.
     *
     * @param run the run method, of the declared type
     * @param signals by name
     * @param queries by name
     * @param updates by name
     * @param validators of updates, by the update's name; an update without one accepts every call
     * @param unfinishedPolicies of handlers, where another than the default was chosen; the key is {@link #handler}
     * @param ofAnyName the handlers of messages whose name none of these has
     */
    public record Methods(
            MethodSpec run,
            Map<String, MethodSpec> signals,
            Map<String, MethodSpec> queries,
            Map<String, MethodSpec> updates,
            Map<String, MethodSpec> validators,
            Map<String, HandlerUnfinishedPolicy> unfinishedPolicies,
            OfAnyName ofAnyName) {
        public Methods {
            signals = Map.copyOf(signals);
            queries = Map.copyOf(queries);
            updates = Map.copyOf(updates);
            validators = Map.copyOf(validators);
            unfinishedPolicies = Map.copyOf(unfinishedPolicies);
        }
    }

    /**
     * The handlers that take messages of any name, {@code @Signal(any = true)}; null where there is none.
     *
     * @param unfinishedPolicy what happens to its handler of signals when the run ends before it
     * @param updatePolicy what happens to its handler of updates then
     */
    public record OfAnyName(
            @Nullable MethodSpec signal,
            HandlerUnfinishedPolicy unfinishedPolicy,
            @Nullable MethodSpec query,
            @Nullable MethodSpec update,
            HandlerUnfinishedPolicy updatePolicy) {}

    /** Returns whether it stands for all types that no other class has. */
    public boolean isOfAnyType() {
        return methods.run().isOfAnyType();
    }

    /** Returns it as the type of this name. */
    WorkflowType named(String type) {
        return new WorkflowType(
                type, List.of(), taskQueue, declared, implementation, making, stallOn, retry, versioning, methods);
    }

    /** Returns the handler of a signal: the one of its name, or the one of any name; null without either. */
    public @Nullable MethodSpec signal(String name) {
        MethodSpec own = methods.signals().get(name);
        return own == null ? methods.ofAnyName().signal() : own;
    }

    /** Returns the handler of a query: the one of its name, or the one of any name; null without either. */
    public @Nullable MethodSpec query(String name) {
        MethodSpec own = methods.queries().get(name);
        return own == null ? methods.ofAnyName().query() : own;
    }

    /** Returns the handler of an update: the one of its name, or the one of any name; null without either. */
    public @Nullable MethodSpec update(String name) {
        MethodSpec own = methods.updates().get(name);
        return own == null ? methods.ofAnyName().update() : own;
    }

    /** Returns all handlers of updates. */
    public Stream<MethodSpec> updates() {
        return Stream.concat(
                methods.updates().values().stream(),
                Stream.ofNullable(methods.ofAnyName().update()));
    }

    /** Returns all handlers of signals. */
    public Stream<MethodSpec> signals() {
        return Stream.concat(
                methods.signals().values().stream(),
                Stream.ofNullable(methods.ofAnyName().signal()));
    }

    /** Returns the name of a handler in errors and policies: {@code signal approve}. */
    static String handler(CallKind kind, String name) {
        return kind.word() + " " + name;
    }

    /** Returns the name of a signal's handler in errors and policies. */
    public static String signalHandler(String name) {
        return handler(CallKind.SIGNAL, name);
    }

    /** Returns the name of an update's handler in errors and policies. */
    public static String updateHandler(String name) {
        return handler(CallKind.UPDATE, name);
    }

    /** Returns what happens to the handler of this signal when the run ends before it. */
    public HandlerUnfinishedPolicy policyOfSignal(String signal) {
        return methods.signals().containsKey(signal)
                ? unfinishedPolicy(signalHandler(signal))
                : methods.ofAnyName().unfinishedPolicy();
    }

    /** Returns what happens to the handler of this update when the run ends before it. */
    public HandlerUnfinishedPolicy policyOfUpdate(String update) {
        return methods.updates().containsKey(update)
                ? unfinishedPolicy(updateHandler(update))
                : methods.ofAnyName().updatePolicy();
    }

    /** Returns what happens to this {@link #handler} when the run ends before it. */
    public HandlerUnfinishedPolicy unfinishedPolicy(String handler) {
        return methods.unfinishedPolicies().getOrDefault(handler, HandlerUnfinishedPolicy.WARN_AND_ABANDON);
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
