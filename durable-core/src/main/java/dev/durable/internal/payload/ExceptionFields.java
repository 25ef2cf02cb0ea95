package dev.durable.internal.payload;

import dev.durable.PayloadException;
import dev.durable.history.Payload;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the fields that an exception's class and superclasses declare themselves, up to the JDK's, without
 * {@code transient} ones, and of the JDK's classes the state that {@link JdkExceptions} knows. The JSON has a property
 * for each field; one that can't be written is left out, and {@code "@lost"} says why; {@code "@is"} lists the
 * superclasses, without the general ones, of each exception that has such, also where its fields are not written.
 */
final class ExceptionFields {
    private static final String LOST = "@lost";
    private static final String IS = "@is";

    private static final ClassValue<Map<String, Field>> FIELDS = new ClassValue<>() {
        @Override
        protected Map<String, Field> computeValue(Class<?> type) {
            return find(type);
        }
    };

    private final PayloadCodec payloads;
    private final ErrorText text;

    ExceptionFields(PayloadCodec payloads, ErrorText text) {
        this.payloads = payloads;
        this.text = text;
    }

    /** Finds the fields; one that is hidden by a field of the same name in a subclass has its class in its key, too. */
    private static Map<String, Field> find(Class<?> exception) {
        Map<String, Field> fields = new LinkedHashMap<>();
        for (Class<?> type = exception;
                type != null && !type.getName().startsWith("java.");
                type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())
                        && !Modifier.isTransient(field.getModifiers())
                        && !field.isSynthetic()) {
                    boolean hidden = fields.containsKey(field.getName());
                    fields.put(hidden ? type.getSimpleName() + "." + field.getName() : field.getName(), field);
                }
            }
        }
        return fields;
    }

    /** Returns what is written of an exception whose fields are not; null where that is nothing. */
    static @Nullable Payload none(List<String> superclasses) {
        return superclasses.isEmpty() ? null : object(Map.of(IS, names(superclasses)));
    }

    private static Payload names(List<String> superclasses) {
        return new Payload(JsonObjectWriter.quote(String.join(",", superclasses)));
    }

    Payload write(Throwable thrown, List<String> superclasses) {
        Map<String, Payload> properties = new LinkedHashMap<>();
        Map<String, Payload> lost = new LinkedHashMap<>();
        FIELDS.get(thrown.getClass()).forEach((name, field) -> {
            try {
                properties.put(name, value(thrown, field, room(properties)));
            } catch (Throwable e) {
                lost.put(name, text(reason(e)));
            }
        });
        JdkExceptions jdk = JdkExceptions.of(thrown.getClass());
        jdk.getters().forEach((name, getter) -> {
            try {
                properties.put(name, value(JdkExceptions.get(getter, thrown), getter, room(properties)));
            } catch (ReflectiveOperationException | RuntimeException | StackOverflowError e) {
                lost.put(name, text(reason(e)));
            }
        });
        jdk.closed().forEach(name -> lost.put(name, text("a closed field of the JDK")));
        if (!lost.isEmpty()) {
            properties.put(LOST, object(lost));
        }
        if (!superclasses.isEmpty()) {
            properties.put(IS, names(superclasses));
        }
        return object(properties);
    }

    private Payload value(Throwable thrown, Field field, long room) throws ReflectiveOperationException {
        field.setAccessible(true);
        return value(field.get(thrown), field.getGenericType(), "field " + field.getName(), room);
    }

    /**
     * Returns the value of a field or getter; the texts of the JDK's exceptions are parts of their messages, and masked
     * as these are.
     */
    private Payload value(@Nullable Object given, Method getter, long room) {
        Object value = given instanceof String message ? text.message(message) : given;
        return value(value, getter.getReturnType(), getter.getName(), room);
    }

    private Payload value(@Nullable Object given, Type type, String what, long room) {
        Payload value = payloads.encode(given, type, what);
        if (value.bytes() > room) {
            throw new PayloadException(what + " is larger than what the other fields leave of the limit");
        }
        return value;
    }

    private long room(Map<String, Payload> properties) {
        return payloads.maxBytes()
                - properties.values().stream().mapToLong(Payload::bytes).sum();
    }

    /** Creates the exception, with the JDK's state as far as it was written. */
    Throwable create(
            Class<? extends Throwable> type,
            @Nullable String message,
            @Nullable Throwable cause,
            @Nullable Payload written)
            throws ReflectiveOperationException {
        JdkExceptions jdk = JdkExceptions.of(type);
        Map<String, @Nullable Object> state = new HashMap<>();
        if (written != null && !jdk.getters().isEmpty()) {
            written.properties().forEach((name, value) -> {
                Method getter = jdk.getters().get(name);
                if (getter != null) {
                    state.put(name, payloads.decode(value, getter.getReturnType(), name));
                }
            });
        }
        return jdk.create(message, cause, state);
    }

    /** Sets the fields; returns the names of those that could not be set, and why. */
    List<String> restore(Throwable exception, Payload written) {
        List<String> lost = new ArrayList<>();
        Map<String, Field> fields = FIELDS.get(exception.getClass());
        written.properties().forEach((name, value) -> {
            Field field = fields.get(name);
            if (field != null) {
                set(exception, field, value, lost);
            }
        });
        lostIn(written).forEach((name, reason) -> lost.add(name + " (" + reason + ")"));
        return lost;
    }

    private void set(Throwable exception, Field field, Payload value, List<String> lost) {
        try {
            field.setAccessible(true);
            String what = "field " + field.getName();
            payloads.check(field.getGenericType(), what); // what would not be written is not read from a row either
            field.set(exception, payloads.decode(value, field.getGenericType(), what));
        } catch (Throwable e) {
            lost.add(field.getName() + " (" + reason(e) + ")");
        }
    }

    private Map<String, String> lostIn(Payload written) {
        Map<String, String> lost = new LinkedHashMap<>();
        Payload said = written.properties().get(LOST);
        if (said != null) {
            said.properties()
                    .forEach((name, reason) ->
                            lost.put(name, String.valueOf(payloads.decode(reason, String.class, LOST))));
        }
        return lost;
    }

    /**
     * Returns the superclasses that the exception had when it was written; none where a row has no object for its fields.
     * An older release has written those only that the signature names.
     */
    static List<String> namesIn(Payload written) {
        String names = JsonObjectReader.ofAny(written.json()).stringIfAny(IS);
        return names == null ? List.of() : List.of(names.split(","));
    }

    private Payload text(@Nullable String text) {
        return payloads.encode(text, String.class, LOST);
    }

    private static String reason(Throwable e) {
        Thrown thrown = Thrown.of(e);
        String message = thrown.message();
        return message == null ? thrown.text() : message;
    }

    private static Payload object(Map<String, Payload> properties) {
        return new Payload(
                JsonObjectWriter.object(out -> properties.forEach((name, value) -> out.json(name, value.json()))));
    }
}
