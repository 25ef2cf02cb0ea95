package dev.durable.internal.payload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * Refuses to write a value whose class is not the declared type, since reading it back would lose or change it. Data is
 * read by the declared type alone, so a subclass would silently lose the fields that it adds, and an interface could
 * not be read at all: an error for the code that writes the value is better than a run that can't go on.
 */
final class DeclaredTypeCheck extends TypeSerializer {
    private final JavaType declared;
    private final JsonMapper reader;
    /** True where values of the declared class are checked, too. */
    private final boolean always;

    private final boolean recorded;

    private volatile @Nullable ReadBackCheck readBack;

    DeclaredTypeCheck(JavaType declared, JsonMapper reader, boolean recorded) {
        this.recorded = recorded;
        this.declared = declared;
        this.reader = reader;
        this.always = declared.isJavaLangObject() || RicherThanJson.isAlways(declared);
    }

    @Override
    public WritableTypeId writeTypePrefix(JsonGenerator out, SerializationContext context, WritableTypeId id) {
        Object value = id.forValue;
        if (value != null && (always || value.getClass() != declared.getRawClass())) {
            check(value, context);
        }
        switch (id.valueShape) {
            case START_OBJECT -> out.writeStartObject(value);
            case START_ARRAY -> out.writeStartArray(value);
            default -> {}
        }
        return id;
    }

    @Override
    public WritableTypeId writeTypeSuffix(JsonGenerator out, SerializationContext context, WritableTypeId id) {
        switch (id.valueShape) {
            case START_OBJECT -> out.writeEndObject();
            case START_ARRAY -> out.writeEndArray();
            default -> {}
        }
        return id;
    }

    private void check(Object value, SerializationContext context) {
        ReadBackCheck found = readBack;
        if (found == null) {
            found = ReadBackCheck.of(declared, reader, recorded);
            readBack = found;
        }
        String instead = found.instead(value);
        if (instead != null) {
            throw new OtherType(
                    context.getGenerator(),
                    value.getClass() == declared.getRawClass() && !declared.isJavaLangObject()
                            ? "this %s would come back as %s".formatted(declared.toCanonical(), instead)
                            : "a %s stands where %s is declared, and would come back as %s"
                                    .formatted(value.getClass().getName(), declared.toCanonical(), instead),
                    declared,
                    found.wayOut());
        }
    }

    /**
     * Thrown for a value that would come back as another type; its way out differs from that for values that have no
     * JSON.
     */
    static final class OtherType extends InvalidDefinitionException {
        private static final long serialVersionUID = 1L;

        final String wayOut;

        OtherType(JsonGenerator out, String message, JavaType declared, String wayOut) {
            super(out, message, declared);
            this.wayOut = wayOut;
        }
    }

    @Override
    public TypeSerializer forProperty(SerializationContext context, @Nullable BeanProperty property) {
        return this;
    }

    /** Called where a type id would be written; there is none. */
    @Override
    public JsonTypeInfo.As getTypeInclusion() {
        return JsonTypeInfo.As.EXISTING_PROPERTY;
    }

    @Override
    public @Nullable String getPropertyName() {
        return null;
    }

    @Override
    public @Nullable TypeIdResolver getTypeIdResolver() {
        return null;
    }
}
