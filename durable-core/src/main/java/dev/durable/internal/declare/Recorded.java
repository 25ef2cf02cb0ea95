package dev.durable.internal.declare;

import dev.durable.internal.declare.type.MethodSpec;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The one call that a lambda made.
 *
 * @param name the name of the signal, query or update, {@code run}, or the full name of the activity
 * @param declaredMethod the method as its {@link MethodSpec} has it
 * @param arguments as given
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
public record Recorded(
        String name, Method declaredMethod, @Nullable Object[] arguments) {}
