package dev.durable.history;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.ChildCancellationType;
import dev.durable.ChildOptions;
import dev.durable.OnExhausted;
import dev.durable.ParentClosePolicy;
import dev.durable.RetryPolicy;
import dev.durable.ReusePolicy;
import dev.durable.Versioning;
import dev.durable.client.WorkflowStatus;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random events of every type, from a seed. A record with a component it can't fill fails the test that asks. */
final class Samples {
    private static final String[] PIECES = {
        "a", "Zoë", "\0", "\"", "\\", "\n\t", "/", "\u2028", "😀", "\ud83d", "\ude00", "\u007f", "{", "}]", ",", "日本",
        " "
    };
    private static final String[] JSON = {
        "null",
        "true",
        "1.00",
        "-0.0",
        "1E+400",
        "9223372036854775807",
        "\"\"",
        "\"\\u0000\\ud800\"",
        "\"a\\\\\"",
        "\"😀 }]\"",
        "[]",
        "{}",
        "[ 1 ,\n 2 ]",
        "{ \"b\" : 1, \"a\":[{}] ,\"a\":2}",
        "{\"\\\"}\":\"\\\"{\"}"
    };

    private final Random random;

    Samples(long seed) {
        this.random = new Random(seed);
    }

    /** The records of the sealed hierarchy. */
    static Stream<Class<?>> eventTypes() {
        return leaves(HistoryEvent.class);
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(Samples::leaves)
                : Stream.of(type);
    }

    <T> T event(Class<T> type) {
        return record(type, 0);
    }

    private <T> T record(Class<T> type, int depth) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = Arrays.stream(components).map(c -> value(c, depth)).toArray();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            var constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type + " from " + Arrays.toString(values), e);
        }
    }

    private @Nullable Object value(RecordComponent component, int depth) {
        boolean nullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        return nullable && (random.nextBoolean() || depth > 2)
                ? null
                : value(component.getGenericType(), component, depth);
    }

    private Object value(Type type, RecordComponent component, int depth) {
        return switch (type.getTypeName()) {
            case "long", "java.lang.Long" -> 1 + (random.nextLong() >>> 20);
            case "int" -> random.nextInt(1_000_000);
            case "java.lang.Integer" -> random.nextInt(1_000_000);
            case "boolean" -> random.nextBoolean();
            case "double" -> component.getName().equals("jitter") ? random.nextDouble() : 1 + random.nextDouble();
            case "java.lang.String" -> component.getName().equals("attributes") ? "{\"informing\":true}" : text();
            case "java.time.Instant" -> instant();
            case "java.time.Duration" -> duration();
            case "java.util.UUID" -> uuid();
            case "dev.durable.history.Payload" -> payload();
            case "dev.durable.history.TimeoutType" ->
                List.of(TimeoutType.values()).get(random.nextInt(4));
            case "dev.durable.ActivityCancellationType" ->
                List.of(ActivityCancellationType.values()).get(random.nextInt(3));
            case "dev.durable.history.LocalCall" -> record(LocalCall.class, depth);
            case "dev.durable.history.ChainLink" -> record(ChainLink.class, depth);
            case "java.util.List<dev.durable.history.CarriedChild>" -> many(() -> carriedChild(depth));
            case "dev.durable.history.Failure" -> failure(depth + 1);
            case "dev.durable.ActivityOptions" -> record(ActivityOptions.class, depth);
            case "dev.durable.ChildOptions" ->
                ChildOptions.defaults()
                        .reusePolicy(List.of(ReusePolicy.values()).get(random.nextInt(3)))
                        .startDelay(Duration.ofMillis(random.nextInt(3)))
                        .expiresIn(Duration.ofMillis(1 + random.nextInt(3)))
                        .headers(map())
                        .parentClosePolicy(List.of(ParentClosePolicy.values()).get(random.nextInt(3)))
                        .cancellation(List.of(ChildCancellationType.values()).get(random.nextInt(3)));
            case "dev.durable.history.RunAttempt" -> record(RunAttempt.class, depth);
            case "dev.durable.history.ParentRun" -> record(ParentRun.class, depth);
            case "dev.durable.client.WorkflowStatus" ->
                List.of(WorkflowStatus.values()).get(random.nextInt(3));
            case "dev.durable.Versioning" -> List.of(Versioning.values()).get(random.nextInt(2));
            case "dev.durable.RetryPolicy" -> retry();
            case "java.util.Map<java.lang.String, java.lang.String>" -> map();
            case "java.util.List<java.util.UUID>" -> many(this::uuid);
            case "java.util.List<java.lang.String>" -> many(this::text);
            case "java.util.List<dev.durable.history.Failure>" ->
                depth > 2 ? List.of() : many(() -> failure(depth + 1));
            default -> throw new AssertionError("no sample of " + type + ", " + component);
        };
    }

    private CarriedChild carriedChild(int depth) {
        UUID runId = uuid();
        Payload result = payload();
        return new CarriedChild(
                1 + random.nextInt(1_000),
                text(),
                runId,
                text(),
                List.of(ParentClosePolicy.values()).get(random.nextInt(3)),
                List.of(ChildCancellationType.values()).get(random.nextInt(3)),
                random.nextBoolean(),
                random.nextBoolean() ? null : new ChildCompleted(1 + depth, instant(), 7, runId, result));
    }

    private <T> List<T> many(java.util.function.Supplier<T> one) {
        return IntStream.range(0, random.nextInt(3)).mapToObj(i -> one.get()).toList();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private Instant instant() {
        return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))
                .truncatedTo(ChronoUnit.MICROS);
    }

    private Duration duration() {
        return Duration.ofNanos(random.nextLong() >>> random.nextInt(1, 63));
    }

    private UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private Payload payload() {
        List<String> parts = new ArrayList<>(many(() -> JSON[random.nextInt(JSON.length)]));
        return Payload.of(parts.size() == 1 ? parts.getFirst() : parts.toString());
    }

    private RetryPolicy retry() {
        Duration initial = duration();
        Duration max = initial.plus(Duration.ofNanos(random.nextLong() >>> 2));
        return new RetryPolicy(
                random.nextInt(9),
                initial,
                1 + random.nextDouble(),
                max,
                random.nextDouble(),
                many(this::text),
                3,
                random.nextBoolean() ? RetryPolicy.Growth.EXPONENTIAL : RetryPolicy.Growth.POLYNOMIAL,
                random.nextBoolean() ? null : text(),
                List.of(OnExhausted.values()).get(random.nextInt(4)),
                random.nextInt(4));
    }

    private Failure failure(int depth) {
        return record(Failure.class, depth);
    }

    private Map<String, String> map() {
        return random.nextBoolean() ? Map.of() : Map.of(text(), text(), text() + "x", text());
    }
}
