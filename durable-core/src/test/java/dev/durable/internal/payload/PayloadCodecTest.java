package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.durable.PayloadException;
import dev.durable.TypeRef;
import dev.durable.history.Payload;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.payload.Shapes.Base;
import dev.durable.internal.payload.Shapes.Box;
import dev.durable.internal.payload.Shapes.Circle;
import dev.durable.internal.payload.Shapes.Color;
import dev.durable.internal.payload.Shapes.Derived;
import dev.durable.internal.payload.Shapes.Line;
import dev.durable.internal.payload.Shapes.Money;
import dev.durable.internal.payload.Shapes.Page;
import dev.durable.internal.payload.Shapes.Shape;
import dev.durable.internal.payload.Shapes.Square;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.std.StdValueInstantiator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.module.SimpleValueInstantiators;

class PayloadCodecTest {
    private static final TypeRef<Map<String, Object>> PLAIN_MAP = new TypeRef<>() {};

    private final PayloadCodec codec = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    interface Payments {
        String charge(String id, List<Money> receipt);

        void count(long n, Optional<String> note, @SuppressWarnings("unused") int added);
    }

    private static MethodSpec method(String name) {
        Method method = Arrays.stream(Payments.class.getMethods())
                .filter(m -> m.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return new MethodSpec(
                "Payments." + name,
                method,
                List.of(method.getGenericParameterTypes()),
                method.getGenericReturnType(),
                List.of());
    }

    private static final MethodSpec CHARGE = method("charge");
    private static final MethodSpec COUNT = method("count");

    private Payload encode(Object value, Type type) {
        return codec.encode(value, type, "the result of Payments.charge");
    }

    private Object decode(String json, Type type) {
        return codec.decode(new Payload(json), type, "the result of Payments.charge");
    }

    // arguments

    @Test
    void arguments_are_an_array_by_declared_types() {
        Object[] arguments = {"p-\0", List.of(new Money(new BigDecimal("1.00"), null))};
        Payload payload = codec.encodeArguments(CHARGE, arguments);
        assertThat(payload.json()).isEqualTo("[\"p-\\u0000\",[{\"amount\":1.00,\"currency\":null}]]");
        assertThat(codec.decodeArguments(CHARGE, payload)).isEqualTo(arguments);
        assertThat(codec.encodeArguments(CHARGE, new Object[] {null, null}).json())
                .isEqualTo("[null,null]");
    }

    @Test
    void an_argument_that_is_missing_at_the_end_is_null() {
        assertThat(codec.decodeArguments(CHARGE, new Payload("[\"a\"]"))).containsExactly("a", null);
        assertThat(codec.decodeArguments(CHARGE, Payload.NO_ARGUMENTS)).containsExactly(null, null);
        assertThat(codec.decodeArguments(COUNT, new Payload("[1, null, 3]"))).containsExactly(1L, Optional.empty(), 3);
    }

    @Test
    void an_argument_too_many_is_ignored() {
        assertThat(codec.decodeArguments(CHARGE, new Payload("[\"a\", [], {\"later\":1}]")))
                .containsExactly("a", List.of());
    }

    @Test
    void a_missing_primitive_is_named() {
        assertThatThrownBy(() -> codec.decodeArguments(COUNT, new Payload("[1,null]")))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "argument 3 (added) of Payments.count is missing: 2 were written, and int has no null. Usually the parameter was added while calls were under way: declare it as the wrapper type and take null for absent.");
        assertThatThrownBy(() -> codec.decodeArguments(COUNT, new Payload("[null]")))
                .hasMessage(
                        "argument 1 (n) of Payments.count is null, and long can't be. Declare it as the wrapper type, or pass a value.");
        assertThatThrownBy(() -> codec.encodeArguments(COUNT, new Object[] {null, null, 1}))
                .hasMessageStartingWith("argument 1 (n) of Payments.count is null");
    }

    @Test
    void arguments_that_are_none_are_refused() {
        assertThatThrownBy(() -> codec.decodeArguments(CHARGE, new Payload("{\"a\":1}")))
                .hasMessage("the arguments of Payments.charge are no JSON array, but 7 characters of JSON");
        assertThatThrownBy(() -> codec.decodeArguments(CHARGE, new Payload("[\"a\", [")))
                .hasMessageStartingWith("argument 2 (receipt) of Payments.charge can't be read as java.util.List<");
        assertThatThrownBy(() -> codec.encodeArguments(CHARGE, new Object[] {"a"}))
                .hasMessage("Payments.charge takes 2 arguments and was given 1");
    }

    @Test
    void more_or_fewer_arguments_than_parameters_are_refused_where_that_is_asked_for() {
        String both = "[\"x\",[]]";
        assertThat(codec.decodeExactly(CHARGE, Payload.of(both))).containsExactly("x", List.of());
        for (String other : List.of("[\"x\"]", "[]", "[\"x\",[],null]")) {
            assertThatCode(() -> codec.decodeArguments(CHARGE, Payload.of(other)))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> codec.decodeExactly(CHARGE, Payload.of(other)))
                    .isExactlyInstanceOf(PayloadException.class)
                    .hasMessage(
                            "Payments.charge takes 2 arguments here, and another number is stored: " + other.length()
                                    + " characters of JSON"
                                    + ". Usually a parameter was added or removed while calls were under way, and another version"
                                    + " of the code wrote or reads them; exactArguments() refuses what would be null or dropped.");
        }
    }

    @Test
    void arguments_of_a_call_by_name_are_written_as_what_they_are() {
        Payload payload = codec.encodeArguments("Payments.charge", new Object[] {
            "x", List.of(new Money(new BigDecimal("2.50"), "EUR")), null, Color.GREEN, new Circle(1)
        });
        assertThat(payload.json())
                .isEqualTo(
                        "[\"x\",[{\"amount\":2.50,\"currency\":\"EUR\"}],null,\"GREEN\",{\"@type\":\"Circle\",\"radius\":1.0}]");
        assertThatThrownBy(() -> codec.encodeArguments("Payments.charge", new Object[] {new Broken()}))
                .hasMessageStartingWith("argument 1 of Payments.charge can't be written as JSON of type");
    }

    // sizes

    @Test
    void what_is_too_large_is_named() {
        assertThatThrownBy(() -> codec.encodeArguments(CHARGE, new Object[] {
                    "a", List.of(new Money(null, "x".repeat(10_485_760 - 31)))
                }))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "argument 2 (receipt) of Payments.charge is 10,485,760 bytes, the limit is 2,097,152. Store it elsewhere (a table, an object store) and pass a reference, or raise builder.maxPayloadBytes(…), in Spring durable.max-payload-size: every replay reads it again.");
    }

    @Test
    void arguments_that_are_too_large_together_are_named() {
        PayloadCodec small = new PayloadCodec(30);
        assertThatThrownBy(() -> small.encodeArguments(
                        CHARGE, new Object[] {"01234567890123456", List.of(new Money(null, null))}))
                .hasMessageStartingWith("argument 2 (receipt) of Payments.charge is 33 bytes, the limit is 30. ");
        assertThatThrownBy(() -> small.encodeArguments("x", new Object[] {"0123456789012345", "0123456789012345"}))
                .hasMessageStartingWith("the arguments of x are 39 bytes together, the limit is 30. ");
    }

    @Test
    void bytes_count_not_characters() {
        PayloadCodec small = new PayloadCodec(10);
        assertThatCode(() -> small.encode("😀😀", String.class, "it")).doesNotThrowAnyException();
        assertThatCode(() -> small.encode("01234567", String.class, "it")).doesNotThrowAnyException();
        assertThatThrownBy(() -> small.encode("日本日", String.class, "it"))
                .hasMessageStartingWith("it is 11 bytes, the limit is 10.");
    }

    // values that would not come back as they are

    @Test
    void a_subclass_of_the_declared_class_is_refused() {
        assertThatThrownBy(() -> encode(List.of(new Derived()), new TypeRef<List<Base>>() {}.type()))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "the result of Payments.charge can't be written as JSON of type java.util.List<dev.durable.internal.payload.Shapes$Base>: at [0]: a dev.durable.internal.payload.Shapes$Derived stands where dev.durable.internal.payload.Shapes$Base is declared, and would come back as a dev.durable.internal.payload.Shapes$Base. Declare the class that is meant, or let the declared type name its subclasses: sealed, or annotated with @JsonTypeInfo(use = NAME) and @JsonSubTypes.");
        assertThatThrownBy(() -> encode(new Derived(), Base.class)).hasMessageContaining("would come back as a");
        assertThatThrownBy(() -> encode(Box.of(new Derived()), new TypeRef<Box<Base>>() {}.type()))
                .hasMessageContaining("would come back as a");
    }

    @Test
    void a_value_of_another_type_than_the_declared_one_is_named() {
        assertThatThrownBy(() -> encode("five", int.class))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "the result of Payments.charge is a java.lang.String, and int is declared: pass a value of that type.");
        assertThatThrownBy(() -> encode(List.of(1), String.class))
                .hasMessageContaining("and java.lang.String is declared: pass a value of that type.");
        assertThatThrownBy(() -> encode(new Circle(1), Money.class))
                .hasMessageEndingWith("Shapes$Money is declared: pass a value of that type.");
        assertThatThrownBy(() -> encode(List.of("five"), new TypeRef<List<Integer>>() {}.type()))
                .hasMessageContaining("Something else stands in it than its type says")
                .hasMessageNotContaining("JsonIgnore");
    }

    @Test
    void under_object_only_what_json_says_by_itself_is_written() {
        for (Object value : List.of(
                new BigDecimal("1.00"),
                Instant.EPOCH,
                Color.RED,
                Set.of(1),
                new int[] {1},
                new Base(),
                new Circle(1),
                Double.NaN,
                1.5f,
                Map.of(1, 2),
                'c',
                new Object())) {
            assertThatThrownBy(() -> encode(Map.of("x", value), PLAIN_MAP.type()), "a " + value.getClass())
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("is declared, and would come back as");
        }
        assertThatThrownBy(() -> encode(Map.of(Color.RED, 2), Map.class))
                .hasMessageContaining("a Map with keys of type String");
        assertThatCode(() -> encode(Map.of("a", 2), Map.class)).doesNotThrowAnyException();
        assertThatThrownBy(() -> encode(List.of(new BigDecimal("1")), new TypeRef<List<? extends Number>>() {}.type()))
                .hasMessageContaining("would come back as an Integer, Long or Double");
    }

    @Test
    void a_class_outside_of_a_sealed_type_is_refused() {
        assertThatThrownBy(() -> encode(new Open.Stranger(), Open.class))
                .hasMessageContaining(
                        "dev.durable.internal.payload.PayloadCodecTest$Open$Stranger is none of the classes that the sealed declared type permits");
        assertThatThrownBy(() -> encode(new Ambiguous.A.One(), Ambiguous.class))
                .hasMessageContaining("which have one simple name");
    }

    sealed interface Open {
        non-sealed interface Wide extends Open {}

        record Stranger() implements Wide {}

        record Known() implements Open {}
    }

    sealed interface Ambiguous {
        final class A {
            record One() implements Ambiguous {}
        }

        final class B {
            record One() implements Ambiguous {}
        }
    }

    @Test
    void a_sealed_type_is_told_apart_by_simple_names() {
        assertThat(encode(new Circle(2), Shape.class).json()).isEqualTo("{\"@type\":\"Circle\",\"radius\":2.0}");
        assertThat(decode("{\"radius\":3,\"@type\":\"Circle\"}", Shape.class)).isEqualTo(new Circle(3));
        assertThat(decode("{\"radius\":3}", Circle.class)).isEqualTo(new Circle(3));
        assertThatThrownBy(() -> decode("{\"@type\":\"java.net.Socket\"}", Shape.class))
                .hasMessageContaining("known type ids = Circle, Square, Group, Unit");
        assertThatThrownBy(() -> decode("{\"side\":1}", Shape.class)).hasMessageContaining("'@type'");
        assertThatThrownBy(() -> decode("{\"@type\":\"Circle\"}", Square.class)).hasMessageContaining("'Circle'");
    }

    @Test
    void class_names_in_data_are_refused() {
        assertThatThrownBy(() -> encode(new ByClass(), ByClass.class))
                .hasMessageContaining(
                        "is annotated with @JsonTypeInfo(use = CLASS), which writes class names into data; write use = NAME and list the subtypes with @JsonSubTypes, or seal the type");
        assertThatThrownBy(() -> encode(String.class, new TypeRef<Class<?>>() {}.type()))
                .hasMessageContaining("data must not choose what is loaded");
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    static class ByClass {
        public int x;
    }

    // types that can't be read back

    static class NoConstructor {
        private final int x;

        NoConstructor(int x, int y) {
            this.x = x + y;
        }

        public int getX() {
            return x;
        }
    }

    static class AllPrivate {
        private int x = 3;

        int twice() {
            return 2 * x;
        }
    }

    interface Unknown {}

    record Holder(String name, List<Optional<Unknown>> inside) {}

    static class Broken {
        public int getX() {
            throw new IllegalStateException("not now");
        }

        public void setX(int x) {}
    }

    @Test
    void a_type_that_could_not_be_read_back_is_refused_before_anything_is_written() {
        assertThatThrownBy(() -> encode(new NoConstructor(1, 2), NoConstructor.class))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "the result of Payments.charge is declared as dev.durable.internal.payload.PayloadCodecTest$NoConstructor, which could be written but not read back: dev.durable.internal.payload.PayloadCodecTest$NoConstructor has no constructor to make it with: give it one without parameters (any visibility), annotate one with @JsonCreator, or make it a record");
        assertThatThrownBy(() -> encode(new AllPrivate(), AllPrivate.class))
                .hasMessageContaining("shows none of its fields");
        assertThatThrownBy(() -> encode(null, Unknown.class))
                .hasMessageContaining("is abstract, and nothing in the data will say");
        assertThatThrownBy(() -> encode(null, Holder.class))
                .hasMessageContaining(
                        "not read back: inside[][]: dev.durable.internal.payload.PayloadCodecTest$Unknown is abstract");
        assertThatThrownBy(() -> encode(null, new TypeRef<Map<Money, String>>() {}.type()))
                .hasMessageContaining("Key deserializer");
        assertThatThrownBy(() -> encode(null, Thread.class)).hasMessageContaining("has no form in JSON");
        assertThatThrownBy(() -> encode(null, Exception.class)).hasMessageContaining("has no form in JSON");
    }

    @Test
    void a_signature_is_looked_through_at_registration() throws Exception {
        assertThatCode(() -> codec.check(CHARGE)).doesNotThrowAnyException();
        assertThatCode(() -> codec.check(COUNT)).doesNotThrowAnyException();
        MethodSpec wrong =
                new MethodSpec("Payments.charge", CHARGE.method(), CHARGE.parameterTypes(), Unknown.class, List.of());
        assertThatThrownBy(() -> codec.check(wrong))
                .hasMessageStartingWith("the result of Payments.charge is declared as");
        MethodSpec argument = new MethodSpec(
                "Payments.charge", CHARGE.method(), List.of(String.class, Unknown.class), void.class, List.of());
        assertThatThrownBy(() -> codec.check(argument))
                .hasMessageStartingWith("argument 2 (receipt) of Payments.charge is declared as");
    }

    @Test
    void a_value_whose_getter_throws_is_named_with_its_path() {
        assertThatThrownBy(() -> encode(List.of(new Broken()), new TypeRef<List<Broken>>() {}.type()))
                .hasMessageStartingWith(
                        "the result of Payments.charge can't be written as JSON of type java.util.List<dev.durable.internal.payload.PayloadCodecTest$Broken>: at [0].x: not now. Write a type whose");
    }

    @Test
    void a_value_that_contains_itself_is_refused() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("self", new ArrayList<>(List.of(map)));
        assertThatThrownBy(() -> encode(map, PLAIN_MAP.type())).hasMessageContaining("does it contain itself?");
    }

    // reading

    /** Keys of maps are data: they stand in errors, which stand in logs. */
    @Test
    void a_key_that_is_named_in_an_error_makes_no_line_of_its_own_and_is_cut() {
        Type counts = new TypeRef<Map<String, Integer>>() {}.type();
        assertThatThrownBy(() -> decode("{\"a\\n12:00 INFO all is well\":\"x\"}", counts))
                .hasMessageContaining("at a\\u000a12:00 INFO all is well: Cannot deserialize")
                .message()
                .doesNotContain("\n");
        assertThatThrownBy(() -> decode("{\"" + "k".repeat(100_000) + "\":\"x\"}", counts))
                .message()
                .hasSizeLessThan(2_000);
        assertThatThrownBy(() -> codec.encode(Map.of("a\nb", new Object()), PLAIN_MAP.type(), "it"))
                .message()
                .doesNotContain("\n");
    }

    @Test
    void data_that_does_not_fit_is_named_with_path_and_way_out() {
        assertThatThrownBy(() ->
                        decode("{\"items\":[{\"sku\":\"a\",\"count\":\"many\"}]}", new TypeRef<Page<Line>>() {}.type()))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessage(
                        "the result of Payments.charge can't be read as dev.durable.internal.payload.Shapes$Page<dev.durable.internal.payload.Shapes$Line>: at items[0].count: Cannot deserialize value of type `int` from String \"…\": not a valid `int` value. What is stored: 38 characters of JSON. Usually the type has changed since it was written: let the new one read the old data (@JsonAlias for another name, @JsonCreator for another shape, a new property instead of another type for an old one), or keep both behind Durable.version(…).");
        assertThatThrownBy(() -> decode("1.5", int.class))
                .hasMessageContaining("Cannot coerce Floating-point value (…) to `int`");
        assertThatThrownBy(() -> decode("\"BLUE\"", Color.class))
                .hasMessageContaining("accepted for Enum class: [RED, GREEN]");
        assertThatThrownBy(() -> decode("{", Money.class))
                .hasMessageContaining("What is stored: 1 characters of JSON.");
        assertThatThrownBy(() -> decode("", Money.class)).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> decode("null", int.class)).hasMessageContaining("is null, and int can't be");
    }

    @Test
    void a_type_may_gain_and_lose_properties() {
        assertThat(decode("{\"sku\":\"a\",\"colour\":{\"x\":[1]}}", Line.class))
                .isEqualTo(new Line("a", 0, null, Optional.empty()));
    }

    record Guarded(String name, int most, boolean open) {
        Guarded {
            if (most < 0) {
                throw new IllegalStateException(name + " has " + most);
            }
            if (most == 13) {
                throw new LinkageError("13");
            }
        }
    }

    static final class Made {
        private final String text;

        private Made(String text) {
            this.text = text;
        }

        @JsonCreator
        static Made of(@JsonProperty("first") String first, @JsonProperty("last") String last) {
            return new Made(first + " " + last);
        }
    }

    static final class Built {
        private final List<String> parts;

        @JsonCreator
        private Built(@JsonProperty("parts") String... parts) {
            this.parts = List.of(parts);
        }
    }

    @Test
    void what_is_missing_for_a_constructor_is_null_or_the_primitives_default() {
        assertThat(decode("{\"name\":\"a\"}", Guarded.class)).isEqualTo(new Guarded("a", 0, false));
        assertThat(decode("{\"open\":true,\"most\":null}", Guarded.class)).isEqualTo(new Guarded(null, 0, true));
        assertThat(decode("{}", Guarded.class)).isEqualTo(new Guarded(null, 0, false));
    }

    @Test
    void a_constructor_that_refuses_its_arguments_is_named_with_its_path() {
        assertThatThrownBy(() -> decode("[{\"name\":\"a\",\"most\":-1}]", new TypeRef<List<Guarded>>() {}.type()))
                .isExactlyInstanceOf(PayloadException.class)
                .hasMessageStartingWith(
                        "the result of Payments.charge can't be read as java.util.List<dev.durable.internal.payload.PayloadCodecTest$Guarded>: at [0]: Cannot construct instance of `dev.durable.internal.payload.PayloadCodecTest$Guarded`, problem: a has -1.")
                .hasRootCauseExactlyInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> decode("{\"most\":13}", Guarded.class))
                .isExactlyInstanceOf(LinkageError.class)
                .hasMessage("13");
    }

    @Test
    void factories_and_constructors_with_many_arguments_make_values_too() {
        assertThat((Made) decode("{\"last\":\"Lovelace\",\"first\":\"Ada\"}", Made.class))
                .extracting(made -> made.text)
                .isEqualTo("Ada Lovelace");
        assertThat((Built) decode("{\"parts\":[\"a\",\"b\"]}", Built.class))
                .extracting(built -> built.parts)
                .isEqualTo(List.of("a", "b"));
    }

    @Test
    void a_constructor_that_is_closed_to_us_is_left_to_jackson() {
        PayloadCodec closed =
                new PayloadCodec(1_000, mapper -> mapper.disable(MapperFeature.CAN_OVERRIDE_ACCESS_MODIFIERS));
        assertThatThrownBy(() -> closed.decode(new Payload("{\"x\":1}"), Closed.class, "it"))
                .hasMessageContaining("from class tools.jackson.databind");
    }

    static final class Closed {
        @JsonCreator
        private Closed(@SuppressWarnings("unused") @JsonProperty("x") int x) {}
    }

    /** The module for Kotlin refuses anything else in its place. */
    @Test
    void a_module_of_the_application_gets_jacksons_own_instantiators() {
        Map<Class<?>, Class<?>> given = new HashMap<>();
        SimpleModule module = new SimpleModule().setValueInstantiators(new SimpleValueInstantiators() {
            @Override
            public ValueInstantiator modifyValueInstantiator(
                    DeserializationConfig config, BeanDescription.Supplier type, ValueInstantiator instantiator) {
                given.put(type.getBeanClass(), instantiator.getClass());
                return instantiator;
            }
        });
        PayloadCodec own = new PayloadCodec(1_000, mapper -> mapper.addModule(module));
        Guarded value = new Guarded("a", 1, true);
        Payload written = own.encode(value, Guarded.class, "it");
        assertThat(own.decode(written, Guarded.class, "it")).isEqualTo(value);
        assertThat(given).containsEntry(Guarded.class, StdValueInstantiator.class);
    }

    @Test
    void a_set_keeps_its_order() {
        Set<String> set = new LinkedHashSet<>(List.of("z", "a", "m", "b"));
        Object back =
                decode(encode(set, new TypeRef<Set<String>>() {}.type()).json(), new TypeRef<Set<String>>() {}.type());
        assertThat(back)
                .isInstanceOf(LinkedHashSet.class)
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.COLLECTION)
                .containsExactly("z", "a", "m", "b");
    }

    @Test
    void a_tree_keeps_every_digit() {
        String json = "{\"a\":1.00,\"b\":[12345678901234567890.12345678901234567890,1E+3]}";
        assertThat(encode(decode(json, JsonNode.class), JsonNode.class).json()).isEqualTo(json);
    }

    @Test
    void nothing_is_null() {
        assertThat(encode("ignored", void.class)).isEqualTo(Payload.NULL);
        assertThat(encode(null, Void.class)).isEqualTo(Payload.NULL);
        assertThat(encode(null, String.class)).isEqualTo(Payload.NULL);
        assertThat(decode("null", void.class)).isNull();
        assertThat(decode("{\"a\":1}", void.class)).isNull();
        assertThat(decode("null", String.class)).isNull();
    }

    // the application's own settings

    @Test
    void the_application_may_change_the_mapper() {
        AtomicReference<JsonMapper.Builder> seen = new AtomicReference<>();
        PayloadCodec own = new PayloadCodec(1_000, mapper -> {
            seen.set(mapper);
            mapper.enable(SerializationFeature.INDENT_OUTPUT)
                    .addModule(new tools.jackson.databind.module.SimpleModule()
                            .addAbstractTypeMapping(Unknown.class, KnownOne.class));
        });
        Payload payload = own.encode(new KnownOne(1), Unknown.class, "it");
        assertThat(payload.json().lines()).hasSize(3);
        assertThat(own.decode(payload, Unknown.class, "it")).isEqualTo(new KnownOne(1));
        Payload boxed = own.encode(Box.of(new KnownOne(1)), new TypeRef<Box<Unknown>>() {}.type(), "it");
        assertThat(own.decode(boxed, new TypeRef<Box<Unknown>>() {}.type(), "it"))
                .isEqualTo(Box.of(new KnownOne(1)));
    }

    record KnownOne(int x) implements Unknown {}
}
