package dev.durable.internal.payload;

import dev.durable.internal.declare.type.Kotlin;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/** Checks a declared type for parts that could be written but never read back, before any value is written. */
final class TypeReview {
    private final DeserializationContext context;
    private final SerializationContext writing;
    private final Set<JavaType> seen = new HashSet<>();

    private TypeReview(JsonMapper reader) {
        this.context = reader._deserializationContext();
        this.writing = reader._serializationContext();
    }

    /** Returns the reason why values of this type can't be read back, and its place in the type; null when they can. */
    static @Nullable String problem(JavaType type, JsonMapper reader) {
        try {
            return new TypeReview(reader).problem(type, "");
        } catch (JacksonException e) {
            return e.getOriginalMessage();
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private @Nullable String problem(JavaType type, String path) {
        if (!seen.add(type)) {
            return null;
        }
        if (CodeInData.isCode(type)) {
            return at(path) + CodeInData.refusal(type.getRawClass());
        }
        if (type.isMapLikeType()) {
            if (CodeInData.isCode(type.getKeyType())) {
                return at(path) + "its keys: "
                        + CodeInData.refusal(type.getKeyType().getRawClass());
            }
            context.findKeyDeserializer(type.getKeyType(), null);
        }
        JavaType content = type.getContentType() == null ? type.getReferencedType() : type.getContentType();
        return content == null ? problemOf(type, path) : problem(content, path + "[]");
    }

    private @Nullable String problemOf(JavaType type, String path) {
        if (context.findTypeDeserializer(type) != null) {
            return problemOfMembers(type, path);
        }
        ValueDeserializer<?> reader = context.findRootValueDeserializer(type);
        if (reader instanceof AbstractDeserializer) {
            return at(path) + type.toCanonical()
                    + " is abstract, and nothing in the data will say which class to make: seal it, annotate it with @JsonTypeInfo(use = NAME) and @JsonSubTypes, or declare a class";
        }
        return reader instanceof BeanDeserializerBase bean ? problemOfBean(type, bean, path) : null;
    }

    private @Nullable String problemOfMembers(JavaType type, String path) {
        if (!SealedFamily.isMember(type.getRawClass())) {
            return null;
        }
        for (Class<?> member : SealedFamily.members(type.getRawClass())) {
            JavaType permitted = context.constructSpecializedType(type, member);
            ValueDeserializer<?> reader = context.findNonContextualValueDeserializer(permitted);
            String problem = reader instanceof BeanDeserializerBase bean ? problemOfBean(permitted, bean, path) : null;
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private @Nullable String problemOfBean(JavaType type, BeanDeserializerBase bean, String path) {
        if (type.getRawClass().getName().startsWith("java.")) {
            return at(path) + CodeInData.noForm(type.getRawClass());
        }
        for (JavaType other : takenOtherwise(bean)) {
            String problem = problem(other, path + ".*");
            if (problem != null) {
                return problem;
            }
        }
        if (isWrittenAsObject(type)) {
            if (!canBeMadeOfObject(bean.getValueInstantiator())) {
                return at(path) + type.toCanonical() + " has no constructor to make it with: " + constructorFor(type);
            }
        } else if (!canBeMadeOfValue(bean.getValueInstantiator())) {
            return at(path) + type.toCanonical()
                    + " is written as one value, and has nothing that makes it of that again: " + creatorFor(type);
        }
        if (bean.getPropertyCount() == 0
                && !bean.hasAnySetter()
                && isWrittenAsObject(type)
                && hasState(type.getRawClass())) {
            return at(path) + type.toCanonical()
                    + " shows none of its fields: give it getters and setters, make the fields public, or make it a record";
        }
        for (Iterator<SettableBeanProperty> all = bean.properties(); all.hasNext(); ) {
            SettableBeanProperty property = all.next();
            String problem = isStandard(property) ? problem(property.getType(), path + "." + property.getName()) : null;
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /**
     * Returns the type that a delegating creator takes for the whole value, and that of an any-setter for unknown
     * properties.
     */
    private List<JavaType> takenOtherwise(BeanDeserializerBase bean) {
        ValueInstantiator maker = bean.getValueInstantiator();
        List<@Nullable JavaType> taken = new ArrayList<>();
        taken.add(maker.getDelegateType(context.getConfig()));
        taken.add(maker.getArrayDelegateType(context.getConfig()));
        if (bean.hasAnySetter()) {
            AnnotatedMember setter = context.introspectBeanDescriptionForCreation(bean.getValueType())
                    .findAnySetterAccessor();
            taken.add(
                    setter instanceof AnnotatedMethod method
                            ? method.getParameterType(1)
                            : setter == null ? null : setter.getType());
        }
        return taken.stream().filter(Objects::nonNull).toList();
    }

    /**
     * Returns whether values are written as objects rather than as the text or number of a @JsonValue, which a factory
     * method may take again.
     */
    private boolean isWrittenAsObject(JavaType type) {
        ValueSerializer<?> writer = writing.findValueSerializer(type);
        return writer instanceof BeanSerializerBase || writer instanceof UnknownSerializer;
    }

    private static boolean canBeMadeOfObject(ValueInstantiator maker) {
        return maker.canCreateUsingDefault() || maker.canCreateFromObjectWith() || maker.canCreateUsingDelegate();
    }

    /**
     * Returns whether a class can be made of its one value: with only a constructor without parameters it may still be
     * filled, where that value is an object.
     */
    private static boolean canBeMadeOfValue(ValueInstantiator maker) {
        return canBeMadeOfObject(maker)
                || maker.canCreateUsingArrayDelegate()
                || maker.canCreateFromString()
                || maker.canCreateFromInt()
                || maker.canCreateFromLong()
                || maker.canCreateFromBigInteger()
                || maker.canCreateFromDouble()
                || maker.canCreateFromBigDecimal()
                || maker.canCreateFromBoolean();
    }

    private static String constructorFor(JavaType type) {
        String java =
                "give it one without parameters (any visibility), annotate one with @JsonCreator, or make it a record";
        return Kotlin.isSourceOf(type.getRawClass())
                ? "it is a Kotlin class, so add tools.jackson.module:jackson-module-kotlin to the class path, or "
                        + java
                : java;
    }

    private static String creatorFor(JavaType type) {
        return type.getRawClass().getName().startsWith("kotlin.")
                ? "declare what Java has for it (java.time.Duration for kotlin.time.Duration), or the number or text itself"
                : "annotate a constructor or static method that takes the value with @JsonCreator";
    }

    private static boolean isStandard(SettableBeanProperty property) {
        ValueDeserializer<?> reader = property.hasValueDeserializer() ? property.getValueDeserializer() : null;
        return reader == null
                || reader instanceof CodeInData.Refusing
                || reader.getClass().getName().startsWith("tools.jackson.");
    }

    private static boolean hasState(@Nullable Class<?> type) {
        if (type == null || type == Object.class) {
            return false;
        }
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())) {
                return true;
            }
        }
        return hasState(type.getSuperclass());
    }

    private static String at(String path) {
        return path.isEmpty() ? "" : (path.startsWith(".") ? path.substring(1) : path) + ": ";
    }
}
