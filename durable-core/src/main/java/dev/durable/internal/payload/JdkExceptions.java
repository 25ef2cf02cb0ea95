package dev.durable.internal.payload;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of exceptions of the JDK, whose fields are closed: read by public getters, and passed to a public
 * constructor. Subclasses keep that state, too: an instance of them is made by running this constructor only. Types are
 * known by their names, since the core uses no {@code java.sql}.
 */
final class JdkExceptions {
    private static final String MESSAGE = "message";
    private static final String CAUSE = "cause";

    /** For each type the parameters of the constructor: message, cause, or a getter. */
    private static final Map<String, List<String>> PARAMETERS = Map.ofEntries(
            Map.entry("java.sql.SQLException", List.of(MESSAGE, "getSQLState", "getErrorCode", CAUSE)),
            Map.entry(
                    "java.sql.BatchUpdateException",
                    List.of(MESSAGE, "getSQLState", "getErrorCode", "getLargeUpdateCounts", CAUSE)),
            Map.entry(
                    "java.sql.DataTruncation",
                    List.of("getIndex", "getParameter", "getRead", "getDataSize", "getTransferSize", CAUSE)),
            Map.entry("java.nio.file.FileSystemException", List.of("getFile", "getOtherFile", "getReason")),
            Map.entry("java.nio.file.InvalidPathException", List.of("getInput", "getReason", "getIndex")),
            Map.entry("java.nio.charset.MalformedInputException", List.of("getInputLength")),
            Map.entry("java.nio.charset.UnmappableCharacterException", List.of("getInputLength")),
            Map.entry("java.net.URISyntaxException", List.of("getInput", "getReason", "getIndex")),
            Map.entry("java.text.ParseException", List.of(MESSAGE, "getErrorOffset")),
            Map.entry(
                    "java.time.format.DateTimeParseException",
                    List.of(MESSAGE, "getParsedString", "getErrorIndex", CAUSE)),
            Map.entry("java.util.MissingResourceException", List.of(MESSAGE, "getClassName", "getKey")),
            Map.entry("java.util.regex.PatternSyntaxException", List.of("getDescription", "getPattern", "getIndex")),
            Map.entry("java.lang.TypeNotPresentException", List.of("typeName", CAUSE)));

    /** The state of each class of exceptions, found once. */
    private static final ClassValue<JdkExceptions> KNOWN = new ClassValue<>() {
        @Override
        protected JdkExceptions computeValue(Class<?> type) {
            return new JdkExceptions(type);
        }
    };

    private final Class<?> type;
    private final List<String> parameters;
    /** The type in the table; null where no superclass of the exception has more state than any exception. */
    private final @Nullable Class<?> known;

    private final Map<String, Method> getters = new LinkedHashMap<>();
    private final List<String> closed = new ArrayList<>();

    private JdkExceptions(Class<?> type) {
        this.type = type;
        Class<?> next = type;
        while (next != Throwable.class && !PARAMETERS.containsKey(next.getName())) {
            addClosed(next);
            next = next.getSuperclass();
        }
        this.known = next == Throwable.class ? null : next;
        this.parameters = PARAMETERS.getOrDefault(next.getName(), List.of());
        for (String parameter : parameters) {
            if (!parameter.equals(MESSAGE) && !parameter.equals(CAUSE)) {
                getters.put(key(next, parameter), getter(next, parameter));
            }
        }
    }

    static JdkExceptions of(Class<?> type) {
        return KNOWN.get(type);
    }

    private void addClosed(Class<?> declaring) {
        if (declaring.getName().startsWith("java.")) {
            Stream.of(declaring.getDeclaredFields())
                    .filter(field -> !Modifier.isStatic(field.getModifiers()) && !isTransient(field))
                    .forEach(field -> closed.add(declaring.getSimpleName() + "." + field.getName()));
        }
    }

    private static boolean isTransient(Field field) {
        return Modifier.isTransient(field.getModifiers());
    }

    private static Method getter(Class<?> type, String name) {
        try {
            return type.getMethod(name);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("this Java runtime lacks " + type.getName() + "." + name, e);
        }
    }

    /** Returns the key of a state, with its class, as for a hidden field: {@code SQLException.SQLState}. */
    private static String key(Class<?> declaring, String getter) {
        return declaring.getSimpleName() + "." + (getter.startsWith("get") ? getter.substring(3) : getter);
    }

    /** Returns the getters by the names of their values. */
    Map<String, Method> getters() {
        return getters;
    }

    /** Returns the fields of the JDK's classes that no getter reads. */
    List<String> closed() {
        return closed;
    }

    /**
     * Creates the exception with that state.
     *
     * @param state by the names of {@link #getters}; where one of them is missing, as in a failure of an older release,
     *     the exception has none
     */
    Throwable create(@Nullable String message, @Nullable Throwable cause, Map<String, @Nullable Object> state)
            throws ReflectiveOperationException {
        Class<? extends Throwable> made = type.asSubclass(Throwable.class);
        if (known == null || !state.keySet().containsAll(getters.keySet())) {
            return made.cast(ThrowableConstructors.of(made).newInstance(message, cause));
        }
        Class<?>[] types = new Class<?>[parameters.size()];
        @Nullable Object[] arguments = new @Nullable Object[types.length];
        for (int i = 0; i < types.length; i++) {
            String parameter = parameters.get(i);
            String key = key(known, parameter);
            Method getter = getters.get(key);
            if (getter != null) {
                types[i] = taken(getter);
                arguments[i] = state.get(key);
            } else {
                types[i] = parameter.equals(CAUSE) ? Throwable.class : String.class;
                arguments[i] = parameter.equals(CAUSE) ? cause : message;
            }
        }
        Constructor<?> constructor = ThrowableConstructors.of(made, known.getConstructor(types));
        Throwable exception = made.cast(constructor.newInstance(arguments));
        if (cause != null && !parameters.contains(CAUSE)) {
            exception.initCause(cause);
        }
        return exception;
    }

    /** Returns the type that the constructor takes; one getter returns another type. */
    private static Class<?> taken(Method getter) {
        return getter.getName().equals("getParsedString") ? CharSequence.class : getter.getReturnType();
    }

    /** Calls a getter. */
    static @Nullable Object get(Method getter, Throwable thrown) throws ReflectiveOperationException {
        try {
            return getter.invoke(thrown);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException own) {
                throw own;
            }
            throw e;
        }
    }
}
