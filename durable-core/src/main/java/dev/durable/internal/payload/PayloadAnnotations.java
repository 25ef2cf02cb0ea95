package dev.durable.internal.payload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

/**
 * Reads Jackson's annotations with two additional rules of this library. A sealed type without {@code @JsonTypeInfo} is
 * written with the simple name of its permitted class, as {@code "@type"}: a closed set of names that the type itself
 * declares. And {@code use = CLASS} is refused: a class name in data ties it to a package for ever, and lets data
 * choose the class that is loaded.
 */
final class PayloadAnnotations extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    static final String TYPE_PROPERTY = "@type";

    private static final JsonTypeInfo.Value SEALED = JsonTypeInfo.Value.construct(
            JsonTypeInfo.Id.CUSTOM, JsonTypeInfo.As.PROPERTY, TYPE_PROPERTY, null, false, false);

    @Override
    public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
        JsonTypeInfo.Value declared = super.findPolymorphicTypeInfo(config, annotated);
        if (declared == null) {
            return isOurs(annotated) ? SEALED : null;
        }
        JsonTypeInfo.Id id = declared.getIdType();
        if (id == JsonTypeInfo.Id.CLASS || id == JsonTypeInfo.Id.MINIMAL_CLASS) {
            throw new IllegalArgumentException(
                    "%s is annotated with @JsonTypeInfo(use = %s), which writes class names into data; write use = NAME and list the subtypes with @JsonSubTypes, or seal the type"
                            .formatted(annotated.getRawType().getName(), id));
        }
        return declared;
    }

    @Override
    public @Nullable Object findTypeIdResolver(MapperConfig<?> config, Annotated annotated) {
        Object declared = super.findTypeIdResolver(config, annotated);
        return declared == null && super.findPolymorphicTypeInfo(config, annotated) == null && isOurs(annotated)
                ? PermittedNames.class
                : declared;
    }

    /** Returns whether these rules apply; a type that declares itself how it is written or read is left alone. */
    private static boolean isOurs(Annotated annotated) {
        return annotated instanceof AnnotatedClass
                && !annotated.hasAnnotation(JsonDeserialize.class)
                && !annotated.hasAnnotation(JsonSerialize.class)
                && SealedFamily.isMember(annotated.getRawType());
    }
}
