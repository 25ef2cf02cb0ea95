package dev.durable.internal.payload;

import dev.durable.internal.payload.Shapes.Box;
import dev.durable.internal.payload.Shapes.Circle;
import dev.durable.internal.payload.Shapes.Color;
import dev.durable.internal.payload.Shapes.Group;
import dev.durable.internal.payload.Shapes.Money;
import dev.durable.internal.payload.Shapes.Page;
import dev.durable.internal.payload.Shapes.Result;
import dev.durable.internal.payload.Shapes.Shape;
import dev.durable.internal.payload.Shapes.Square;
import dev.durable.internal.payload.Shapes.Unit;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;

/** Random types and values of them, from a seed. */
final class RandomValues {
    private static final TypeFactory TYPES = JsonMapper.shared().getTypeFactory();

    private final Random random;

    RandomValues(long seed) {
        this.random = new Random(seed);
    }

    /** A type and how to make values of it. */
    record Kind(JavaType type, Supplier<Object> values) {}

    Kind kind(int depth) {
        return depth == 0 || random.nextInt(4) == 0 ? simple() : composed(kind(depth - 1));
    }

    private Kind simple() {
        return switch (random.nextInt(11)) {
            case 0 -> of(String.class, this::text);
            case 1 -> of(Long.class, random::nextLong);
            case 2 -> of(Double.class, () -> Double.longBitsToDouble(random.nextLong()));
            case 3 -> of(BigDecimal.class, this::decimal);
            case 4 -> of(Instant.class, () -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)));
            case 5 ->
                of(Duration.class, () -> Duration.ofSeconds(random.nextLong() >> 8, random.nextInt(1_000_000_000)));
            case 6 -> of(UUID.class, () -> new UUID(random.nextLong(), random.nextLong()));
            case 7 -> of(Color.class, () -> oneOf(Color.class));
            case 8 -> of(Money.class, () -> new Money(decimal(), text()));
            case 9 -> of(Shape.class, () -> shape(2));
            default -> of(Character.class, () -> (char) random.nextInt(0x10000));
        };
    }

    private Kind composed(Kind part) {
        return switch (random.nextInt(7)) {
            case 0 -> of(part, List.class, () -> list(part));
            case 1 -> of(part, Set.class, () -> new LinkedHashSet<>(list(part)));
            case 2 ->
                new Kind(
                        TYPES.constructMapType(Map.class, TYPES.constructType(String.class), part.type),
                        () -> map(part));
            case 3 -> of(part, Box.class, () -> Box.of(part.values.get()));
            case 4 -> of(part, Page.class, () -> new Page<>(list(part), part.values.get(), map(part)));
            case 5 -> of(part, Result.class, () -> result(part));
            default ->
                part.type.hasRawClass(Optional.class)
                        ? part
                        : of(
                                part,
                                Optional.class,
                                () -> Optional.ofNullable(random.nextBoolean() ? part.values.get() : null));
        };
    }

    private static Kind of(Type type, Supplier<Object> values) {
        return new Kind(TYPES.constructType(type), values);
    }

    private static Kind of(Kind part, Class<?> raw, Supplier<Object> values) {
        return new Kind(TYPES.constructParametricType(raw, part.type), values);
    }

    private List<Object> list(Kind part) {
        List<Object> list = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            list.add(part.values.get());
        }
        return list;
    }

    private Map<String, Object> map(Kind part) {
        Map<String, Object> map = new LinkedHashMap<>();
        list(part).forEach(value -> map.put(text(), value));
        return map;
    }

    private Result<?> result(Kind part) {
        return random.nextBoolean() ? new Result.Ok<>(part.values.get()) : new Result.Err<>(text());
    }

    private Shape shape(int depth) {
        return switch (random.nextInt(depth == 0 ? 3 : 4)) {
            case 0 -> new Circle(random.nextDouble());
            case 1 -> new Square(-random.nextInt(9));
            case 2 -> oneOf(Unit.class);
            default -> new Group(text(), List.of(shape(depth - 1), shape(depth - 1)));
        };
    }

    private <E> E oneOf(Class<E> type) {
        E[] constants = type.getEnumConstants();
        return constants[random.nextInt(constants.length)];
    }

    private BigDecimal decimal() {
        return new BigDecimal(new BigInteger(random.nextInt(1, 200), random), random.nextInt(-50, 50));
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(8); n > 0; n--) {
            text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
        }
        return text.toString();
    }
}
