package dev.durable.internal.payload;

import dev.durable.DurableException;
import dev.durable.NonRetryableException;
import dev.durable.RemoteException;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The exception types that a signature names, of which a recorded failure may become an instance.
 *
 * <p>{@code throws Exception} covers too much to mean anything, so the four general types stand only for themselves. A
 * class is found by its name in data only if it is a named type or turns out to be a subclass of one; it is not even
 * initialised before that is known. Where this process does not have the subclass, which happens while a new version is
 * rolled out, an instance of the named superclass is made instead, so that {@code catch} goes on working.
 */
record NamedTypes(Collection<Class<? extends Throwable>> types) {
    private static final Set<Class<?>> GENERAL =
            Set.of(Throwable.class, Exception.class, RuntimeException.class, Error.class);

    /**
     * The library's own exceptions count as named in every signature: their state (attempt, timeout, status) must not
     * get lost. A subclass of {@link NonRetryableException} that this process does not have becomes that.
     */
    NamedTypes {
        types = Stream.<Class<? extends Throwable>>concat(
                        types.stream(), Stream.of(DurableException.class, NonRetryableException.class))
                .toList();
    }

    /** Returns the names of those types that mean something: {@code throws Exception} does not. */
    static Set<String> telling(Collection<Class<? extends Throwable>> named) {
        return named.stream()
                .filter(type -> !GENERAL.contains(type))
                .map(Class::getName)
                .collect(Collectors.toSet());
    }

    boolean names(Class<?> type) {
        return type != RemoteException.class && types.stream().anyMatch(named -> names(named, type));
    }

    /** Returns the superclasses of a thrown class that mean something, named or not, the nearest first. */
    static List<String> superclasses(Class<?> thrown) {
        return Stream.<Class<?>>iterate(thrown.getSuperclass(), Objects::nonNull, Class::getSuperclass)
                .takeWhile(type -> type != Object.class && !GENERAL.contains(type))
                .map(Class::getName)
                .toList();
    }

    private static boolean names(Class<?> named, Class<?> type) {
        return GENERAL.contains(named) ? named == type : named.isAssignableFrom(type);
    }

    /** Returns the class of the exception to make; null where the failure stays data. */
    @Nullable
    Class<? extends Throwable> find(Failure failure, ClassLoader loader) {
        Class<? extends Throwable> named = byName(failure.type());
        Payload fields = failure.fields();
        if (named != null || fields == null) {
            return named;
        }
        Class<? extends Throwable> subclass = load(failure.type(), loader);
        return subclass == null ? standIn(ExceptionFields.namesIn(fields)) : subclass;
    }

    private @Nullable Class<? extends Throwable> byName(String name) {
        for (Class<? extends Throwable> type : types) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        return null;
    }

    private @Nullable Class<? extends Throwable> load(String name, ClassLoader loader) {
        Class<?> found = NamedClass.find(name, loader, this::names);
        return found == null ? null : found.asSubclass(Throwable.class);
    }

    private @Nullable Class<? extends Throwable> standIn(List<String> names) {
        for (String name : names) {
            Class<? extends Throwable> named = byName(name);
            if (named != null && !Modifier.isAbstract(named.getModifiers())) {
                return named;
            }
        }
        return null;
    }
}
