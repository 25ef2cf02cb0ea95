package dev.durable.internal.payload;

import java.lang.reflect.Type;
import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleDeserializers;
import tools.jackson.databind.module.SimpleKeyDeserializers;
import tools.jackson.databind.module.SimpleModule;

/**
 * Refuses, for payloads, types that stand for code or live objects: {@code Class}, types that belong to one (a Method,
 * a ClassLoader, a Module), {@code Thread}, {@code Process}. The mapper refuses them wherever it asks for a reader: as
 * a property, an element, a key, an argument of a creator or an any-setter, a field of an exception. A reader that the
 * application has registered for such a type goes first, on the application's responsibility.
 */
final class CodeInData {
    /**
     * The refused types, with all that extend or implement them; {@link Type} covers Class as well as Jackson's
     * JavaType.
     */
    private static final List<Class<?>> ROOTS = List.of(
            Type.class,
            ClassLoader.class,
            Module.class,
            ModuleLayer.class,
            Thread.class,
            ThreadGroup.class,
            Process.class,
            ProcessBuilder.class,
            Runtime.class);

    private static final List<String> PACKAGES = List.of("java.lang.reflect", "java.lang.invoke", "java.lang.module");

    private CodeInData() {}

    static boolean isCode(JavaType type) {
        Class<?> raw = type.getRawClass();
        return ROOTS.stream().anyMatch(root -> root.isAssignableFrom(raw)) || PACKAGES.contains(raw.getPackageName());
    }

    static String refusal(Class<?> type) {
        return Type.class.isAssignableFrom(type)
                ? "a " + type.getSimpleName() + " can't be a payload: data must not choose what is loaded"
                : noForm(type);
    }

    static String noForm(Class<?> type) {
        return type.getTypeName() + " has no form in JSON: it is a part of Java that is no plain value";
    }

    static void refuseIn(SimpleModule module) {
        module.setDeserializers(new SimpleDeserializers() {
            private static final long serialVersionUID = 1L;

            @Override
            public ValueDeserializer<?> findBeanDeserializer(
                    JavaType type, DeserializationConfig config, BeanDescription.Supplier bean) {
                return isCode(type) ? new Refusing(type) : super.findBeanDeserializer(type, config, bean);
            }
        });
        module.setKeyDeserializers(new SimpleKeyDeserializers() {
            private static final long serialVersionUID = 1L;

            @Override
            public KeyDeserializer findKeyDeserializer(
                    JavaType type, DeserializationConfig config, BeanDescription.Supplier bean) {
                return isCode(type)
                        ? new RefusingKeys(type.getRawClass())
                        : super.findKeyDeserializer(type, config, bean);
            }
        });
    }

    /** Reads null only. */
    static final class Refusing extends StdDeserializer<Object> {
        Refusing(JavaType type) {
            super(type);
        }

        @Override
        public Object deserialize(JsonParser in, DeserializationContext context) {
            return context.reportInputMismatch(this, "%s", refusal(handledType()));
        }
    }

    private static final class RefusingKeys extends KeyDeserializer {
        private final Class<?> type;

        RefusingKeys(Class<?> type) {
            this.type = type;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return context.reportInputMismatch(type, "%s", refusal(type));
        }
    }
}
