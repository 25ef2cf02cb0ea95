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

/**
 * All that is registered with an engine: workflow types, activity types and their implementations, by name. Immutable
 * and thread-safe; what a client asks for beyond that is read once and remembered.
 */
public final class Registry {
    private final Map<String, WorkflowType> workflows;
    private final Map<String, ActivityBinding> activities;
    private final Map<Class<?>, WorkflowType> workflowsByClass = new ConcurrentHashMap<>();
    private final Map<Class<?>, ActivityType> activityTypes = new ConcurrentHashMap<>();
    private final Map<String, ActivityMethod> activityMethods = new HashMap<>();
    private final OnExhausted jobsOnExhausted;

    Registry(
            Map<String, WorkflowType> workflows,
            Map<String, ActivityBinding> activities,
            Map<Class<?>, ActivityType> activityTypes,
            OnExhausted jobsOnExhausted) {
        this.jobsOnExhausted = jobsOnExhausted;
        this.workflows = Map.copyOf(workflows);
        this.activities = Map.copyOf(activities);
        this.activityTypes.putAll(activityTypes);
        activityTypes.values().stream()
                .flatMap(type -> type.methods().stream())
                .forEach(activity -> activity.names().forEach(name -> activityMethods.put(name, activity)));
        for (WorkflowType workflow : workflows.values()) {
            workflowsByClass.put(workflow.declared(), workflow);
            workflowsByClass.put(workflow.implementation(), workflow);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The workflow registered under this name or alias. */
    public Optional<WorkflowType> workflow(String nameOrAlias) {
        return Optional.ofNullable(workflows.get(nameOrAlias));
    }

    /**
     * The workflow that a class or interface declares. One that is not registered here is read for a client's use: it
     * has no constructor and no dependencies.
     *
     * @throws dev.durable.RegistrationException when the class declares none, or a wrong one
     */
    public WorkflowType workflowOf(Class<?> type) {
        return workflowsByClass.computeIfAbsent(type, Registry::readForClient);
    }

    /** The workflows registered, each once. */
    public Set<WorkflowType> workflows() {
        return Set.copyOf(workflows.values());
    }

    /** The activities implemented here, each once. */
    public Set<ActivityBinding> activities() {
        return Set.copyOf(activities.values());
    }

    /** The activity types that an object of this class implements: annotated interfaces and classes, also behind proxies. */
    public static Set<Class<?>> activityTypesOf(Class<?> implementation) {
        return Implementations.typesOf(implementation);
    }

    /** Names and aliases of the workflows registered. */
    public Set<String> workflowTypes() {
        return workflows.keySet();
    }

    /** Names and aliases of the activities that the types registered here declare. */
    public Set<String> declaredActivities() {
        return Set.copyOf(activityMethods.keySet());
    }

    /**
     * The names of an engine with this registry.
     *
     * @param schema of its tables; empty has none
     * @param served task queues that it serves
     */
    public EngineNames names(String schema, Set<String> served) {
        Set<String> queues = new HashSet<>(served);
        Set<String> signals = new HashSet<>();
        for (WorkflowType workflow : workflows.values()) {
            queues.add(workflow.taskQueue());
            signals.addAll(workflow.methods().signals().keySet());
        }
        Set<String> all = new HashSet<>(activityMethods.keySet());
        all.addAll(activities.keySet());
        return new EngineNames(schema, workflows.keySet(), all, signals, queues);
    }

    /** The activity implemented here under this name or alias. */
    public Optional<ActivityBinding> activity(String nameOrAlias) {
        return Optional.ofNullable(activities.get(nameOrAlias));
    }

    /** Names and aliases of the activities implemented here. */
    public Set<String> activityNames() {
        return activities.keySet();
    }

    /**
     * The activity that a type registered here declares under this name or alias, with configuration applied. Registered are
     * types that are implemented here, injected into a workflow, or told of; others are not looked at, though {@link #activityType}
     * may have read them: what a name means must not hang on what was called before.
     */
    public Optional<ActivityMethod> activityMethod(String nameOrAlias) {
        return Optional.ofNullable(activityMethods.get(nameOrAlias));
    }

    /**
     * The declared activity type with configuration applied, implemented here or not.
     *
     * @throws dev.durable.RegistrationException when the class declares none, or a wrong one
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

    /** Collects what an engine is to know. Not thread-safe. */
    public static final class Builder {
        private final List<Object> registered = new ArrayList<>();
        private final Map<Class<?>, List<Object>> typed = new LinkedHashMap<>();
        private final List<Chosen> chosen = new ArrayList<>();
        private final List<Class<?>> calledByName = new ArrayList<>();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private OnExhausted jobsOnExhausted = OnExhausted.DEAD_LETTER;

        private Builder() {}

        /** Workflow classes and activity instances, sorted by their annotations. */
        public Builder register(Object... classesAndInstances) {
            for (Object one : classesAndInstances) {
                registered.add(
                        Objects.requireNonNull(one, "register(…) takes classes and instances, and one was null"));
            }
            return this;
        }

        /** An implementation of the named activity type. */
        public <A> Builder activity(Class<A> type, A implementation) {
            typed.computeIfAbsent(type, t -> new ArrayList<>())
                    .add(Objects.requireNonNull(implementation, () -> "the implementation of " + type.getName()));
            return this;
        }

        /** An implementation of these of the activity types that it is of. */
        public Builder activities(Set<Class<?>> types, Object implementation) {
            chosen.add(new Chosen(types, implementation));
            return this;
        }

        /** An activity type that workflows call by name, neither implemented nor injected here. */
        public Builder activityType(Class<?> type) {
            calledByName.add(type);
            return this;
        }

        /** Options from configuration; every key begins with {@code durable.activities.} */
        public Builder configuration(Map<String, String> configuration) {
            properties.putAll(configuration);
            return this;
        }

        /** What becomes of background jobs whose attempts are used up, where their activities do not say. */
        public Builder jobsOnExhausted(OnExhausted then) {
            jobsOnExhausted = then;
            return this;
        }

        /**
         * Reads and checks everything.
         *
         * @throws dev.durable.RegistrationException with all that is wrong
         */
        public Registry build() {
            return build(declarations -> List.of());
        }

        /**
         * Reads and checks everything.
         *
         * @param more finds what else is wrong, each with the way out
         * @throws dev.durable.RegistrationException with all that is wrong
         */
        public Registry build(Function<? super Declarations, ? extends Collection<String>> more) {
            Registration registration = new Registration();
            registered.forEach(registration::add);
            chosen.forEach(one -> registration.add(one.types(), one.implementation()));
            typed.forEach((type, all) -> all.forEach(one -> registration.add(type, one)));
            calledByName.forEach(registration::addActivityType);
            return registration.finish(properties, jobsOnExhausted, more);
        }
    }
}
