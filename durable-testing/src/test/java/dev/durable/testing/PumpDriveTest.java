package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.worker.Drive;
import dev.durable.worker.Step;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for whom while a test's engine is cranked. */
@Timeout(60)
class PumpDriveTest {
    private final PumpDrive drive = new PumpDrive(new MemoryTime(), Duration.ofMillis(300));

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

    /** A test that failed may have left a body that waits for it. */
    @Test
    void a_test_does_not_end_for_ever() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        drive.start();
        hang(interrupted);

        assertThatThrownBy(drive::awaitEnd)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the test is over with activity bodies still running. A body may wait for what the test did"
                        + " not come to do, or for time to move (engine.advanceWhileRunning). It is interrupted now;"
                        + " histories are not replayed")
                .satisfies(stuck -> assertThat(stuck.getSuppressed())
                        .singleElement()
                        .satisfies(where -> assertThat(where)
                                .hasStackTraceContaining("PumpDriveTest")
                                .hasMessageEndingWith("is here")));
        drive.close();
        assertThat(interrupted.await(50, TimeUnit.SECONDS)).isTrue();
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
        hang(new CountDownLatch(1));

        Thread.currentThread().interrupt();

        assertThatThrownBy(drive::awaitIdle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("interrupted while the test engine was waited for, with activity bodies still running");
        assertThat(Thread.interrupted()).isTrue();
    }

    private void hang(CountDownLatch interrupted) {
        drive.activities("default", false).execute(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
    }
}
