package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait for futures of the engine; virtual ones here, as all threads are alike. */
@Timeout(60)
class BlockedCallersTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final BlockedCallers waits = new BlockedCallers();
    private final CompletableFuture<String> future = new CompletableFuture<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void nobody_is_left_behind() {
        threads.close();

        assertThat(waits.size()).isZero();
    }

    @Test
    void what_is_done_is_given_at_once_even_after_the_close() throws Exception {
        future.complete("yes");
        waits.close();

        assertThat(waits.await(future, null)).isEqualTo("yes");
        assertThat(waits.await(future, Duration.ZERO)).isEqualTo("yes");
    }

    @Test
    void who_waits_hears_when_it_is_done() throws Exception {
        Future<String> one = waiting(null);
        Future<String> other = waiting(LONG);

        future.complete("yes");

        assertThat(one.get()).isEqualTo("yes");
        assertThat(other.get()).isEqualTo("yes");
    }

    @Test
    void a_failure_is_the_one_that_happened() throws Exception {
        Future<String> wait = waiting(null);
        IllegalStateException failure = new IllegalStateException("no");

        future.completeExceptionally(failure);

        assertThatThrownBy(wait::get).rootCause().isSameAs(failure);
        assertThatThrownBy(() -> waits.await(future, null))
                .isInstanceOf(ExecutionException.class)
                .hasCause(failure);
    }

    @Test
    void who_waits_for_what_is_cancelled_is_told_so_as_by_the_future_itself() throws Exception {
        Future<String> wait = waiting(null);

        future.cancel(false);

        assertThatThrownBy(wait::get).hasCauseInstanceOf(CancellationException.class);
    }

    @Test
    void a_limit_ends_one_wait_and_leaves_the_future_to_the_others() throws Exception {
        Future<String> patient = waiting(null);
        Future<String> hasty = threads.submit(() -> waits.await(future, Duration.ofMillis(1)));

        assertThatThrownBy(hasty::get)
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("not done within PT0.001S");
        assertThat(future).isNotDone();
        future.complete("late");
        assertThat(patient.get()).isEqualTo("late");
    }

    @Test
    void who_waits_while_the_engine_closes_or_begins_to_wait_after_it_is_told_so() throws Exception {
        Future<String> before = waiting(null);
        waits.close();
        Future<String> after = threads.submit(() -> waits.await(future, LONG));

        for (Future<String> wait : List.of(before, after)) {
            assertThatThrownBy(wait::get)
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the engine was closed while this waited for it, or before.");
        }
        assertThat(future).isNotDone();
    }

    @Test
    void an_interrupt_ends_the_wait_and_nothing_else() throws Exception {
        AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
        Future<String> wait = threads.submit(() -> {
            thread.set(Thread.currentThread());
            return waits.await(future, LONG);
        });
        until(1);

        Thread waiter = thread.get();
        assertThat(waiter).isNotNull();
        waiter.interrupt();

        assertThatThrownBy(wait::get).hasCauseInstanceOf(InterruptedException.class);
        assertThat(future).isNotDone();
    }

    private Future<String> waiting(@Nullable Duration timeout) {
        int before = waits.size();
        Future<String> wait = threads.submit(() -> waits.await(future, timeout));
        until(before + 1);
        return wait;
    }

    /** Waits until so many threads wait. */
    private void until(int size) {
        while (waits.size() < size) {
            Thread.onSpinWait();
        }
    }
}
