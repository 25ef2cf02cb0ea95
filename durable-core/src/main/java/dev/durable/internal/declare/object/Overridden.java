package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.MethodTable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Type;

/**
 * A method of a user's class that its generated subclass overrides.
 *
 * @param name its name in the class file
 * @param descriptor its descriptor in the class file
 * @param method the method that the handler gets: the most specific one, where generics or narrower return types give
 *     one method several descriptors
 */
record Overridden(String name, String descriptor, Method method) {
    /** Returns all methods that can be overridden; final ones are left out. */
    static List<Overridden> of(Class<?> type) {
        Map<String, Overridden> found = new LinkedHashMap<>();
        for (MethodTable.Entry entry : MethodTable.of(type).entries()) {
            if (entry.declarations().stream().noneMatch(Overridden::isFinal)) {
                entry.declarations().forEach(declared -> add(declared, entry.method(), found));
            }
        }
        for (Method method : ofEveryObject(type)) {
            if (!isFinal(method)) {
                add(method, method, found);
            }
        }
        return List.copyOf(found.values());
    }

    /**
     * Returns whether this is the method that the garbage collector calls, for which an empty object has nothing to do.
     */
    boolean isFinalizer() {
        return name.equals("finalize") && descriptor.equals("()V");
    }

    private static void add(Method declared, Method method, Map<String, Overridden> found) {
        String descriptor = Type.getMethodDescriptor(declared);
        found.putIfAbsent(declared.getName() + descriptor, new Overridden(declared.getName(), descriptor, method));
    }

    private static boolean isFinal(Method method) {
        return Modifier.isFinal(method.getModifiers());
    }

    /** Returns the methods of {@code Object}, also as the class has overridden them. */
    private static List<Method> ofEveryObject(Class<?> type) {
        List<Method> methods = new ArrayList<>();
        for (Method method : Object.class.getDeclaredMethods()) {
            if (MethodTable.isOfObject(method)) {
                Method declared = mostSpecific(method, type);
                boolean protectedOne = Modifier.isProtected(method.getModifiers()); // clone and finalize
                if (!protectedOne || declared.getDeclaringClass() != Object.class) {
                    methods.add(declared);
                }
            }
        }
        return methods;
    }

    private static Method mostSpecific(Method ofObject, Class<?> type) {
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Method declared : c.getDeclaredMethods()) {
                if (declared.getName().equals(ofObject.getName())
                        && MethodTable.isOfObject(declared)
                        && !declared.isSynthetic()) {
                    return declared;
                }
            }
        }
        return ofObject;
    }
}
