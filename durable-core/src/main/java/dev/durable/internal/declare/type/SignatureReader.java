package dev.durable.internal.declare.type;

import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads the signatures of a type's methods, generics resolved against that type. */
public final class SignatureReader {
    /**
     * Exception types that do not count as named: with them nearly every exception would have to come back as an
     * instance of its own class.
     */
    private static final Set<Class<?>> TOO_WIDE =
            Set.of(Throwable.class, Exception.class, RuntimeException.class, Error.class);

    private final Class<?> type;
    private final GenericTypes generics;
    private final Problems problems;

    public SignatureReader(Class<?> type, Problems problems) {
        this.type = type;
        this.generics = MethodTable.of(type).generics();
        this.problems = problems;
    }

    /** Reads a method and makes it callable; {@code alsoNamed} are the exceptions that options name. */
    public MethodSpec read(String name, Method method, List<Class<? extends Throwable>> alsoNamed) {
        makeAccessible(method);
        return new MethodSpec(name, method, parameters(method), result(method), named(method, alsoNamed));
    }

    /** Reads a handler of any name, whose parameters are a name and {@link dev.durable.EncodedValues}. */
    public MethodSpec readOfAnyName(String name, Method method) {
        return readUndeclared(name, method, MethodSpec.OF_ANY_NAME);
    }

    /** Reads the run method of any workflow type, whose parameter is {@link dev.durable.EncodedValues}. */
    public MethodSpec readOfAnyType(String name, Method method) {
        return readUndeclared(name, method, MethodSpec.OF_ANY_TYPE);
    }

    private MethodSpec readUndeclared(String name, Method method, List<Type> parameters) {
        makeAccessible(method);
        return new MethodSpec(name, method, parameters, result(method), named(method, List.of()));
    }

    /** Returns whether the method has the parameters of a run method of any workflow type. */
    public static boolean isOfAnyType(Method method) {
        return List.<Type>of(method.getParameterTypes()).equals(MethodSpec.OF_ANY_TYPE);
    }

    /** Returns whether the method has the parameters of a handler of any name. */
    public static boolean isOfAnyName(Method method) {
        return List.<Type>of(method.getParameterTypes()).equals(MethodSpec.OF_ANY_NAME);
    }

    private List<Type> parameters(Method method) {
        List<Type> types = new ArrayList<>();
        for (Parameter parameter : method.getParameters()) {
            Type resolved = generics.resolve(parameter.getParameterizedType());
            check(method, resolved, "parameter " + parameter.getName());
            types.add(resolved);
        }
        return types;
    }

    private Type result(Method method) {
        Type resolved = generics.resolve(method.getGenericReturnType());
        check(method, resolved, SignatureProblems.RESULT);
        return resolved;
    }

    private void check(Method method, Type resolved, String place) {
        GenericTypes.openVariable(resolved)
                .ifPresent(variable -> problems.add(SignatureProblems.openVariable(method, type, variable, place)));
        Unserialisable.reason(resolved)
                .ifPresent(reason -> problems.add(SignatureProblems.unserialisable(method, resolved, reason, place)));
    }

    private List<Class<? extends Throwable>> named(Method method, List<Class<? extends Throwable>> alsoNamed) {
        Set<Class<? extends Throwable>> named = new LinkedHashSet<>();
        for (Type thrown : method.getGenericExceptionTypes()) {
            named.add(GenericTypes.erase(generics.resolve(thrown)).asSubclass(Throwable.class));
        }
        named.addAll(alsoNamed);
        named.removeAll(TOO_WIDE);
        return List.copyOf(named);
    }

    private void makeAccessible(Method method) {
        try {
            method.setAccessible(true);
        } catch (InaccessibleObjectException closed) {
            problems.add(ShapeProblems.notAccessible(type, Problem.name(method)));
        }
    }
}
