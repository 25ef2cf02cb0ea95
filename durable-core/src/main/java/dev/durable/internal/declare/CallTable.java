package dev.durable.internal.declare;

import dev.durable.Workflow;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.Problems;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a type that a recorded lambda may call, by the method objects that an empty object of the type sees.
 */
final class CallTable {
    private static final ClassValue<CallTable> TABLES = new ClassValue<>() {
        @Override
        protected CallTable computeValue(Class<?> type) {
            return new CallTable(type);
        }
    };

    private final Class<?> type;
    private final Map<Method, Callee> callees = new HashMap<>();

    private CallTable(Class<?> type) {
        this.type = type;
        if (ActivityDeclaration.isDeclaredBy(type)) {
            ActivityReader.read(type, new Problems())
                    .activities()
                    .forEach(a ->
                            add(new Callee(CallKind.ACTIVITY, a.name(), a.spec().method(), false)));
        } else {
            Handlers.of(declared(type)).forEach(h -> add(new Callee(h.kind(), h.name(), h.method(), h.any())));
        }
    }

    static CallTable of(Class<?> type) {
        return TABLES.get(type);
    }

    Class<?> type() {
        return type;
    }

    /** Returns the kind and name of a method; null where it can't be called from outside. */
    @Nullable
    Callee find(Method method) {
        return callees.get(method);
    }

    /** Returns the methods of one kind as error texts show them. */
    List<String> ofKind(CallKind kind) {
        return callees.values().stream()
                .filter(callee -> callee.kind() == kind && !callee.any())
                .map(callee -> Problem.shortName(callee.method()))
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Returns the annotated type: clients may name the class where the interface is annotated. Registration decides
     * whether that is right.
     */
    private static Class<?> declared(Class<?> type) {
        return type.isAnnotationPresent(Workflow.class)
                ? type
                : new WorkflowClass(type, new Problems()).declared().orElse(type);
    }

    private void add(Callee callee) {
        MethodTable.of(type)
                .find(callee.method())
                .ifPresent(entry -> entry.declarations().forEach(method -> callees.putIfAbsent(method, callee)));
    }

    /**
     * A method that can be called.
     *
     * @param kind its kind
     * @param name the name of the signal, query or update, {@code run}, or the full name of the activity
     * @param method the method as its {@link MethodSpec} has it
     * @param any whether it handles messages of any name, or runs workflows of any type, so that no call of it says which
     */
    record Callee(CallKind kind, String name, Method method, boolean any) {}
}
