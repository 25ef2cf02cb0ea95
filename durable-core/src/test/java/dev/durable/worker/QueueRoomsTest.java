package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.QueueFullException;
import dev.durable.QueueLimits;
import dev.durable.store.HistoryStore;
import dev.durable.store.QueueRules;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a start asks of its queue, and when it waits for the answer. */
class QueueRoomsTest {
    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicInteger woken = new AtomicInteger();
    private long nanos;
    private int depth;
    private QueueLimits limits = QueueLimits.NONE;
    private final QueueRooms rooms = new QueueRooms(store(), () -> nanos);

    QueueRoomsTest() {
        rooms.onStale(woken::incrementAndGet);
    }

    @Test
    void a_start_that_comes_rarely_does_not_wait_for_what_was_without_limit_before() {
        ask();
        assertThat(readings).hasValue(1);
        pass(Duration.ofSeconds(30));

        ask();
        ask();

        assertThat(readings).hasValue(1);
        assertThat(woken).as("it is read aside").hasValue(1);
        rooms.runOnce();
        assertThat(readings).hasValue(2);
    }

    @Test
    void what_was_read_more_than_a_minute_ago_is_read_before_the_start() {
        ask();
        pass(Duration.ofMinutes(1));
        limits = limited();
        depth = 3;

        assertFull();
    }

    @Test
    void a_full_queue_is_counted_once_for_all_who_are_refused_within_a_tenth_of_a_second() {
        limits = limited();
        depth = 3;

        for (int i = 0; i < 10; i++) {
            assertFull();
        }
        assertThat(readings).hasValue(1);

        pass(Duration.ofMillis(100));
        depth = 2;
        ask();
        assertFull();
        assertThat(readings).hasValue(2);
    }

    @Test
    void several_starts_get_as_many_places_as_there_are() {
        limits = limited();
        depth = 1;

        assertThat(rooms.take("default", 5, false)).isEqualTo(2);
        assertThat(rooms.take("default", 5, false)).isZero();
        assertThat(readings).as("just read").hasValue(1);

        pass(Duration.ofMillis(100));
        depth = 2;
        assertThat(rooms.take("default", 5, false)).isEqualTo(1);
        limits = QueueLimits.NONE;
        rooms.forget();
        assertThat(rooms.take("default", 5, false)).isEqualTo(5);
    }

    private void ask() {
        rooms.ask("default", "workflow o-1", false);
    }

    private void assertFull() {
        assertThatThrownBy(this::ask)
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("task queue default is full: its maxDepth is 3");
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private static QueueLimits limited() {
        return QueueLimits.of(l -> l.maxDepth(3));
    }

    private HistoryStore store() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("queueRules")) {
                        readings.incrementAndGet();
                        return new QueueRules(Map.of("default", new QueueRules.Rule(false, limits, false)), Set.of());
                    }
                    return depth;
                });
    }
}
