package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads that ask the store for callers. */
@Timeout(60)
class AskedAsideTest {
    @Test
    void a_replica_that_hangs_keeps_no_order_waiting() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        try (AskedAside aside = new AskedAside(UnaryOperator.identity())) {
            List<CompletableFuture<Boolean>> listings = new ArrayList<>();
            for (int i = 0; i < AskedAside.MOST * 2; i++) {
                listings.add(aside.askViews(() -> await(answers)));
            }

            assertThat(aside.ask(() -> "ordered").get(30, TimeUnit.SECONDS)).isEqualTo("ordered");

            answers.countDown();
            for (CompletableFuture<Boolean> listing : listings) {
                assertThat(listing.get(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }
}
