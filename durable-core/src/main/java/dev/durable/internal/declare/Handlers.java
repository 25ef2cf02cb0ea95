package dev.durable.internal.declare;

import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.SignatureReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the methods of a type that are annotated as run method, signal, query or update; {@link WorkflowReader} judges them.
 * An override need not repeat the annotation.
 */
final class Handlers {
    private static final String RUN_NAME = "run";

    private Handlers() {}

    /** Returns all handlers of a type. A method with two annotations gives two. */
    static List<Handler> of(Class<?> type) {
        List<Handler> found = new ArrayList<>();
        for (MethodTable.Entry entry : MethodTable.of(type).entries()) {
            addTo(found, entry);
        }
        return found;
    }

    /**
     * Returns the handlers that no caller can reach from outside, since they are static, private, or of another
     * package.
     */
    static List<Handler> unreachableOf(Class<?> type) {
        List<Handler> found = new ArrayList<>();
        for (Method method : MethodTable.of(type).unreachable()) {
            addTo(found, new MethodTable.Entry(method, List.of(method)));
        }
        return found;
    }

    /** Returns the handlers that one class declares itself; inherited ones are left out. */
    static List<Handler> declaredIn(Class<?> type) {
        List<Handler> found = new ArrayList<>();
        for (Method method : type.getDeclaredMethods()) {
            if (!method.isSynthetic()) {
                addTo(found, new MethodTable.Entry(method, List.of(method)));
            }
        }
        return found;
    }

    private static void addTo(List<Handler> found, MethodTable.Entry entry) {
        if (entry.annotation(Run.class) != null) {
            found.add(new Handler(CallKind.RUN, RUN_NAME, entry, SignatureReader.isOfAnyType(entry.method())));
        }
        Signal signal = entry.annotation(Signal.class);
        if (signal != null) {
            found.add(new Handler(CallKind.SIGNAL, nameOf(signal.name(), entry), entry, signal.any()));
        }
        Query query = entry.annotation(Query.class);
        if (query != null) {
            found.add(new Handler(CallKind.QUERY, nameOf(query.name(), entry), entry, query.any()));
        }
        Update update = entry.annotation(Update.class);
        if (update != null) {
            found.add(new Handler(CallKind.UPDATE, nameOf(update.name(), entry), entry, update.any()));
        }
    }

    /** Returns the methods of a type that judge its updates. */
    static List<Validator> validatorsOf(Class<?> type) {
        List<Validator> found = new ArrayList<>();
        for (MethodTable.Entry entry : MethodTable.of(type).entries()) {
            Update.Validator validator = entry.annotation(Update.Validator.class);
            if (validator != null) {
                found.add(new Validator(validator.value(), entry.method()));
            }
        }
        return found;
    }

    /**
     * A method that judges an update.
     *
     * @param update the update's name
     */
    record Validator(String update, Method method) {}

    private static String nameOf(String given, MethodTable.Entry entry) {
        return given.isEmpty() ? entry.method().getName() : given;
    }

    /**
     * An annotated method.
     *
     * @param kind its kind
     * @param name the name of the signal, query or update; {@code run}
     * @param entry the method
     * @param any whether it handles all messages of its kind whose name no other handler has; of a run method, whether
     *     it runs workflows of any type
     */
    record Handler(CallKind kind, String name, MethodTable.Entry entry, boolean any) {
        Method method() {
            return entry.method();
        }

        /** Returns whether no annotation names it, so that it has its method's name. */
        boolean isUnnamed() {
            Signal signal = entry.annotation(Signal.class);
            Query query = entry.annotation(Query.class);
            Update update = entry.annotation(Update.class);
            return switch (kind) {
                case SIGNAL -> signal != null && signal.name().isEmpty();
                case QUERY -> query != null && query.name().isEmpty();
                case UPDATE -> update != null && update.name().isEmpty();
                case RUN, ACTIVITY -> false;
            };
        }
    }
}
