package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread that looks for a database that was away when the application began. */
class OpeningLoopTest {
    @Test
    void an_error_of_one_try_does_not_end_the_thread() throws InterruptedException {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        OpeningLoop loop = new OpeningLoop(() -> {
            if (tries.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("org/example/Missing");
            }
            done.countDown();
            return true;
        });
        loop.begin();
        try {
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            loop.end();
        }
    }
}
