package dev.durable.internal.payload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.jsontype.TypeResolverBuilder;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * Installs a {@link DeclaredTypeCheck} in Jackson wherever a value may be of another class than declared. Jackson asks
 * here for the type ids that it should write by default, which is the only place that knows both the class of a value
 * and its declared type; this library writes no ids and reads none.
 */
final class DeclaredTypes implements TypeResolverBuilder<DeclaredTypes> {
    private final JsonMapper reader;
    private final boolean recorded;

    /**
     * @param reader the mapper that reads the written values
     * @param recorded whether values that only older releases accepted are written
     */
    DeclaredTypes(JsonMapper reader, boolean recorded) {
        this.reader = reader;
        this.recorded = recorded;
    }

    @Override
    public @Nullable TypeSerializer buildTypeSerializer(
            SerializationContext context, JavaType declared, Collection<NamedType> subtypes) {
        return mayDiffer(declared) ? new DeclaredTypeCheck(declared, reader, recorded) : null;
    }

    private static boolean mayDiffer(JavaType declared) {
        if (RicherThanJson.isAlways(declared)) {
            return true;
        }
        if (declared.isMapLikeType()) {
            return declared.getKeyType().isJavaLangObject();
        }
        return !declared.isFinal()
                && !declared.isPrimitive()
                && !declared.isEnumType()
                && !declared.isContainerType()
                && !declared.isReferenceType();
    }

    @Override
    public @Nullable TypeDeserializer buildTypeDeserializer(
            DeserializationContext context, JavaType declared, Collection<NamedType> subtypes) {
        return null;
    }

    @Override
    public @Nullable Class<?> getDefaultImpl() {
        return null;
    }

    @Override
    public DeclaredTypes init(JsonTypeInfo.Value settings, TypeIdResolver resolver) {
        return this;
    }

    @Override
    public DeclaredTypes withDefaultImpl(Class<?> defaultImpl) {
        return this;
    }

    @Override
    public DeclaredTypes withSettings(JsonTypeInfo.Value settings) {
        return this;
    }
}
