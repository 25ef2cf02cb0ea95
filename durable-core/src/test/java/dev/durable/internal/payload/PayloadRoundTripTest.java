package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.TypeRef;
import dev.durable.history.Payload;
import dev.durable.internal.payload.Shapes.*;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PayloadRoundTripTest {
    private final PayloadCodec codec = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    private static Arguments of(Object value, TypeRef<?> type) {
        return Arguments.of(value, type.type());
    }

    private static Arguments of(Object value, Type type) {
        return Arguments.of(value, type);
    }

    @SuppressWarnings("JavaUtilDate") // people have it
    static Stream<Arguments> values() {
        Money money = new Money(new BigDecimal("1.00"), "EUR");
        Line line = new Line("a\0b", 3, money, Optional.of("😀"));
        return Stream.of(
                of("plain", String.class),
                of("", String.class),
                of("nul \0 and \u2028 \u007f \t\n\"\\/", String.class),
                of("😀 \ud83d alone \ude00 reversed \ude00\ud83d", String.class),
                of('\0', char.class),
                of('\ud83d', char.class),
                of('ß', Character.class),
                of(Byte.MIN_VALUE, byte.class),
                of(Short.MIN_VALUE, Short.class),
                of(Integer.MIN_VALUE, int.class),
                of(Long.MAX_VALUE, long.class),
                of(Long.MIN_VALUE, Long.class),
                of(true, boolean.class),
                of(0.1f, float.class),
                of(Float.MIN_VALUE, Float.class),
                of(-0.0, double.class),
                of(Double.MIN_VALUE, double.class),
                of(Double.MAX_VALUE, double.class),
                of(Double.NaN, Double.class),
                of(Double.NEGATIVE_INFINITY, double.class),
                of(Float.POSITIVE_INFINITY, float.class),
                of(new BigDecimal("1.00"), BigDecimal.class),
                of(new BigDecimal("1E+3"), BigDecimal.class),
                of(new BigDecimal("1E-400"), BigDecimal.class),
                of(new BigDecimal("-0.000"), BigDecimal.class),
                of(new BigDecimal("0.1234567890123456789012345678901234567890"), BigDecimal.class),
                of(BigInteger.TWO.pow(64).subtract(BigInteger.ONE), BigInteger.class),
                of(BigInteger.TEN.pow(2000).negate(), BigInteger.class),
                of(new byte[] {0, -1, 127}, byte[].class),
                of(new int[] {1, 2}, int[].class),
                of(new char[] {'a', '\ud800'}, char[].class),
                of(new String[][] {{"a"}, {}, null}, String[][].class),
                of(new Money[] {money, null}, Money[].class),
                of(Instant.parse("2026-03-01T09:00:00.123456789Z"), Instant.class),
                of(Instant.MIN, Instant.class),
                of(Instant.MAX, Instant.class),
                of(Duration.ofSeconds(-3, 7), Duration.class),
                of(Period.of(1, 2, 3), Period.class),
                of(LocalDate.MIN, LocalDate.class),
                of(LocalTime.MIDNIGHT, LocalTime.class),
                of(LocalDateTime.of(2026, 3, 1, 9, 0), LocalDateTime.class),
                of(OffsetDateTime.parse("2026-03-01T09:00:00.000000001+05:30"), OffsetDateTime.class),
                of(
                        ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"))
                                .withLaterOffsetAtOverlap(),
                        ZonedDateTime.class),
                of(ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("UTC")), ZonedDateTime.class),
                of(ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneOffset.UTC), ZonedDateTime.class),
                of(ZoneId.of("Europe/Berlin"), ZoneId.class),
                of(YearMonth.of(2026, 3), YearMonth.class),
                of(DayOfWeek.MONDAY, DayOfWeek.class),
                of(new Date(1_772_355_600_123L), Date.class),
                of(UUID.randomUUID(), UUID.class),
                of(URI.create("https://example.com/a?b=%20"), URI.class),
                of(Locale.GERMANY, Locale.class),
                of(Currency.getInstance("EUR"), Currency.class),
                of(TimeUnit.DAYS, TimeUnit.class),
                of(Color.GREEN, Color.class),
                of(Color.RED, new TypeRef<Color>() {}),
                of(Optional.empty(), new TypeRef<Optional<Money>>() {}),
                of(Optional.of(money), new TypeRef<Optional<Money>>() {}),
                of(OptionalInt.of(3), OptionalInt.class),
                of(List.of(1L, 2L), new TypeRef<List<Long>>() {}),
                of(List.of(List.of(money), List.of()), new TypeRef<List<List<Money>>>() {}),
                of(Map.of(Color.GREEN, 1), new TypeRef<Map<Color, Integer>>() {}),
                of(Map.of(new UUID(1, 2), "x"), new TypeRef<Map<UUID, String>>() {}),
                of(Map.of(-7, List.of(money)), new TypeRef<Map<Integer, List<Money>>>() {}),
                of(Map.of(Instant.parse("2026-03-01T09:00:00.123456789Z"), 1), new TypeRef<Map<Instant, Integer>>() {}),
                of(new TreeMap<>(Map.of(Long.MAX_VALUE, '\0')), new TypeRef<SortedMap<Long, Character>>() {}),
                of(Map.of("\0\ud800", new BigDecimal("1.10")), new TypeRef<Map<String, BigDecimal>>() {}),
                of(new EnumMap<>(Map.of(Color.RED, "r")), new TypeRef<EnumMap<Color, String>>() {}),
                of(EnumSet.of(Color.GREEN), new TypeRef<EnumSet<Color>>() {}),
                of(new ArrayDeque<>(List.of(1, 2)).stream().toList(), new TypeRef<List<Integer>>() {}),
                of(money, Money.class),
                of(new Order(UUID.randomUUID(), List.of(line), Map.of(Color.GREEN, List.of(money))), Order.class),
                of(new Order(new UUID(0, 0), null, null), Order.class),
                of(new Page<>(List.of(line), line, Map.of("x", line)), new TypeRef<Page<Line>>() {}),
                of(new Page<>(List.of(List.of(1)), List.of(), Map.of()), new TypeRef<Page<List<Integer>>>() {}),
                of(new Empty(), Empty.class),
                of(new Circle(1), Shape.class),
                of(new Circle(1), Circle.class),
                of(Unit.EVERYTHING, Shape.class),
                of(Unit.EVERYTHING, Unit.class),
                of(new Group("g", List.of(new Square(-0.0), new Group("h", List.of()), Unit.NOTHING)), Shape.class),
                of(Map.of("a", new Square(2)), new TypeRef<Map<String, Shape>>() {}),
                of(new Result.Ok<>(money), new TypeRef<Result<Money>>() {}),
                of(new Result.Err<>("no"), new TypeRef<Result<Money>>() {}),
                of(Box.of(money), new TypeRef<Box<Money>>() {}),
                of(Box.of(Box.of(List.of(money))), new TypeRef<Box<Box<List<Money>>>>() {}),
                of(Optional.of(Box.of(new Circle(1))), new TypeRef<Optional<Box<Shape>>>() {}),
                of(List.of(new Result.Ok<>(Box.of(money))), new TypeRef<List<Result<Box<Money>>>>() {}),
                of(List.of(new Dog("rex", true), new Cat(9)), new TypeRef<List<Animal>>() {}),
                of(Bean.of("x", 5), Bean.class),
                of(new Point(1, -2), Point.class),
                of(Code.of("x-1"), Code.class),
                of(Map.of("k", Code.of("x-1")), new TypeRef<Map<String, Code>>() {}),
                of(Shapes.hidden(), Shapes.hidden().getClass()),
                of(new Base(), Base.class),
                of(
                        Map.of("a", 1, "b", List.of("x", true, 1.5, 3_000_000_000L), "c", Map.of()),
                        new TypeRef<Map<String, Object>>() {}),
                of("text", Object.class),
                of(5, Number.class));
    }

    @ParameterizedTest
    @MethodSource("values")
    void a_value_comes_back_as_it_was(Object value, Type type) {
        assertThat(thereAndBack(value, type)).isEqualTo(value);
    }

    @Test
    void random_values_of_random_types_come_back_as_they_were() {
        long seed = System.nanoTime();
        RandomValues values = new RandomValues(seed);
        for (int round = 0; round < 2_000; round++) {
            RandomValues.Kind kind = values.kind(4);
            Object value = kind.values().get();
            assertThat(thereAndBack(value, kind.type()))
                    .as("seed %d, round %d, %s", seed, round, kind.type())
                    .isEqualTo(value);
        }
    }

    private Object thereAndBack(Object value, Type type) {
        Payload payload = codec.encode(value, type, "the value");
        byte[] utf8 = payload.json().getBytes(StandardCharsets.UTF_8);
        return codec.decode(new Payload(new String(utf8, StandardCharsets.UTF_8)), type, "the value");
    }
}
