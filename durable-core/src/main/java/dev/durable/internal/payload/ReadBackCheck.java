package dev.durable.internal.payload;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Determines, before a value is written, the class as which it would be read back, where only a general type is
 * declared.
 */
interface ReadBackCheck {
    /** The types that JSON distinguishes by itself. */
    Set<Class<?>> PLAIN = Set.of(String.class, Boolean.class, Integer.class, Long.class, Double.class);

    /** Returns the text for what the value would come back as; null where it comes back equal. */
    @Nullable
    String instead(Object value);

    /** Returns the way out for a value that would come back as another one. */
    default String wayOut() {
        return "Declare the class that is meant, or let the declared type name its subclasses: sealed, or annotated with @JsonTypeInfo(use = NAME) and @JsonSubTypes.";
    }

    /**
     * Creates the check from the reader that Jackson has for this type.
     *
     * @param recorded whether older releases may have written the value, which accepted a Long that fits into an
     *     Integer, and the types of {@link RicherThanJson}
     */
    static ReadBackCheck of(JavaType declared, JsonMapper mapper, boolean recorded) {
        RicherThanJson richer = recorded ? null : RicherThanJson.of(declared, mapper);
        if (richer != null) {
            return richer;
        }
        if (declared.isMapLikeType()) {
            return ReadBackCheck::insteadOfKeys;
        }
        ValueDeserializer<?> reader = mapper._deserializationContext().findRootValueDeserializer(declared);
        if (reader instanceof AbstractDeserializer) {
            return value -> "nothing: " + declared.toCanonical()
                    + " is abstract, and nothing in the data says which class to make";
        }
        if (reader.handledType() == Object.class) {
            return value -> insteadOfPlain(value, recorded);
        }
        if (declared.hasRawClass(Number.class)) {
            return value ->
                    PLAIN.contains(value.getClass()) ? insteadOfPlain(value, recorded) : "an Integer, Long or Double";
        }
        return reader instanceof BeanDeserializerBase bean && !(reader instanceof BuilderBasedDeserializer)
                ? made(bean.getValueType().getRawClass())
                : anythingGoes -> null;
    }

    /**
     * Returns the check for an abstract class that is read as a bean: it has a factory method, which decides about the
     * class.
     */
    private static ReadBackCheck made(Class<?> made) {
        return value ->
                value.getClass() == made || Modifier.isAbstract(made.getModifiers()) ? null : "a " + made.getName();
    }

    private static @Nullable String insteadOfPlain(Object value, boolean recorded) {
        if (value instanceof Double number && !Double.isFinite(number)) {
            return "a String";
        }
        if (!recorded && value instanceof Long number && number == number.intValue()) {
            return "an Integer";
        }
        if (value instanceof Map<?, ?> map) {
            return insteadOfKeys(map);
        }
        return PLAIN.contains(value.getClass()) || value instanceof List
                ? null
                : "what JSON says by itself: a String, Boolean, Integer, Long, Double, List or Map";
    }

    static @Nullable String insteadOfKeys(Object map) {
        return ((Map<?, ?>) map).keySet().stream().allMatch(String.class::isInstance)
                ? null
                : "a Map with keys of type String";
    }
}
