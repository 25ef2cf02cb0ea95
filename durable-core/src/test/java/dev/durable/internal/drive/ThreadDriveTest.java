package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The threads on which bodies run. */
@Timeout(60)
@ParameterizedClass(name = "virtual threads: {0}")
@ValueSource(booleans = {false, true})
class ThreadDriveTest {
    private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();

    private final ThreadDrive drive = new ThreadDrive(UnaryOperator.identity());
    private final boolean virtual;
    private final Executor bodies;

    ThreadDriveTest(boolean virtual) {
        this.virtual = virtual;
        this.bodies = drive.activities("mail", virtual);
    }

    @AfterEach
    void close() {
        drive.close();
        INHERITED.remove();
    }

    @Test
    void a_body_has_the_kind_of_thread_that_was_asked_for_under_the_name_of_its_queue() throws Exception {
        Thread thread = in(Thread::currentThread);

        assertThat(thread.isVirtual()).isEqualTo(virtual);
        assertThat(thread.getName()).startsWith("durable-activity-mail-");
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    void a_body_inherits_nothing_from_who_hands_it_over_but_sees_the_applications_classes() throws Exception {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        INHERITED.set("of another run");
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThat(in(() -> String.valueOf(INHERITED.get()))).isEqualTo("null");
            assertThat(in(() -> Thread.currentThread().getContextClassLoader())).isSameAs(application);
        } finally {
            Thread.currentThread().setContextClassLoader(application);
        }
    }

    @Test
    void a_close_ends_the_threads_of_bodies_though_a_loop_never_began() {
        drive.add("never started", Drive.Kind.IO, () -> Step.UNTIL_WOKEN);

        drive.close();

        if (!virtual) {
            assertThatThrownBy(() -> bodies.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    void a_step_that_says_that_it_gets_on_makes_progress_before_it_comes_back() throws Exception {
        CompletableFuture<Long> before = new CompletableFuture<>();
        CompletableFuture<Long> after = new CompletableFuture<>();
        drive.add("long", virtual ? Drive.Kind.TURNS : Drive.Kind.IO, () -> {
            while (drive.nanosSinceProgress() < TimeUnit.MILLISECONDS.toNanos(20)) {
                Thread.onSpinWait();
            }
            before.complete(drive.nanosSinceProgress());
            long told = System.nanoTime();
            Loop.progressed();
            after.complete(drive.nanosSinceProgress() - (System.nanoTime() - told));
            return Step.UNTIL_WOKEN;
        });
        drive.start();

        assertThat(before.get()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(after.get()).isLessThanOrEqualTo(0);
    }

    @Test
    void closed_it_interrupts_what_runs_and_takes_nothing_more() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<String> ended = new CompletableFuture<>();
        bodies.execute(() -> {
            runs.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                ended.complete("interrupted");
            }
        });
        runs.await();

        drive.close();

        assertThat(ended.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
        assertThatThrownBy(() -> bodies.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    private <T> T in(Supplier<T> body) throws Exception {
        return CompletableFuture.supplyAsync(body, bodies).get(30, TimeUnit.SECONDS);
    }
}
