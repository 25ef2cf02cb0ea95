package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait for each other while a test's engine is cranked. */
@Timeout(60)
class PumpDriveTest {
    private final PumpDrive drive = new PumpDrive(new MemoryTime(), PumpDrive.PATIENCE_WITH_BODIES);

    @AfterEach
    void close() {
        drive.close();
    }

    /** A body may wait for the very thing that the client does next. */
    @Test
    void a_client_that_tries_again_lets_the_steps_work_and_does_not_wait_for_a_body_that_hangs() throws Exception {
        AtomicInteger cranks = new AtomicInteger();
        drive.add("counting", Drive.Kind.IO, () -> {
            cranks.incrementAndGet();
            return Step.UNTIL_WOKEN;
        });
        drive.start();
        drive.awaitIdle();
        CountDownLatch released = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        drive.activities("default", false).execute(() -> {
            try {
                released.await();
                ended.set(true);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        drive.breathe();

        assertThat(cranks).hasValueGreaterThan(1);
        assertThat(ended).isFalse();
        released.countDown();
        drive.awaitIdle();
        assertThat(ended).isTrue();
    }

    @Test
    void bodies_that_begin_and_end_are_waited_for() {
        AtomicInteger left = new AtomicInteger(20);
        Executor bodies = drive.activities("default", false);
        drive.start();
        bodies.execute(new Runnable() {
            @Override
            public void run() {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
                if (left.decrementAndGet() > 0) {
                    bodies.execute(this);
                }
            }
        });

        drive.awaitEnd();

        assertThat(left).hasValue(0);
    }

    /** As a test's timeout does. */
    @Test
    void who_is_interrupted_while_waiting_for_a_body_is_told_so() {
        drive.start();
        hang();

        Thread.currentThread().interrupt();

        assertThatThrownBy(drive::awaitIdle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("interrupted while the test engine was waited for, with activity bodies still running");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void who_is_interrupted_while_the_test_ends_is_told_so() {
        drive.start();
        hang();

        Thread.currentThread().interrupt();

        assertThatThrownBy(drive::awaitEnd)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("interrupted while the test engine was waited for, with activity bodies still running");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_step_that_fails_fails_the_test_at_its_end() {
        drive.add("broken", Drive.Kind.IO, () -> {
            throw new IllegalStateException("out of order");
        });
        drive.start();

        assertThatThrownBy(drive::awaitEnd)
                .hasMessage("the test engine broke down")
                .hasRootCauseMessage("out of order");
    }

    private void hang() {
        drive.activities("default", false).execute(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
