package dev.durable.internal.declare;

import dev.durable.OnExhausted;
import dev.durable.client.EngineNames;
import dev.durable.internal.declare.type.Problems;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The workflow types, activity types and implementations that are registered with an engine, by name. Immutable and
 * thread-safe; further types that a client asks for are read once and remembered.
 */
public final class Registry {
    /** The types that begin so are Durable's own. */
    private static final String RESERVED = "durable.";

    private final Map<String, WorkflowType> workflows;
    private final @Nullable WorkflowType ofAnyType;
    private final Map<String, ActivityBinding> activities;
    private final Map<Class<?>, WorkflowType> workflowsByClass = new ConcurrentHashMap<>();
    private final Map<Class<?>, ActivityType> activityTypes = new ConcurrentHashMap<>();
    private final Map<String, ActivityMethod> activityMethods = new HashMap<>();
    private final OnExhausted jobsOnExhausted;

    Registry(
            Map<String, WorkflowType> workflows,
            @Nullable WorkflowType ofAnyType,
            Map<String, ActivityBinding> activities,
            Map<Class<?>, ActivityType> activityTypes,
            OnExhausted jobsOnExhausted) {
        this.jobsOnExhausted = jobsOnExhausted;
        this.workflows = Map.copyOf(workflows);
        this.ofAnyType = ofAnyType;
        this.activities = Map.copyOf(activities);
        this.activityTypes.putAll(activityTypes);
        activityTypes.values().stream()
                .flatMap(type -> type.methods().stream())
                .forEach(activity -> activity.names().forEach(name -> activityMethods.put(name, activity)));
        for (WorkflowType workflow : workflows()) {
            workflowsByClass.put(workflow.declared(), workflow);
            workflowsByClass.put(workflow.implementation(), workflow);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the workflow registered under this name or alias, or the one of any type as one of this name. */
    public Optional<WorkflowType> workflow(String nameOrAlias) {
        WorkflowType own = workflows.get(nameOrAlias);
        return own != null || ofAnyType == null || nameOrAlias.startsWith(RESERVED)
                ? Optional.ofNullable(own)
                : Optional.of(ofAnyType.named(nameOrAlias));
    }

    /** Returns whether a workflow is registered that runs all types that no other class has. */
    public boolean hasAnyType() {
        return ofAnyType != null;
    }

    /**
     * Returns the workflow that a class or interface declares. One that is not registered here is read for a client's
     * use: it has no constructor and no dependencies.
     *
     * @throws dev.durable.RegistrationException when the class declares none, or declares one wrongly
     */
    public WorkflowType workflowOf(Class<?> type) {
        return workflowsByClass.computeIfAbsent(type, Registry::readForClient);
    }

    /** Returns the registered workflows, each once. */
    public Set<WorkflowType> workflows() {
        return Stream.concat(workflows.values().stream(), Stream.ofNullable(ofAnyType))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the activities implemented here, each once. */
    public Set<ActivityBinding> activities() {
        return Set.copyOf(activities.values());
    }

    /**
     * Returns the activity types that an object of this class implements: annotated interfaces and classes, also behind
     * proxies.
     */
    public static Set<Class<?>> activityTypesOf(Class<?> implementation) {
        return Implementations.typesOf(implementation);
    }

    /** Returns the names and aliases of the registered workflows. */
    public Set<String> workflowTypes() {
        return workflows.keySet();
    }

    /** Returns the names and aliases of the activities that the types registered here declare. */
    public Set<String> declaredActivities() {
        return Set.copyOf(activityMethods.keySet());
    }

    /**
     * Returns the names under which an engine with this registry works.
     *
     * @param schema the schema of its tables; empty for none
     * @param served the task queues that it serves
     */
    public EngineNames names(String schema, Set<String> served) {
        Set<String> queues = new HashSet<>(served);
        Set<String> signals = new HashSet<>();
        Set<String> updates = new HashSet<>();
        for (WorkflowType workflow : workflows()) {
            queues.add(workflow.taskQueue());
            signals.addAll(workflow.methods().signals().keySet());
            updates.addAll(workflow.methods().updates().keySet());
        }
        Set<String> all = new HashSet<>(activityMethods.keySet());
        all.addAll(activities.keySet());
        return new EngineNames(schema, workflows.keySet(), all, signals, updates, queues);
    }

    /** Returns the activity implemented here under this name or alias. */
    public Optional<ActivityBinding> activity(String nameOrAlias) {
        return Optional.ofNullable(activities.get(nameOrAlias));
    }

    /** Returns the names and aliases of the activities implemented here. */
    public Set<String> activityNames() {
        return activities.keySet();
    }

    /**
     * Returns the activity that a type registered here declares under this name or alias, with configuration applied.
     * Registered are types that are implemented here, injected into a workflow, or added by name. Types that only
     * {@link #activityType} has read do not count: the meaning of a name must not depend on earlier calls.
     */
    public Optional<ActivityMethod> activityMethod(String nameOrAlias) {
        return Optional.ofNullable(activityMethods.get(nameOrAlias));
    }

    /**
     * Returns the declared activity type with configuration applied, implemented here or not.
     *
     * @throws dev.durable.RegistrationException when the class declares none, or declares one wrongly
     */
    public ActivityType activityType(Class<?> type) {
        return activityTypes.computeIfAbsent(type, this::readActivityType);
    }

    private static WorkflowType readForClient(Class<?> type) {
        Problems problems = new Problems();
        Optional<WorkflowType> workflow = new WorkflowClass(type, problems)
                .declared()
                .flatMap(declared -> WorkflowReader.read(declared, problems));
        problems.throwIfAny();
        return workflow.orElseThrow();
    }

    private ActivityType readActivityType(Class<?> type) {
        Problems problems = new Problems();
        if (!ActivityDeclaration.isDeclaredBy(type)) {
            problems.add(ActivityProblems.notAnActivityType(type));
            problems.throwIfAny();
        }
        ActivityType read =
                ActivityReader.read(type, problems).resolve(Configuration.none(), jobsOnExhausted, problems);
        problems.throwIfAny();
        return read;
    }

    private record Chosen(Set<Class<?>> types, Object implementation) {}

    /** Collects the declarations of an engine. Not thread-safe. */
    public static final class Builder {
        private final List<Object> registered = new ArrayList<>();
        private final Map<Class<?>, List<Object>> typed = new LinkedHashMap<>();
        private final List<Chosen> chosen = new ArrayList<>();
        private final Map<Class<?>, Object> standIns = new LinkedHashMap<>();
        private final List<Class<?>> calledByName = new ArrayList<>();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private OnExhausted jobsOnExhausted = OnExhausted.DEAD_LETTER;

        private Builder() {}

        /** Adds workflow classes and activity instances, which their annotations tell apart. */
        public Builder register(Object... classesAndInstances) {
            for (Object one : classesAndInstances) {
                registered.add(
                        Objects.requireNonNull(one, "register(…) takes classes and instances, and one was null"));
            }
            return this;
        }

        /** Adds an implementation of the named activity type. */
        public <A> Builder activity(Class<A> type, A implementation) {
            typed.computeIfAbsent(type, t -> new ArrayList<>())
                    .add(Objects.requireNonNull(implementation, () -> "the implementation of " + type.getName()));
            return this;
        }

        /** Adds an implementation for these of the activity types that it implements. */
        public Builder activities(Set<Class<?>> types, Object implementation) {
            chosen.add(new Chosen(types, implementation));
            return this;
        }

        /**
         * Adds an object that runs in the place of all runs of a workflow type, and of a class that is registered for it. For
         * tests.
         */
        public <W> Builder standIn(Class<W> type, W instance) {
            standIns.put(type, Objects.requireNonNull(instance, () -> "the stand-in of " + type.getName()));
            return this;
        }

        /** Adds an activity type that workflows call by name, neither implemented nor injected here. */
        public Builder activityType(Class<?> type) {
            calledByName.add(type);
            return this;
        }

        /** Adds options from configuration; every key begins with {@code durable.activities.} */
        public Builder configuration(Map<String, String> configuration) {
            properties.putAll(configuration);
            return this;
        }

        /** Sets the end of background jobs whose attempts are used up, where their activities set none. */
        public Builder jobsOnExhausted(OnExhausted then) {
            jobsOnExhausted = then;
            return this;
        }

        /**
         * Reads and checks everything.
         *
         * @throws dev.durable.RegistrationException with all errors
         */
        public Registry build() {
            return build(declarations -> List.of());
        }

        /**
         * Reads and checks everything.
         *
         * @param more finds further errors, each with the way out
         * @throws dev.durable.RegistrationException with all errors
         */
        public Registry build(Function<? super Declarations, ? extends Collection<String>> more) {
            Registration registration = new Registration();
            registered.forEach(registration::add);
            chosen.forEach(one -> registration.add(one.types(), one.implementation()));
            typed.forEach((type, all) -> all.forEach(one -> registration.add(type, one)));
            calledByName.forEach(registration::addActivityType);
            standIns.forEach(registration::addStandIn);
            return registration.finish(properties, jobsOnExhausted, more);
        }
    }
}
