package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.worker.Drive;
import dev.durable.worker.Step;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for whom while a test's engine is cranked. */
@Timeout(60)
class PumpDriveTest {
    private final PumpDrive drive = new PumpDrive(new MemoryTime());

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
}
