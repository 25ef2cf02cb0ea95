package dev.durable.internal.declare;

import dev.durable.Workflow;
import dev.durable.internal.declare.Handlers.Handler;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problems;
import dev.durable.internal.declare.type.ShapeProblems;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Inspects a workflow class: the annotated type that it implements, and its constructor. */
final class WorkflowClass {
    private final Class<?> type;
    private final Problems problems;

    WorkflowClass(Class<?> type, Problems problems) {
        this.type = type;
        this.problems = problems;
    }

    /** Returns whether the class, one of its superclasses or one of its interfaces is annotated as a workflow. */
    static boolean isMeant(Class<?> type) {
        return MethodTable.lineage(type).stream().anyMatch(t -> t.isAnnotationPresent(Workflow.class));
    }

    /** Returns the annotated type: the class itself, or the one interface that it implements. */
    Optional<Class<?>> declared() {
        List<Class<?>> interfaces = annotatedInterfaces();
        if (type.isAnnotationPresent(Workflow.class)) {
            if (!type.isInterface() && !interfaces.isEmpty()) {
                problems.add(WorkflowProblems.annotatedTwice(type, interfaces.getFirst()));
                return Optional.of(interfaces.getFirst());
            }
            return Optional.of(type);
        }
        if (interfaces.size() == 1) {
            return Optional.of(interfaces.getFirst());
        }
        problems.add(
                interfaces.isEmpty()
                        ? WorkflowProblems.notAnnotated(type)
                        : WorkflowProblems.severalInterfaces(type, interfaces));
        return Optional.empty();
    }

    /** Returns the annotated interfaces; of two that extend each other, the more specific one. */
    private List<Class<?>> annotatedInterfaces() {
        List<Class<?>> all = MethodTable.lineage(type).stream()
                .filter(t -> t != type && t.isInterface() && t.isAnnotationPresent(Workflow.class))
                .toList();
        return all.stream()
                .filter(one -> all.stream().noneMatch(other -> other != one && one.isAssignableFrom(other)))
                .toList();
    }

    /** Returns the only constructor, made accessible; null when class or constructor have an error. */
    @Nullable
    Constructor<?> constructor(Class<?> declared) {
        if (type.isInterface()) {
            problems.add(WorkflowProblems.interfaceRegistered(type));
            return null;
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            problems.add(WorkflowProblems.abstractClass(type));
        }
        if (declared != type) {
            checkNoHandlers();
        }
        List<? extends Constructor<?>> constructors = Stream.of(type.getDeclaredConstructors())
                .filter(constructor -> !constructor.isSynthetic())
                .toList();
        if (constructors.size() != 1) {
            problems.add(WorkflowProblems.severalConstructors(type, constructors.size()));
            return null;
        }
        return checked(constructors.getFirst());
    }

    /** Refuses annotations on the class, as they belong on the interface, which is all that clients have. */
    private void checkNoHandlers() {
        for (Class<?> c : MethodTable.lineage(type)) {
            if (!c.isInterface()) {
                for (Handler handler : Handlers.declaredIn(c)) {
                    problems.add(WorkflowProblems.handlerOnImplementation(handler, type));
                }
            }
        }
    }

    private @Nullable Constructor<?> checked(Constructor<?> constructor) {
        if (needsOuterInstance(constructor)) {
            problems.add(WorkflowProblems.inner(type));
            return null;
        }
        for (Parameter parameter : constructor.getParameters()) {
            if (!ActivityDeclaration.isDeclaredBy(parameter.getType())) {
                problems.add(WorkflowProblems.noActivityParameter(type, parameter));
            }
        }
        try {
            constructor.setAccessible(true);
        } catch (InaccessibleObjectException closed) {
            problems.add(ShapeProblems.notAccessible(type, type.getTypeName() + "'s constructor"));
        }
        return constructor;
    }

    /**
     * Returns whether the constructor takes an enclosing instance, as that of an inner class, or captured variables, as
     * that of a local class.
     */
    private boolean needsOuterInstance(Constructor<?> constructor) {
        boolean inner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
        boolean local = type.isLocalClass() || type.isAnonymousClass();
        boolean hidden = Stream.of(constructor.getParameters()).anyMatch(p -> p.isSynthetic() || p.isImplicit());
        boolean outer =
                constructor.getParameterCount() > 0 && constructor.getParameterTypes()[0] == type.getEnclosingClass();
        return inner || local && (hidden || outer);
    }
}
