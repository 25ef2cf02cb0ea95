package dev.durable.internal.declare.type;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a type as its callers see them: inherited ones count, bridges do not, and an overridden method and the
 * one that overrides it are one entry, generics resolved. {@code Base<T>.save(T)} and {@code Orders.save(Order)} are
 * one entry of {@code Orders extends Base<Order>}.
 */
public final class MethodTable {
    /**
     * One table per class, unloaded with it: a map from outside would keep the class loaders of restarted applications.
     */
    private static final ClassValue<MethodTable> TABLES = new ClassValue<>() {
        @Override
        protected MethodTable computeValue(Class<?> type) {
            return new MethodTable(type);
        }
    };

    private final Class<?> type;
    private final GenericTypes generics;
    private final Map<Signature, Entry> entries = new LinkedHashMap<>();
    private final List<Method> unreachable = new ArrayList<>();

    private MethodTable(Class<?> type) {
        this.type = type;
        this.generics = new GenericTypes(type);
        for (Class<?> declaring : lineage(type)) {
            Stream.of(declaring.getDeclaredMethods())
                    .filter(method -> !method.isSynthetic())
                    .sorted(Comparator.comparing(Method::toString))
                    .forEach(this::add);
        }
    }

    public static MethodTable of(Class<?> type) {
        return TABLES.get(type);
    }

    /** Returns the resolved variables of the type. */
    GenericTypes generics() {
        return generics;
    }

    /** Returns all methods that a subclass could override, without those of {@code Object}. */
    public List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /**
     * Returns the static and private methods, and package-private ones of another package, which no subclass can
     * override.
     */
    public List<Method> unreachable() {
        return unreachable;
    }

    /** Returns the entry that the method belongs to, also when a supertype declares it. */
    public Optional<Entry> find(Method method) {
        return Optional.ofNullable(entries.get(signature(method)));
    }

    /** Returns whether this is one of the methods that every object has. */
    public static boolean isOfObject(Method method) {
        return switch (method.getName()) {
            case "toString", "hashCode", "finalize", "clone" -> method.getParameterCount() == 0;
            case "equals" -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Object.class});
            default -> false;
        };
    }

    private void add(Method method) {
        if (!isReachable(method)) {
            unreachable.add(method);
        } else if (!isOfObject(method)) {
            entries.merge(signature(method), new Entry(method, List.of(method)), Entry::merge);
        }
    }

    private boolean isReachable(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
            return false;
        }
        boolean packagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
        return !packagePrivate || Objects.equals(method.getDeclaringClass().getPackage(), type.getPackage());
    }

    private Signature signature(Method method) {
        Stream<Type> parameters = Stream.of(method.getGenericParameterTypes()).map(generics::resolve);
        return new Signature(
                method.getName(), parameters.<Class<?>>map(GenericTypes::erase).toList());
    }

    /** Returns the type, its superclasses without {@code Object}, then all interfaces. */
    public static Set<Class<?>> lineage(Class<?> type) {
        Set<Class<?>> found = new LinkedHashSet<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            found.add(c);
        }
        for (Class<?> c : List.copyOf(found)) {
            addInterfaces(c, found);
        }
        return found;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> found) {
        for (Class<?> parent : type.getInterfaces()) {
            found.add(parent);
            addInterfaces(parent, found);
        }
    }

    private record Signature(String name, List<Class<?>> parameters) {}

    /**
     * One method with all its declarations.
     *
     * @param method the most specific declaration
     * @param declarations that declaration, then those it overrides
     */
    public record Entry(Method method, List<Method> declarations) {

        /** Returns the annotation on the most specific declaration that has one. */
        public <A extends Annotation> @Nullable A annotation(Class<A> annotation) {
            return declarations.stream()
                    .map(method -> method.getAnnotation(annotation))
                    .filter(a -> a != null)
                    .findFirst()
                    .orElse(null);
        }

        /** Merges two entries: a class's method goes before an interface's, and a subtype's before its supertype's. */
        private Entry merge(Entry later) {
            Class<?> mine = method.getDeclaringClass();
            boolean overrides = mine.isInterface()
                    && mine != later.method.getDeclaringClass()
                    && mine.isAssignableFrom(later.method.getDeclaringClass());
            Entry first = overrides ? later : this;
            Entry second = overrides ? this : later;
            return new Entry(
                    first.method,
                    Stream.concat(first.declarations.stream(), second.declarations.stream())
                            .toList());
        }
    }
}
