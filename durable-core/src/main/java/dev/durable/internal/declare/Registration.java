package dev.durable.internal.declare;

import dev.durable.OnExhausted;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problems;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything that was registered with an engine, merges the configuration, checks names and signatures, and
 * refuses all errors at once.
 */
final class Registration {
    private final Problems problems = new Problems();
    private final Implementations implementations = new Implementations(problems);
    private final Set<Class<?>> workflowClasses = new LinkedHashSet<>();
    private final Map<Class<?>, Object> standIns = new LinkedHashMap<>();
    private final Set<Class<?>> injected = new LinkedHashSet<>();
    private final List<MethodSpec> signatures = new ArrayList<>();

    /** Adds a workflow class or an activity instance. */
    void add(Object classOrInstance) {
        if (classOrInstance instanceof Class<?> type) {
            addClass(type);
        } else if (WorkflowClass.isMeant(classOrInstance.getClass())) {
            problems.add(WorkflowProblems.instanceInsteadOfClass(classOrInstance.getClass()));
        } else {
            implementations.add(classOrInstance);
        }
    }

    /** Adds an instance for that type. */
    void add(Class<?> activityType, Object instance) {
        implementations.add(activityType, instance);
    }

    /** Adds an instance for these of the activity types that it implements. */
    void add(Set<Class<?>> activityTypes, Object instance) {
        implementations.add(activityTypes, instance);
    }

    /** Adds an activity type that is called by name only; it is known as if it were injected. */
    void addActivityType(Class<?> type) {
        if (ActivityDeclaration.isDeclaredBy(type)) {
            injected.add(type);
        } else {
            problems.add(ActivityProblems.notAnActivityType(type));
        }
    }

    private void addClass(Class<?> type) {
        if (!WorkflowClass.isMeant(type)
                && MethodTable.lineage(type).stream().anyMatch(ActivityDeclaration::isDeclaredBy)) {
            problems.add(ActivityProblems.classInsteadOfInstance(type));
        } else {
            workflowClasses.add(type);
        }
    }

    /** Adds an object that runs in the place of all runs of a workflow type, and of a class that is registered for it. */
    void addStandIn(Class<?> type, Object instance) {
        standIns.put(type, instance);
    }

    /** Returns the registry, if no declaration is wrong. */
    Registry finish(
            Map<String, String> properties,
            OnExhausted jobsOnExhausted,
            Function<? super Declarations, ? extends Collection<String>> more) {
        List<Draft> drafts = drafts();
        Map<Class<?>, ActivityDeclaration> declarations = declarations();
        Configuration configuration = Configuration.read(properties, declarations.values(), problems);
        Map<Class<?>, ActivityType> types = new LinkedHashMap<>();
        declarations.forEach(
                (type, declaration) -> types.put(type, declaration.resolve(configuration, jobsOnExhausted, problems)));
        Map<String, ActivityBinding> activities = bindings(types.values());
        WorkflowType ofAnyType = ofAnyType(drafts, types);
        Map<String, WorkflowType> workflows = byName(drafts, types);
        List<ActivityMethod> implemented =
                activities.values().stream().map(ActivityBinding::activity).toList();
        more.apply(new Declarations(signatures, implemented)).forEach(problems::add);
        problems.throwIfAny();
        return new Registry(workflows, ofAnyType, activities, types, jobsOnExhausted);
    }

    private List<Draft> drafts() {
        List<Draft> drafts = new ArrayList<>();
        for (Class<?> type : workflowClasses) {
            WorkflowClass workflow = new WorkflowClass(type, problems);
            workflow.declared()
                    .filter(declared -> !isStoodInFor(type, declared))
                    .ifPresent(declared -> {
                        Constructor<?> constructor = workflow.constructor(declared);
                        Optional<WorkflowType> read = read(declared);
                        Stream.of(type.getDeclaredConstructors())
                                .flatMap(Draft::activityTypes)
                                .forEach(injected::add);
                        if (constructor != null) {
                            read.ifPresent(r -> drafts.add(new Draft(r, type, constructor, null)));
                        }
                    });
        }
        standIns.forEach((type, instance) -> new WorkflowClass(type, problems)
                .declared()
                .flatMap(this::read)
                .ifPresent(read -> drafts.add(new Draft(read, type, null, instance))));
        return drafts;
    }

    private boolean isStoodInFor(Class<?> type, Class<?> declared) {
        return standIns.containsKey(type) || standIns.containsKey(declared);
    }

    /** Reads a declaration, and keeps its signatures for the check of all. */
    private Optional<WorkflowType> read(Class<?> declared) {
        Optional<WorkflowType> read = WorkflowReader.read(declared, problems);
        read.ifPresent(r -> {
            MethodSpec run = r.methods().run();
            signatures.add(r.isOfAnyType() ? run.withoutParameters() : run);
            signatures.addAll(r.methods().signals().values());
            signatures.addAll(r.methods().queries().values());
            MethodSpec query = r.methods().ofAnyName().query();
            if (query != null) {
                signatures.add(query.withoutParameters());
            }
            signatures.addAll(r.methods().updates().values());
            MethodSpec update = r.methods().ofAnyName().update();
            if (update != null) {
                signatures.add(update.withoutParameters());
            }
        });
        return read;
    }

    /** Returns the declarations of all types that are implemented, injected or called by name here. */
    private Map<Class<?>, ActivityDeclaration> declarations() {
        Map<Class<?>, ActivityDeclaration> read = new LinkedHashMap<>();
        Map<String, Class<?>> byName = new HashMap<>();
        Set<Class<?>> types = new LinkedHashSet<>(implementations.byType().keySet());
        types.addAll(injected);
        for (Class<?> type : types) {
            ActivityDeclaration declaration = ActivityReader.read(type, problems);
            Class<?> other = byName.putIfAbsent(declaration.name(), type);
            if (other != null) {
                problems.add(NameProblems.activityTypeTwice(type, other, declaration.name()));
            }
            read.put(type, declaration);
            declaration.activities().forEach(activity -> signatures.add(activity.spec()));
        }
        return read;
    }

    private Map<String, ActivityBinding> bindings(Collection<ActivityType> types) {
        Map<String, Known> known = new HashMap<>();
        Map<String, ActivityBinding> bindings = new LinkedHashMap<>();
        for (ActivityType type : types) {
            Object implementation = implementations.byType().get(type.type());
            for (ActivityMethod method : type.methods()) {
                for (String name : method.names()) {
                    Known one = new Known(type, method);
                    Known other = known.putIfAbsent(name, one);
                    if (other != null && !one.isReportedWith(other)) {
                        problems.add(NameProblems.activityTwice(name, method.spec(), other.method.spec()));
                    }
                    if (implementation != null) {
                        bindings.put(name, new ActivityBinding(method, implementation));
                    }
                }
            }
        }
        return bindings;
    }

    private @Nullable WorkflowType ofAnyType(List<Draft> drafts, Map<Class<?>, ActivityType> types) {
        List<Draft> all =
                drafts.stream().filter(draft -> draft.read().isOfAnyType()).toList();
        all.stream()
                .skip(1)
                .forEach(other -> problems.add(WorkflowProblems.severalOfAnyType(
                        other.implementation(), all.getFirst().implementation())));
        return all.isEmpty() ? null : all.getFirst().finish(types);
    }

    private Map<String, WorkflowType> byName(List<Draft> drafts, Map<Class<?>, ActivityType> types) {
        Map<String, WorkflowType> byName = new LinkedHashMap<>();
        for (Draft draft : drafts) {
            WorkflowType workflow = draft.finish(types);
            if (workflow.isOfAnyType()) {
                continue;
            }
            for (String name : workflow.names()) {
                WorkflowType other = byName.putIfAbsent(name, workflow);
                if (other != null && !other.equals(workflow)) {
                    problems.add(NameProblems.workflowTwice(name, workflow, other));
                }
            }
        }
        return byName;
    }

    private record Known(ActivityType type, ActivityMethod method) {

        /** Returns whether the clash is reported already, as an overload or as two types of one name. */
        boolean isReportedWith(Known other) {
            return type.name().equals(other.type.name()) && method.name().equals(other.method.name());
        }
    }

    /** A workflow that is read and waits for its activity types to be configured. */
    private record Draft(
            WorkflowType read,
            Class<?> implementation,
            @Nullable Constructor<?> constructor,
            @Nullable Object standIn) {

        static Stream<Class<?>> activityTypes(Constructor<?> constructor) {
            return Stream.<Class<?>>of(constructor.getParameterTypes()).filter(ActivityDeclaration::isDeclaredBy);
        }

        WorkflowType finish(Map<Class<?>, ActivityType> types) {
            List<ActivityType> dependencies = constructor == null
                    ? List.of()
                    : activityTypes(constructor).map(types::get).toList();
            return new WorkflowType(
                    read.name(),
                    read.aliases(),
                    read.taskQueue(),
                    read.declared(),
                    implementation,
                    new WorkflowType.Making(constructor, dependencies, standIn),
                    read.stallOn(),
                    read.retry(),
                    read.versioning(),
                    read.methods());
        }
    }
}
