package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.durable.PayloadException;
import dev.durable.RemoteException;
import dev.durable.TypeRef;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JavaType;

/** No class that a payload or a row names is initialised, in whatever shape the name comes. */
class CodeInDataTest {
    private static final AtomicInteger INITIALISED = new AtomicInteger();
    private static final String EVIL = CodeInDataTest.class.getName() + "$Evil";

    private final PayloadCodec codec = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    static final class Evil {
        static {
            INITIALISED.incrementAndGet();
        }
    }

    @AfterEach
    void nothing_was_initialised() {
        assertThat(INITIALISED).hasValue(0);
    }

    record Property(Class<?> type) {}

    record Keys(Map<Class<?>, String> names) {}

    record Deep(List<Map<String, Optional<Class<?>>>> all) {}

    static final class Delegating {
        private final Class<?> type;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating(Class<?> type) {
            this.type = type;
        }

        public Class<?> getType() {
            return type;
        }
    }

    static final class ArrayDelegating {
        public String first = "";

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static ArrayDelegating of(List<Class<?>> types) {
            ArrayDelegating made = new ArrayDelegating();
            made.first = types.toString();
            return made;
        }
    }

    static final class AnySetter {
        private final Map<String, Class<?>> all = new LinkedHashMap<>();

        @JsonAnySetter
        void set(String name, Class<?> type) {
            all.put(name, type);
        }

        @JsonAnyGetter
        Map<String, Class<?>> all() {
            return all;
        }
    }

    static final class AnyField {
        @JsonAnySetter
        @JsonAnyGetter
        public Map<String, Class<?>> all = new LinkedHashMap<>();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Sub.class, name = "sub"))
    interface Open {}

    static final class Sub implements Open {
        public Class<?> type;
    }

    static Stream<Arguments> shapes() {
        String evil = "\"" + EVIL + "\"";
        return Stream.of(
                shape(new Property(Evil.class), Property.class, "{\"type\":" + evil + "}"),
                shape(new Keys(Map.of(Evil.class, "x")), Keys.class, "{\"names\":{" + evil + ":\"x\"}}"),
                shape(Map.of(Evil.class, "x"), new TypeRef<Map<Class<?>, String>>() {}.type(), "{" + evil + ":\"x\"}"),
                shape(
                        new Deep(List.of(Map.of("a", Optional.of(Evil.class)))),
                        Deep.class,
                        "{\"all\":[{\"a\":" + evil + "}]}"),
                shape(new Delegating(Evil.class), Delegating.class, evil),
                shape(new ArrayDelegating(), ArrayDelegating.class, "[" + evil + "]"),
                shape(new AnySetter(), AnySetter.class, "{\"a\":" + evil + "}"),
                shape(new AnyField(), AnyField.class, "{\"a\":" + evil + "}"),
                shape(new Class<?>[] {Evil.class}, Class[].class, "[" + evil + "]"),
                shape(Evil.class, Class.class, evil),
                shape(null, JavaType.class, evil),
                shape(null, Type.class, evil),
                shape(null, Thread.class, "{\"name\":\"x\"}"),
                shape(null, ClassLoader.class, evil),
                shape(null, Module.class, evil),
                shape(null, Method.class, evil),
                shape(null, MethodHandle.class, evil),
                shape(null, ProcessBuilder.class, "{\"command\":[\"id\"]}"));
    }

    private static Arguments shape(Object value, Type type, String json) {
        return Arguments.of(value, type, json);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void what_stands_for_code_is_neither_written_nor_read(Object value, Type type, String json) {
        String refusal = value != null
                ? "a Class can't be a payload: data must not choose what is loaded"
                : type == JavaType.class || type == Type.class
                        ? "can't be a payload: data must not choose what is loaded"
                        : " has no form in JSON";
        assertThatThrownBy(() -> codec.encode(value, type, "it"))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(refusal);
        assertThatThrownBy(() -> codec.decode(new Payload(json), type, "it"))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(refusal);
    }

    @Test
    void errors_say_where_it_stands() {
        assertThatThrownBy(() -> codec.encode(new Keys(Map.of()), Keys.class, "the result of Stock.find"))
                .hasMessage("the result of Stock.find is declared as " + Keys.class.getName()
                        + ", which could be written but not read back: names: its keys: a Class can't be a payload: data"
                        + " must not choose what is loaded");
    }

    /** The review does not look at subtypes that an annotation lists; the mapper refuses them all the same. */
    @Test
    void a_subtype_that_an_annotation_names_is_not_read_either() {
        assertThatThrownBy(() ->
                        codec.decode(new Payload("{\"@type\":\"sub\",\"type\":\"" + EVIL + "\"}"), Open.class, "it"))
                .hasMessageContaining("at type: a Class can't be a payload");
    }

    @Test
    void under_Object_a_name_is_a_text() {
        assertThat(codec.decode(new Payload("[\"" + EVIL + "\"]"), Object.class, "it"))
                .isEqualTo(List.of(EVIL));
    }

    // exceptions

    @SuppressWarnings("serial")
    static final class EntityNotFound extends Exception {
        Class<?> type;
        Map<Class<?>, String> keys;
        AnySetter any;
        Delegating delegating;
        Thread thread;
        int code;

        EntityNotFound(String message) {
            super(message);
        }
    }

    @Test
    void fields_of_an_exception_that_stand_for_code_do_not_travel() {
        EntityNotFound thrown = new EntityNotFound("order 7");
        thrown.type = Evil.class;
        thrown.code = 404;

        EntityNotFound back = (EntityNotFound) decoded(failures().encode(thrown, named()));

        assertThat(back).hasMessage("order 7");
        assertThat(back.code).isEqualTo(404);
        assertThat(back.type).isNull();
        assertThat(back.getSuppressed()[0]).hasMessageContaining("fields of " + EntityNotFound.class.getName());
    }

    @Test
    void fields_that_somebody_wrote_into_a_row_do_not_arrive() {
        Failure byHand = new Failure(
                EntityNotFound.class.getName(),
                "m",
                "",
                new Payload(
                        "{\"type\":\"%1$s\",\"keys\":{\"%1$s\":\"x\"},\"any\":{\"a\":\"%1$s\"},\"delegating\":\"%1$s\","
                                        .formatted(EVIL)
                                + "\"thread\":{\"name\":\"x\"},\"code\":1}"),
                null,
                List.of());

        EntityNotFound back = (EntityNotFound) decoded(byHand);

        assertThat(back.code).isEqualTo(1);
        assertThat(Arrays.asList(back.type, back.keys, back.any, back.delegating, back.thread))
                .containsOnlyNulls();
        assertThat(back.getSuppressed()[0])
                .hasMessageContainingAll("type (", "keys (", "any (", "delegating (", "thread (");
    }

    @Test
    void a_failure_of_a_class_that_nobody_declared_stays_data() {
        for (String type :
                List.of(EVIL, "[L" + EVIL + ";", EVIL.replace('.', '/'), "", "\0", "a\nb", "x".repeat(100_000))) {
            Failure byHand = new Failure(type, "m", "", new Payload("{\"@is\":\"" + EVIL + "\"}"), null, List.of());
            assertThat(decoded(byHand)).isInstanceOf(RemoteException.class);
        }
    }

    @Test
    void a_failure_whose_fields_are_no_object_is_an_exception_all_the_same() {
        for (String fields : List.of("5", "[]", "{", "null", "\"x\"", "{\"@is\":7,\"@lost\":[]}")) {
            Failure known = new Failure(EntityNotFound.class.getName(), "m", "", new Payload(fields), null, List.of());
            Failure unknown = new Failure("com.acme.Gone", "m", "", new Payload(fields), null, List.of());
            assertThat(decoded(known)).hasMessageContaining("m");
            assertThat(decoded(unknown)).isInstanceOf(RemoteException.class);
        }
    }

    private FailureCodec failures() {
        return new FailureCodec(codec);
    }

    private static Collection<Class<? extends Throwable>> named() {
        return List.of(EntityNotFound.class);
    }

    private Throwable decoded(Failure failure) {
        return failures().decode(failure, named(), getClass().getClassLoader());
    }
}
