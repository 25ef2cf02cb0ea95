package dev.durable.internal.payload;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects the classes that a sealed type permits, for JSON type names. The JDK's classes are left out: String belongs
 * to a sealed family, too. Enums are left out as well: the compiler seals them where their constants have bodies, and
 * they name their values themselves.
 */
final class SealedFamily {
    private SealedFamily() {}

    /** Returns whether the type is sealed or is permitted by a sealed type. */
    static boolean isMember(Class<?> type) {
        return !Enum.class.isAssignableFrom(type) && hasSealedAncestor(type);
    }

    private static boolean hasSealedAncestor(@Nullable Class<?> type) {
        return type != null
                && !type.getName().startsWith("java.")
                && (type.isSealed()
                        || hasSealedAncestor(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(SealedFamily::hasSealedAncestor));
    }

    /** Returns the classes that a value of this type can have, as far as the type itself permits them. */
    static Set<Class<?>> members(Class<?> type) {
        Set<Class<?>> members = new LinkedHashSet<>();
        collect(type, members);
        return members;
    }

    private static void collect(Class<?> type, Set<Class<?>> members) {
        if (!Modifier.isAbstract(type.getModifiers()) || type.isEnum()) {
            members.add(type);
        }
        if (type.isSealed() && !type.isEnum()) {
            Stream.of(type.getPermittedSubclasses()).forEach(permitted -> collect(permitted, members));
        }
    }
}
