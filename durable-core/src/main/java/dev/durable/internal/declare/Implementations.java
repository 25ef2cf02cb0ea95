package dev.durable.internal.declare;

import dev.durable.Activity;
import dev.durable.internal.declare.object.GeneratedClasses;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problems;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The registered implementation of each activity type. Finds the types by the instance: its interfaces and
 * superclasses, also through proxies and mocks.
 */
final class Implementations {
    private final Map<Class<?>, Object> byType = new LinkedHashMap<>();
    private final Problems problems;

    Implementations(Problems problems) {
        this.problems = problems;
    }

    /** Binds the instance to every activity type that it implements. */
    void add(Object instance) {
        Set<Class<?>> types = typesOf(instance.getClass());
        if (types.isEmpty()) {
            problems.add(ActivityProblems.noActivityType(instance));
        }
        bind(types, instance);
    }

    void add(Class<?> type, Object instance) {
        if (!ActivityDeclaration.isDeclaredBy(type)) {
            problems.add(ActivityProblems.notAnActivityType(type));
        } else if (!type.isInstance(instance)) {
            problems.add(ActivityProblems.notAnInstance(type, instance));
        } else {
            bind(Set.of(type), instance);
        }
    }

    /**
     * Binds the instance to these of the activity types that it implements; other instances may implement its other
     * types.
     */
    void add(Set<Class<?>> chosen, Object instance) {
        Set<Class<?>> types = typesOf(instance.getClass());
        bindEach(chosen, instance);
        check(types, instance);
    }

    /** Returns the implementation of each type. */
    Map<Class<?>, Object> byType() {
        return byType;
    }

    private void bind(Set<Class<?>> types, Object instance) {
        bindEach(types, instance);
        check(types, instance);
    }

    @SuppressWarnings("ReferenceEquality") // the same object once more is no second implementation
    private void bindEach(Set<Class<?>> types, Object instance) {
        for (Class<?> type : types) {
            Object other = byType.putIfAbsent(type, instance);
            if (other != null && other != instance) {
                problems.add(ActivityProblems.implementedTwice(type, other, instance));
            }
        }
    }

    private void check(Set<Class<?>> types, Object instance) {
        for (Class<?> c : MethodTable.lineage(instance.getClass())) {
            if (!c.isInterface() && !types.contains(c) && !GeneratedClasses.isGenerated(c)) {
                types.stream()
                        .filter(type -> type.isAssignableFrom(c))
                        .findFirst()
                        .ifPresent(type -> check(c, types, type));
            }
        }
    }

    static Set<Class<?>> typesOf(Class<?> implementation) {
        Set<Class<?>> annotated = new LinkedHashSet<>();
        MethodTable.lineage(implementation).stream()
                .filter(type -> type.isInterface() || !GeneratedClasses.isGenerated(type))
                .filter(ActivityDeclaration::isDeclaredBy)
                .forEach(annotated::add);
        annotated.removeIf(type -> !type.isInterface() && hasAnnotatedInterface(type, annotated));
        return annotated;
    }

    /**
     * Returns whether the class implements an annotated interface: then its annotation is a second one on the
     * implementation and makes no type of its own.
     */
    private static boolean hasAnnotatedInterface(Class<?> type, Collection<Class<?>> annotated) {
        return annotated.stream().anyMatch(other -> other.isInterface() && other.isAssignableFrom(type));
    }

    /** Refuses options on an implementation, which workflows do not see. */
    private void check(Class<?> implementation, Collection<Class<?>> types, Class<?> anyType) {
        if (ActivityDeclaration.isDeclaredBy(implementation)) {
            problems.add(ActivityProblems.annotatedTwice(implementation, anyType));
        }
        Stream.of(implementation.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Activity.class) && !method.isSynthetic())
                .forEach(method -> problems.add(ActivityProblems.optionsOnImplementation(
                        method,
                        types.stream()
                                .filter(type -> has(type, method))
                                .findFirst()
                                .orElse(anyType))));
    }

    private static boolean has(Class<?> type, Method method) {
        return MethodTable.of(type).entries().stream()
                .anyMatch(entry -> entry.method().getName().equals(method.getName()));
    }
}
