package dev.durable.internal.payload;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** Configures Jackson so that a value comes back equal to the written one. */
final class PayloadMapper {
    /**
     * Reads Kotlin's classes by their primary constructors; present where the application has the module on its class
     * path.
     */
    private static final Optional<JacksonModule> KOTLIN = kotlin();

    private PayloadMapper() {}

    /** Creates the mapper that reads by declared types, and writes without checks. */
    static JsonMapper create(Consumer<? super JsonMapper.Builder> customizer) {
        JsonMapper.Builder builder = JsonMapper.builder(factory())
                .annotationIntrospector(new PayloadAnnotations())
                .addModule(module()); // before the application's, which are asked first then
        KOTLIN.ifPresent(builder::addModule);
        keepValuesAsTheyAre(builder);
        followChangingTypes(builder);
        customizer.accept(builder);
        return builder.deactivateDefaultTyping().build();
    }

    private static Optional<JacksonModule> kotlin() {
        Class<?> module = NamedClass.find(
                "tools.jackson.module.kotlin.KotlinModule",
                JsonMapper.class.getClassLoader(),
                JacksonModule.class::isAssignableFrom);
        try {
            return module == null
                    ? Optional.empty()
                    : Optional.of((JacksonModule) module.getConstructor().newInstance());
        } catch (ReflectiveOperationException | LinkageError unusable) { // of another release, or without Kotlin itself
            return Optional.empty();
        }
    }

    private static SimpleModule module() {
        SimpleModule module = new SimpleModule("durable");
        module.addAbstractTypeMapping(Set.class, LinkedHashSet.class);
        module.setValueInstantiators(ConstructorCall.everywhere());
        CodeInData.refuseIn(module);
        NanosOfTimestamps.keepIn(module);
        return module;
    }

    /**
     * Creates the mapper that writes values which this reader gives back equal, and refuses all others.
     *
     * @param recorded whether values pass that only older releases accepted
     */
    static JsonMapper writerFor(JsonMapper reader, boolean recorded) {
        return reader.rebuild()
                .setDefaultTyping(new DeclaredTypes(reader, recorded))
                .disable(SerializationFeature.FAIL_ON_UNWRAPPED_TYPE_IDENTIFIERS) // no identifiers are written
                .build();
    }

    /**
     * Creates the factory. Sizes are limited when a value is written, with an error that says so: a value that was
     * written must be readable.
     */
    private static JsonFactory factory() {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .build())
                .build();
    }

    private static void keepValuesAsTheyAre(JsonMapper.Builder builder) {
        builder.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE) // an offset is part of the value
                .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID) // UTC and Z are not equal
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS) // trees keep every digit
                .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING) // toString is for people, and changes
                .disable(EnumFeature.READ_ENUMS_USING_TO_STRING)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT); // 1.5 is not 1
        // A text is no fraction, except "NaN" and the like: Jackson takes time that grows with the square of a text's
        // length to find out whether it is a number.
        for (Class<?> fraction : List.<Class<?>>of(float.class, Float.class, double.class, Double.class)) {
            builder.withCoercionConfig(
                    fraction, config -> config.setCoercion(CoercionInputShape.String, CoercionAction.Fail));
        }
    }

    /** Accepts that a type gains and loses properties while values of it wait in the store. */
    private static void followChangingTypes(JsonMapper.Builder builder) {
        builder.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES); // a missing one has its default
    }
}
