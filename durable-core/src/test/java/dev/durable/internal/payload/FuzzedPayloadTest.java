package dev.durable.internal.payload;

import dev.durable.PayloadException;
import dev.durable.fuzz.Fuzz;
import dev.durable.fuzz.Planted;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.payload.Shapes.Line;
import dev.durable.internal.payload.Shapes.Shape;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Payloads and exceptions of rows that were changed at random: a value, or an error that says what does not fit. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FuzzedPayloadTest {
    private final PayloadCodec codec = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    interface Calls {
        String order(String id, List<Line> lines, Shape shape, Map<String, Object> more);
    }

    /** As in {@code EntityNotFound} of many applications. */
    static final class OfAClass extends IOException {
        private static final long serialVersionUID = 1L;
        final transient int kept = 1;
        Class<?> type;
        Map<Class<?>, String> names;
        int code;

        OfAClass(String message, Throwable cause) {
            super(message, cause);
        }
    }

    @Test
    void values_of_many_types() {
        List<Type> types = PayloadRoundTripTest.values()
                .map(value -> (Type) value.get()[1])
                .distinct()
                .toList();
        List<String> recorded = PayloadRoundTripTest.values()
                .map(value -> codec.encode(value.get()[0], (Type) value.get()[1], "it")
                        .json())
                .toList();
        Fuzz.of("payloads", recorded)
                .through(
                        json -> codec.decode(
                                new Payload(json), types.get(Math.floorMod(json.hashCode(), types.size())), "it"),
                        List.of(PayloadException.class));
    }

    @Test
    void arguments() {
        Method method = Calls.class.getMethods()[0];
        MethodSpec order = new MethodSpec(
                "Calls.order", method, List.of(method.getGenericParameterTypes()), String.class, List.of());
        String recorded =
                "[\"a-1\",[{\"sku\":\"x\",\"count\":3,\"price\":{\"amount\":1.00,\"currency\":\"EUR\"},\"note\":null}],"
                        + "{\"@type\":\"Group\",\"name\":\"g\",\"members\":[{\"@type\":\"Circle\",\"radius\":1.5}]},{\"a\":[1,{}]}]";
        Fuzz.of("arguments", List.of(recorded))
                .through(json -> codec.decodeArguments(order, new Payload(json)), List.of(PayloadException.class));
        Fuzz.of("exact arguments", List.of(recorded))
                .through(json -> codec.decodeExactly(order, new Payload(json)), List.of(PayloadException.class));
    }

    /** The text of a failure may be none; a failure that was read is an exception, whatever stands in it. */
    @Test
    void exceptions() {
        FailureCodec failures = new FailureCodec(codec);
        Collection<Class<? extends Throwable>> named = List.of(OfAClass.class, IllegalStateException.class);
        OfAClass thrown = new OfAClass("no entity", new IllegalStateException("of those", new RuntimeException("so")));
        thrown.code = 7;
        thrown.addSuppressed(new OfAClass("another", null));
        Failure failure = failures.encode(thrown, named);
        String byHand = "{\"type\":\"" + OfAClass.class.getName() + "\",\"message\":\"m\",\"fields\":{\"type\":\""
                + Planted.Count.NAME + "\",\"names\":{\"" + Planted.Count.NAME + "\":\"x\"},\"code\":1,\"@is\":\""
                + Planted.Count.NAME + "\"},\"cause\":{\"type\":\"" + Planted.Count.NAME + "\",\"fields\":{}}}";
        Fuzz.of("exceptions", List.of(failures.toJson(failure).json(), byHand))
                .through(json -> decodeIfOne(failures, json, named), List.of(IllegalArgumentException.class));
    }

    private static void decodeIfOne(FailureCodec failures, String json, Collection<Class<? extends Throwable>> named) {
        Failure failure = failures.fromJson(json);
        try {
            failures.decode(failure, named, FuzzedPayloadTest.class.getClassLoader());
        } catch (RuntimeException e) {
            throw new AssertionError("decoding a failure never fails", e);
        }
    }
}
