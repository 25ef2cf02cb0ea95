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

/** Tells, before a value is written, as which class it would be read back where only a general type is declared. */
interface ReadBackCheck {
    /** What JSON says by itself. */
    Set<Class<?>> PLAIN = Set.of(String.class, Boolean.class, Integer.class, Long.class, Double.class);

    /** What the value would come back as, in words; null where it is itself. */
    @Nullable
    String instead(Object value);

    /** What to do about a value that would come back as something else. */
    default String wayOut() {
        return "Declare the class that is meant, or let the declared type name its subclasses: sealed, or annotated with @JsonTypeInfo(use = NAME) and @JsonSubTypes.";
    }

    /**
     * Found from what Jackson would read this type with.
     *
     * @param recorded whether older releases may have written the value, which let a Long pass that fits into an Integer, and
     *     the types of {@link RicherThanJson}
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

    /** An abstract class that is read as a bean has a factory method: what it makes is its own business. */
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
