package dev.durable.internal.replay.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.engine.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsideThreadsTest {
    private static final ClassLoader LOADER = AsideThreadsTest.class.getClassLoader();

    private final AsideThreads threads = new AsideThreads();
    private final CountDownLatch returns = new CountDownLatch(1);

    @AfterEach
    void close() {
        returns.countDown();
        threads.close();
    }

    @Test
    void code_runs_on_a_platform_thread_that_inherits_nothing_and_is_called_as_its_run() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        inherited.set("caller's");
        List<Object> seen = new ArrayList<>();

        end(() -> {
            Thread thread = Thread.currentThread();
            seen.addAll(List.of(
                    thread.getName(),
                    thread.isVirtual(),
                    thread.isDaemon(),
                    thread.getContextClassLoader().equals(LOADER),
                    inherited.get() == null));
        });

        assertThat(seen).containsExactly("Order o-1", false, true, true, true);
    }

    @Test
    void neither_an_interrupt_nor_a_name_reaches_the_next_call() throws Exception {
        List<Thread> used = new ArrayList<>();
        CompletableFuture<String> name = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        AsideThreads.Call first = threads.begin(
                "Order o-1",
                LOADER,
                () -> {
                    used.add(Thread.currentThread());
                    Thread.currentThread().interrupt();
                },
                () -> {
                    name.complete(Thread.currentThread().getName()
                            + Thread.currentThread().isInterrupted());
                    ended.complete(null);
                });
        ended.get(30, TimeUnit.SECONDS);
        first.interrupt();
        first.giveUp();

        assertThat(name.join()).startsWith("durable-aside-").endsWith("false");
        assertThat(used.getFirst().isInterrupted()).isFalse();
        assertThat(threads.areUsedUp()).isFalse();
    }

    @Test
    void threads_whose_code_does_not_return_are_counted_until_it_does() throws Exception {
        try (LogCapture log = LogCapture.of(AsideThreads.class)) {
            List<CompletableFuture<Void>> ended = new ArrayList<>();
            for (int i = 1; i <= AsideThreads.MOST_LOST; i++) {
                assertThat(threads.areUsedUp()).isFalse();
                ended.add(lose("Order o-" + i));
            }
            assertThat(threads.areUsedUp()).isTrue();
            assertThat(log.messages())
                    .hasSize(AsideThreads.MOST_LOST)
                    .startsWith(
                            "Order o-1: a query or validator does not return, and its thread is lost until it does. 1"
                                    + " threads of this engine are; at 16 it judges no updates and answers no queries any more."
                                    + " Mend the code, and restart the process")
                    .endsWith(
                            "Order o-16: a query or validator does not return, and neither do those on 15 other threads"
                                    + " of this engine: it judges no updates and answers no queries until one of them does. Mend"
                                    + " the code, and restart the process");

            returns.countDown();
            for (CompletableFuture<Void> each : ended) {
                each.get(30, TimeUnit.SECONDS);
            }
            assertThat(threads.areUsedUp()).isFalse();
        }
    }

    /** Begins a call that ignores its interrupt, and gives it up. */
    private CompletableFuture<Void> lose(String name) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        AsideThreads.Call call = threads.begin(
                name,
                LOADER,
                () -> {
                    begun.countDown();
                    while (returns.getCount() > 0) {
                        try {
                            returns.await();
                        } catch (InterruptedException e) {
                            // as code that does not want to end
                        }
                    }
                },
                () -> ended.complete(null));
        begun.await();
        call.interrupt();
        call.giveUp();
        return ended;
    }

    @Test
    void a_closed_engine_still_has_a_thread_for_each_call() throws Exception {
        threads.close();
        List<String> seen = new ArrayList<>();

        end(() -> seen.add("first"));
        end(() -> seen.add("second"));

        assertThat(seen).containsExactly("first", "second");
    }

    private void end(Runnable code) throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        threads.begin("Order o-1", LOADER, code, () -> ended.complete(null));
        ended.get(30, TimeUnit.SECONDS);
    }
}
