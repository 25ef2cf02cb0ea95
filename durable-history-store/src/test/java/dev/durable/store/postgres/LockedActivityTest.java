package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.DurableException;
import dev.durable.Trials;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableEngine;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests orders for a job whose row another transaction keeps locked: the caller is told so, and does not wait for ever.
 */
@Timeout(300)
@Tag("slow")
class LockedActivityTest extends StoreContract {

    @Activity
    interface Bank {
        String pay(String what);
    }

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void an_order_waits_for_a_lock_as_long_as_a_call_may_and_says_whom_it_waited_for() throws Exception {
        Trials.once(number -> anOrderWaitsForALock());
    }

    private void anOrderWaitsForALock() {
        try (DurableEngine engine = DurableEngine.builder(store)
                .activity(Bank.class, what -> what)
                .callTimeout(Duration.ofSeconds(6)) // one try waits for five
                .clientOnly()
                .start()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
            try (Holder holder = Holder.ofJob(new RunKey(job.runId(), job.id()), 1)) {
                long before = System.nanoTime();

                assertThatThrownBy(() -> engine.client().activity(job.id(), 1).pause())
                        .isInstanceOf(DurableException.class)
                        .hasMessage("LOCKED: another transaction has the job of activity 1 of workflow " + job.id()
                                + ", longer than a call waits (6 s). Nothing was done to it. Usually that is a"
                                + " transactional activity which runs long, or a transaction held open by hand. Try again"
                                + " in a moment.");

                assertThat(Duration.ofNanos(System.nanoTime() - before))
                        .as("one wait for the lock, no second")
                        .isLessThan(Duration.ofMillis(9_500));
                assertThat(holder.waiters()).isZero();
            }
            assertThat(engine.client().activity(job.id(), 1).pause())
                    .as("free again")
                    .isTrue();
        }
    }
}
