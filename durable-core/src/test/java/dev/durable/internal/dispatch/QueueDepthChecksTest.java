package dev.durable.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.QueueFullException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.QueueLimits;
import dev.durable.internal.drive.ThreadDrive;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.text.Bounds;
import dev.durable.store.HistoryStore;
import dev.durable.store.QueueRules;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reading that a start needs of its queue, and when the start waits for it. */
class QueueDepthChecksTest {
    private static final QueueDepthChecks.Patience PATIENT = () -> Duration.ofMinutes(1);

    private final AtomicInteger readings = new AtomicInteger();
    private long nanos;
    private int depth;
    private volatile Runnable beforeAnswer = () -> {};
    private QueueLimits limits = QueueLimits.NONE;
    private final ThreadDrive drive = new ThreadDrive(UnaryOperator.identity());
    private final QueueDepthChecks checks =
            new QueueDepthChecks(store(), drive, new Tries(System::nanoTime, UnaryOperator.identity()), () -> nanos);

    @Test
    @Timeout(60)
    void a_start_that_comes_rarely_does_not_wait_for_what_was_without_limit_before() {
        ask();
        assertThat(readings).hasValue(1);
        pass(Duration.ofSeconds(30));

        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        beforeAnswer = () -> {
            begun.countDown();
            await(asked);
        };
        ask();
        ask();
        await(begun);
        asked.countDown();

        assertThat(readings).as("it is read aside, once").hasValue(2);
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

        assertThat(checks.take("default", 5, PATIENT)).isEqualTo(2);
        assertThat(checks.take("default", 5, PATIENT)).isZero();
        assertThat(readings).as("just read").hasValue(1);

        pass(Duration.ofMillis(100));
        depth = 2;
        assertThat(checks.take("default", 5, PATIENT)).isEqualTo(1);
        limits = QueueLimits.NONE;
        checks.forget();
        assertThat(checks.take("default", 5, PATIENT)).isEqualTo(5);
    }

    @Test
    @Timeout(60)
    void a_hundred_first_starts_at_once_read_their_queue_once_and_once_more_when_its_rules_change() throws Exception {
        try (ExecutorService callers = Executors.newFixedThreadPool(100)) {
            askAtOnce(callers, 100);
            assertThat(readings).hasValue(1);

            checks.forget();
            askAtOnce(callers, 100);
            checks.forget();
            askAtOnce(callers, 100);
            assertThat(readings).as("200 starts after two changes").hasValue(3);
        }
    }

    @Test
    @Timeout(60)
    void starts_that_are_refused_at_once_share_a_reading() throws Exception {
        limits = limited();
        depth = 3;
        assertFull();
        pass(Duration.ofMillis(100));
        try (ExecutorService callers = Executors.newFixedThreadPool(100)) {
            CountDownLatch others = new CountDownLatch(100);
            beforeAnswer = () -> await(others);
            List<Future<?>> starts = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                starts.add(callers.submit(() -> {
                    others.countDown();
                    assertFull();
                }));
            }
            for (Future<?> start : starts) {
                start.get();
            }
        }
        assertThat(readings).hasValue(2);
    }

    @Test
    @Timeout(60)
    void those_who_wait_for_a_reading_that_fails_do_not_each_try_it_again() throws Exception {
        CountDownLatch others = new CountDownLatch(20);
        AtomicInteger waiting = new AtomicInteger();
        beforeAnswer = () -> {
            await(others);
            while (waiting.get() < 20) {
                Thread.onSpinWait();
            }
            throw new StoreUnavailableException("away");
        };
        try (ExecutorService callers = Executors.newFixedThreadPool(20)) {
            List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
            List<Future<?>> starts = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                starts.add(callers.submit(() -> {
                    threads.add(Thread.currentThread());
                    others.countDown();
                    ask();
                }));
            }
            await(others);
            // Who reads spins, on a thread of the drive's.
            while (threads.stream()
                            .filter(t -> t.getState() == Thread.State.TIMED_WAITING)
                            .count()
                    < 20) {
                Thread.onSpinWait();
            }
            waiting.set(20);
            for (Future<?> start : starts) {
                start.get();
            }
        }
        assertThat(readings).hasValue(1);
    }

    @Test
    @Timeout(60)
    void a_queue_that_is_being_read_holds_up_no_other() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        beforeAnswer = () -> {
            begun.countDown();
            await(released);
        };
        try (ExecutorService callers = Executors.newSingleThreadExecutor()) {
            Future<?> slow = callers.submit(this::ask);
            await(begun);
            beforeAnswer = () -> {};
            checks.ask("other", "workflow o-2", PATIENT);
            assertThat(slow.isDone()).isFalse();
            released.countDown();
            slow.get();
        }
    }

    @Test
    @Timeout(60)
    void a_reading_that_hangs_keeps_no_caller_longer_than_its_patience_and_no_caller_in_a_transaction() {
        CountDownLatch released = new CountDownLatch(1);
        beforeAnswer = () -> await(released);

        assertThatThrownBy(() -> checks.ask("default", "workflow o-1", () -> Duration.ofMillis(10)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "whether task queue default has room is not known: the database has not answered for as long as a"
                                + " call waits (callTimeout). Nothing was started. Usually the database is away or overloaded, or all"
                                + " connections of the pool are in use, which the log says. Try again later.");
        checks.ask("default", "workflow o-1", null);
        assertThat(readings).hasValue(1);

        released.countDown();
        ask();
        assertThat(readings).as("the one that hung is the answer").hasValue(1);
    }

    @Test
    void of_very_many_queues_those_that_were_not_asked_for_lately_are_forgotten() {
        for (int i = 0; i < 2 * Bounds.QUEUES; i++) {
            checks.ask("queue " + i, "workflow o-1", PATIENT);
        }
        assertThat(checks.size()).isLessThanOrEqualTo(Bounds.QUEUES);
    }

    /** The reading is answered when all have come, so that those who are not the first have to wait for it. */
    private void askAtOnce(ExecutorService callers, int starts) throws Exception {
        CountDownLatch come = new CountDownLatch(starts);
        beforeAnswer = () -> await(come);
        List<Future<?>> asking = new ArrayList<>();
        for (int i = 0; i < starts; i++) {
            asking.add(callers.submit(() -> {
                come.countDown();
                ask();
            }));
        }
        for (Future<?> one : asking) {
            one.get();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ask() {
        checks.ask("default", "workflow o-1", PATIENT);
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
                        beforeAnswer.run();
                        return new QueueRules(Map.of("default", new QueueRules.Rule(false, limits, false)), Set.of());
                    }
                    return depth;
                });
    }
}
