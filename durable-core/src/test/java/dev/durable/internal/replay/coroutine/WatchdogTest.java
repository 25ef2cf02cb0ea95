package dev.durable.internal.replay.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.HungAsideException;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Workflow code that blocks by other means than its own is found at once in tests, and named in workers. */
@Timeout(60)
class WatchdogTest {
    private static final String ADVICE =
            ". A workflow may block only in calls of Durable, of promises and of activity stubs: use Durable.sleep and"
                    + " Durable.await, and do I/O in an activity.";

    private static final AsideThreads ASIDES = new AsideThreads();

    @Workflow
    static class Sleeps {
        @Run
        String run(String ignored) throws InterruptedException {
            Thread.sleep(600_000);
            return "";
        }
    }

    @Test
    void a_short_sleep() {
        assertFound(Sleeps.class, "WatchdogTest.Sleeps.run(WatchdogTest.java:0) blocks in Thread.sleep");
    }

    @Workflow
    static class Monitors {
        @Run
        String run(String ignored) throws InterruptedException {
            synchronized (this) {
                while (ignored != null) {
                    wait(600_000);
                }
            }
            return "";
        }
    }

    @Test
    void a_wait_at_a_monitor() {
        assertFound(Monitors.class, "WatchdogTest.Monitors.run(WatchdogTest.java:0) blocks in Object.wait");
    }

    @Workflow
    static class Joins {
        @Run
        String run(String ignored) {
            return new CompletableFuture<String>()
                    .completeOnTimeout("", 10, TimeUnit.MINUTES)
                    .join();
        }
    }

    @Test
    void a_future_of_another_thread() {
        assertFound(Joins.class, "WatchdogTest.Joins.run(WatchdogTest.java:0) blocks in CompletableFuture.join");
    }

    @Workflow
    static class Locks {
        static final ReentrantLock LOCK = new ReentrantLock();

        @Run
        String run(String ignored) {
            LOCK.lock();
            try {
                return "";
            } finally {
                LOCK.unlock();
            }
        }
    }

    @Test
    void a_lock_that_another_thread_holds() {
        Locks.LOCK.lock();
        try {
            assertFound(Locks.class, "WatchdogTest.Locks.run(WatchdogTest.java:0) blocks in ReentrantLock.lock");
        } finally {
            Locks.LOCK.unlock();
        }
    }

    @Workflow
    static class Synchronizes {
        static final Object MONITOR = new Object();

        @Run
        String run(String ignored) {
            synchronized (MONITOR) {
                return "";
            }
        }
    }

    @Test
    void a_monitor_that_another_thread_holds() {
        synchronized (Synchronizes.MONITOR) {
            assertFound(
                    Synchronizes.class,
                    "WatchdogTest.Synchronizes.run(WatchdogTest.java:0) blocks in a synchronized block");
        }
    }

    @Workflow
    static class Handler {
        @Run
        String run(String ignored) {
            Durable.async(() -> {
                Thread.sleep(600_000);
                return "";
            });
            return Durable.async(() -> "").get();
        }
    }

    @Test
    void in_a_coroutine_as_well() {
        assertFound(Handler.class, "WatchdogTest.Handler.run(WatchdogTest.java:0) blocks in Thread.sleep");
    }

    private static void assertFound(Class<?> workflow, String text) {
        assertThatThrownBy(() -> GivenRun.strictly(workflow))
                .isInstanceOf(StalledException.class)
                .satisfies(stalled -> assertThat(
                                String.valueOf(stalled.getMessage()).replaceAll("java:\\d+", "java:0"))
                        .startsWith(workflow.getSimpleName() + " run-1 is stalled: " + text + ADVICE + "\n    at "));
    }

    @Workflow
    static class Endless {
        static volatile boolean ends;

        @Run
        String run(String ignored) {
            while (!ends) {
                Thread.onSpinWait();
            }
            return "";
        }
    }

    /** By the CPU time that it uses, long before a thread that stands still for so long would be taken for it. */
    @Test
    void code_that_computes_without_an_end() {
        try {
            assertThatThrownBy(() -> GivenRun.strictly(Endless.class))
                    .isInstanceOf(StalledException.class)
                    .hasMessageContaining("has run for PT2S without a wait. Usual cause: an endless loop");
        } finally {
            Endless.ends = true;
        }
    }

    @Workflow
    static class Busy {
        @Run
        String run(String ignored) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(60);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            return "";
        }
    }

    @Test
    void code_that_computes_for_a_while_does_not_block() {
        GivenRun.strictly(Busy.class).evict();
    }

    @Test
    void a_worker_names_it_in_the_log_after_a_second_and_its_stack_once() throws Exception {
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread thread = Thread.startVirtualThread(() -> {
            stands.countDown();
            try {
                ends.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stands.await();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(RunThreads.class);
        log.addAppender(lines);
        try {
            Watchdog watchdog = new Watchdog(
                    new RunThreads(new UUID(0, 1), "Order o-1", WatchdogTest.class, false, ASIDES), () -> thread);
            assertThat(watchdog.givesUp(Duration.ofMillis(999).toNanos())).isFalse();
            assertThat(lines.list).isEmpty();
            assertThat(watchdog.givesUp(Duration.ofSeconds(1).toNanos())).isFalse();
            assertThat(watchdog.givesUp(Duration.ofSeconds(2).toNanos())).isFalse();
            RunThreads again = new RunThreads(new UUID(0, 1), "Order o-1", WatchdogTest.class, false, ASIDES);
            assertThat(again.hung(thread, Duration.ofSeconds(5)).toBeLogged()).contains("\n    at ");
            new Watchdog(again, () -> thread).givesUp(Duration.ofSeconds(1).toNanos());
            StalledException stalled = again.hung(thread, Duration.ofSeconds(5));
            assertThat(stalled).hasMessageContaining("\n    at ");
            assertThat(stalled.toBeLogged()).endsWith(ADVICE);
        } finally {
            log.detachAppender(lines);
            ends.countDown();
        }
        assertThat(lines.list).hasSize(2);
        assertThat(lines.list.getLast().getFormattedMessage())
                .startsWith("Order o-1 holds up the other workflows of this worker:")
                .endsWith(ADVICE);
        assertThat(lines.list.getFirst()).satisfies(line -> {
            assertThat(line.getLevel()).hasToString("WARN");
            assertThat(line.getFormattedMessage().replaceAll("java:\\d+", "java:0"))
                    .startsWith("Order o-1 holds up the other workflows of this worker:"
                            + " WatchdogTest.a_worker_names_it_in_the_log_after_a_second_and_its_stack_once(WatchdogTest.java:0) blocks in"
                            + " CountDownLatch.await" + ADVICE + "\n    at ");
        });
    }

    @Test
    void a_call_aside_that_was_seen_in_no_code_of_the_application_says_nothing_about_it() {
        RunThreads threads = new RunThreads(new UUID(0, 1), "Order o-1", WatchdogTest.class, false, ASIDES);

        assertThat(threads.hungAside(null, null, Duration.ofSeconds(5)))
                .isNotInstanceOf(HungAsideException.class)
                .hasMessage(
                        "Order o-1 is stalled: a query, or the judgement of an update, has not returned for PT5S, and"
                                + " its thread was seen in no code of the application. It is tried again. Usual cause: the machine"
                                + " stood still or had no CPU for the thread.");
        assertThat(threads.hungAside(Thread.currentThread(), null, Duration.ofSeconds(5)))
                .isInstanceOf(HungAsideException.class)
                .hasMessageContaining(" has run for PT5S without an end. Queries and validators");
    }
}
