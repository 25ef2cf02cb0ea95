package dev.durable.internal.payload;

import static com.fasterxml.jackson.annotation.JsonTypeInfo.Id.CUSTOM;
import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.impl.TypeIdResolverBase;

/**
 * Maps the permitted classes of a sealed type to their simple names, which identify them in JSON. Only classes that the
 * type permits are looked up.
 */
final class PermittedNames extends TypeIdResolverBase {
    private static final long serialVersionUID = 1L;

    private @Nullable JavaType base;
    private final Map<String, Class<?>> byName = new LinkedHashMap<>();

    @Override
    public void init(JavaType baseType) {
        base = baseType;
        byName.clear();
        for (Class<?> member : SealedFamily.members(baseType.getRawClass())) {
            Class<?> other = byName.put(member.getSimpleName(), member);
            if (other != null) {
                throw new IllegalArgumentException(
                        "%s permits %s and %s, which have one simple name: tell them apart with @JsonTypeInfo(use = NAME) and @JsonSubTypes"
                                .formatted(baseType.getRawClass().getName(), other.getName(), member.getName()));
            }
        }
    }

    @Override
    public String idFromValue(DatabindContext context, Object value) {
        return idFromValueAndType(context, value, value.getClass());
    }

    @Override
    public String idFromValueAndType(DatabindContext context, @Nullable Object value, Class<?> type) {
        Class<?> member = value instanceof Enum<?> constant ? constant.getDeclaringClass() : type;
        if (byName.get(member.getSimpleName()) != member) {
            throw new IllegalArgumentException(
                    "%s is none of the classes that the sealed declared type permits (%s), so it could not be read back: seal the type all the way down, or use @JsonTypeInfo(use = NAME) and @JsonSubTypes"
                            .formatted(member.getName(), getDescForKnownTypeIds()));
        }
        return member.getSimpleName();
    }

    @Override
    public @Nullable JavaType typeFromId(DatabindContext context, String id) {
        Class<?> member = byName.get(id);
        return member == null ? null : context.constructSpecializedType(base, member);
    }

    @Override
    public String getDescForKnownTypeIds() {
        return byName.keySet().stream().collect(joining(", "));
    }

    @Override
    public JsonTypeInfo.Id getMechanism() {
        return CUSTOM;
    }
}
