package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyExecutorTest {
    private final AtomicInteger started = new AtomicInteger();
    private final Thread.Builder threads = Thread.ofPlatform().daemon();
    private BodyExecutor crew = crew(Duration.ofMinutes(1));

    private BodyExecutor crew(Duration patience) {
        return new BodyExecutor(
                body -> {
                    started.incrementAndGet();
                    return threads.unstarted(body);
                },
                patience,
                UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        crew.close();
    }

    @Test
    void tasks_that_wait_for_each_other_run_side_by_side() throws Exception {
        int count = 40;
        CyclicBarrier together = new CyclicBarrier(count);
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            crew.execute(() -> {
                await(together);
                done.countDown();
            });
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(started).hasValue(count);
    }

    @Test
    void short_tasks_are_run_by_few_threads() throws Exception {
        int count = 100_000;
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            crew.execute(done::countDown);
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(started.get()).isLessThan(count / 100);
    }

    @Test
    void a_task_that_throws_or_is_interrupted_leaves_nothing_to_the_next() throws Exception {
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        crew.execute(() -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("as the test wants it");
        });
        crew.execute(() -> {
            interrupted.set(Thread.currentThread().isInterrupted());
            done.countDown();
        });
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).hasValue(false);
    }

    @Test
    void threads_without_work_go_and_come_again() throws Exception {
        crew = crew(Duration.ofMillis(1));
        for (int i = 1; i <= 3; i++) {
            AtomicReference<Thread> ran = new AtomicReference<>();
            CountDownLatch done = new CountDownLatch(1);
            crew.execute(() -> {
                ran.set(Thread.currentThread());
                done.countDown();
            });
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            ran.get().join(TimeUnit.SECONDS.toMillis(30));
            assertThat(ran.get().isAlive()).isFalse();
        }
        assertThat(started).hasValue(3);
    }

    @Test
    void where_no_thread_can_be_started_the_others_take_the_tasks_and_with_none_they_are_refused() throws Exception {
        AtomicInteger refused = new AtomicInteger(1);
        crew = new BodyExecutor(body -> new NoThread(body, refused), Duration.ofMinutes(1), UnaryOperator.identity());
        assertThatThrownBy(() -> crew.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);

        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            crew.execute(() -> {
                refused.set(1);
                await(go);
                done.countDown();
            });
        }
        go.countDown();

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void where_a_thread_can_not_even_be_made_the_others_take_the_tasks() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        crew = new BodyExecutor(
                body -> {
                    if (refused.getAndDecrement() > 0) {
                        throw new IllegalStateException("no thread today");
                    }
                    return threads.unstarted(body);
                },
                Duration.ofMinutes(1),
                UnaryOperator.identity());
        CountDownLatch done = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            crew.execute(() -> {
                refused.set(1);
                done.countDown();
            });
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** A thread as the machine returns it where it has no threads left. */
    private static final class NoThread extends Thread {
        private final AtomicInteger refused;

        NoThread(Runnable body, AtomicInteger refused) {
            super(body);
            setDaemon(true);
            this.refused = refused;
        }

        @Override
        public synchronized void start() {
            if (refused.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            super.start();
        }
    }

    @Test
    void closed_it_interrupts_what_runs_and_takes_nothing_more() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        AtomicReference<Thread> ran = new AtomicReference<>();
        crew.execute(() -> {
            ran.set(Thread.currentThread());
            runs.countDown();
            await(new CyclicBarrier(2));
        });
        assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        crew.close();
        ran.get().join(TimeUnit.SECONDS.toMillis(30));
        assertThat(ran.get().isAlive()).isFalse();
        assertThatThrownBy(() -> crew.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
