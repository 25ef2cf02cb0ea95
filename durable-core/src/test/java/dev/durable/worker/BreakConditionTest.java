package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.WorkflowStatus;
import dev.durable.client.RunResult;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A condition that is waited for while runs close on other threads. */
class BreakConditionTest {
    private final ActivityBench bench = new ActivityBench();
    private final ResultWaiters waiters = new ResultWaiters(bench.store, () -> true);

    @Test
    void a_condition_is_not_forgotten_while_runs_close() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread[] closers = new Thread[2];
        for (int i = 0; i < closers.length; i++) {
            closers[i] = Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    waiters.closed(UUID.randomUUID(), new RunResult(WorkflowStatus.COMPLETED, null, null));
                }
            });
        }
        AtomicBoolean holds = new AtomicBoolean();
        int lost = 0;
        int rounds = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() - end < 0 && lost == 0) {
            rounds++;
            holds.set(false);
            CompletableFuture<?> wanted = waiters.until(holds::get);
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
            while (System.nanoTime() - until < 0) {
                waiters.runOnce();
            }
            holds.set(true);
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            while (!wanted.isDone() && System.nanoTime() - patience < 0) {
                waiters.runOnce();
                LockSupport.parkNanos(100_000);
            }
            lost += wanted.isDone() ? 0 : 1;
        }
        stop.set(true);
        for (Thread closer : closers) {
            closer.join();
        }
        assertThat(lost).as("conditions that nobody asks any more, in " + rounds + " rounds").isZero();
    }
}
