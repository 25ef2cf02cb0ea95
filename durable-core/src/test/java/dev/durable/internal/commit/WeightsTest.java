package dev.durable.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each item in a lane, a claim or a lease weighs at least as much as the long texts in it: each record is filled with
 * long texts, so that a text that is added to a record and not weighed is found here.
 */
class WeightsTest {
    private static final int SIZE = 10_000;
    private static final String LONG = "x".repeat(SIZE);

    /** Bounded to a few hundred characters where they are given. */
    private static final Set<String> SHORT = Set.of(
            "workflowId",
            "type",
            "name",
            "stream",
            "activity",
            "taskQueue",
            "workflowType",
            "limitKey",
            "actor",
            "batch",
            "fingerprint");

    /** Counts the long texts that were put in. */
    private long put;

    @ParameterizedTest
    @MethodSource
    void each_update_of_a_job_is_weighed(Class<? extends JobUpdate> kind) throws Exception {
        assertWeighed(kind, Weights::of);
    }

    static Stream<Class<?>> each_update_of_a_job_is_weighed() {
        return Arrays.stream(JobUpdate.class.getPermittedSubclasses());
    }

    @Test
    void what_else_waits_or_is_held_is_weighed() throws Exception {
        assertWeighed(NewRun.class, Weights::of);
        assertWeighed(Delivery.class, Weights::of);
        assertWeighed(ClaimedJob.class, Weights::of);
        assertWeighed(InboxMessage.class, Weights::of);
        assertWeighed(StoredEvent.class, event -> Weights.of(List.of(event), List.of()));
        put = 0;
        Transition step = new Transition(
                filled(RunKey.class),
                new Transition.Fences(new UUID(1, 1), new UUID(1, 2)),
                7,
                List.of(new StoredEvent(7, "t", Instant.EPOCH, null, text("attributes"))),
                List.of(),
                new Transition.JobChanges(List.of(filled(NewJob.class)), List.of(), List.of()),
                true,
                null,
                null,
                filled(Transition.Close.class));
        assertThat(Weights.of(step)).isBetween(put, put + 5_000);
    }

    @Test
    void a_text_takes_two_bytes_a_character_if_one_is_not_in_latin_1() {
        assertThat(Portion.heapBytes("ÿ".repeat(7))).isEqualTo(7);
        assertThat(Portion.heapBytes("aaaaaa€")).isEqualTo(14);
        assertThat(Portion.heapBytes("")).isZero();
        assertThat(Portion.heapBytes(null)).isZero();
    }

    private <T> void assertWeighed(Class<T> kind, ToLongFunction<T> weight) throws Exception {
        put = 0;
        T item = filled(kind);
        assertThat(weight.applyAsLong(item)).as("%s with %d bytes", kind, put).isBetween(put, put + 5_000);
    }

    private String text(String name) {
        if (SHORT.contains(name)) {
            return "short";
        }
        put += SIZE;
        return LONG;
    }

    private <T> T filled(Class<T> type) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = value(type, components[i]);
        }
        Constructor<T> constructor = type.getDeclaredConstructor(
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        return constructor.newInstance(values);
    }

    private @Nullable Object value(Class<?> of, RecordComponent component) throws Exception {
        Class<?> type = component.getType();
        String name = component.getName();
        if (type == String.class) {
            return text(name);
        } else if (type == List.class) {
            Type item = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
            return item instanceof Class<?> record && record.isRecord() ? List.of(filled(record)) : List.of();
        } else if (type == Map.class) {
            return Map.of("name", text(name));
        } else if (of == NewJob.class && Set.of("eager", "limitKey").contains(name)) {
            return null;
        } else if (type == JobUpdate.class) {
            return filled(JobUpdate.Retry.class);
        } else if (type == InboxMessage.class) {
            return of == JobUpdate.Settle.class
                    ? new InboxMessage(
                            new UUID(7, 7), MessageKind.ACTIVITY_OUTCOME, "n", text("payload"), text("notes"), null)
                    : filled(InboxMessage.class);
        } else if (type == UUID.class) {
            return new UUID(7, 7);
        } else if (type == Duration.class) {
            return Duration.ZERO;
        } else if (type == Instant.class) {
            return Instant.EPOCH;
        } else if (type == int.class) {
            return 1;
        } else if (type == long.class) {
            return 1L;
        } else if (type == boolean.class) {
            return true;
        } else if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return type.isRecord() ? filled(type) : null;
    }
}
