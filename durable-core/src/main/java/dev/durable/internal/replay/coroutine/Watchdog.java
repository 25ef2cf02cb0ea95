package dev.durable.internal.replay.coroutine;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches a turn that takes long and reports code that blocks its thread. In tests, code that blocks by other means
 * than calls of Durable is found while it blocks, and code that computes without an end when it has used two seconds of
 * CPU time; in workers both are named in the log after a second, and left until the turn's limit.
 *
 * <p>A sleep is found at the first check; another wait inside the JDK, except one for a lock, at the second: for a
 * future, a queue, a socket. A class loader or a logger may hold a lock for a moment, and a library may wait for one
 * inside of the JDK's classes: for these it takes longer.
 */
final class Watchdog implements Baton.Watch {
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /**
     * The CPU time after which code in tests counts as computing without an end. It is less than the limit of a turn,
     * which has to bear that a machine stands still.
     */
    private static final Duration BURNT = Duration.ofSeconds(2);

    private static final long LOOK_AT_CPU_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int LOOKS = 2;
    private static final int LOOKS_AT_LOCKS = 40;

    private final RunThreads threads;
    private final Supplier<@Nullable Thread> holder;
    private @Nullable Thread seen;
    private int looks;
    private boolean told;
    private final CarrierTime cpu = new CarrierTime();
    private long lookAtCpu = LOOK_AT_CPU_NANOS;
    private @Nullable Duration burnt;
    private StackTraceElement @Nullable [] blockedAt;

    /**
     * @param holder the thread that has the baton
     */
    Watchdog(RunThreads threads, Supplier<@Nullable Thread> holder) {
        this.threads = threads;
        this.holder = holder;
    }

    /** Returns where the code blocks, if that is why it gave up. */
    StackTraceElement @Nullable [] blockedAt() {
        return blockedAt;
    }

    /** Returns the CPU time that the code has used, if that is why it gave up. */
    @Nullable
    Duration burnt() {
        return burnt;
    }

    @Override
    public long lookNanos() {
        return threads.areStrict() ? LOOK_NANOS : SLOW.toNanos();
    }

    @Override
    public boolean givesUp(long withoutProgressNanos) {
        Thread thread = holder.get();
        if (threads.areStrict()) {
            return blocks(thread) || burns(thread, withoutProgressNanos);
        }
        if (!told && withoutProgressNanos >= SLOW.toNanos()) {
            told = true;
            threads.reportSlow(thread, SLOW);
        }
        return false;
    }

    /**
     * Returns whether the code computes without an end; checked only from time to time, as it costs more than a look at
     * the thread.
     */
    private boolean burns(@Nullable Thread thread, long withoutProgressNanos) {
        if (thread == null || withoutProgressNanos == 0) {
            lookAtCpu = LOOK_AT_CPU_NANOS;
        } else if (withoutProgressNanos >= lookAtCpu) {
            lookAtCpu += LOOK_AT_CPU_NANOS;
            burnt = cpu.usedBy(thread) >= BURNT.toNanos() ? BURNT : null;
        }
        return burnt != null;
    }

    private boolean blocks(@Nullable Thread thread) {
        StackTraceElement[] stack =
                thread == null || isRunning(thread) ? new StackTraceElement[0] : thread.getStackTrace();
        int called = threads.lines().called(stack);
        if (thread == null || called < 0 || isParkedByRun(stack)) {
            seen = null;
            return false;
        }
        looks = thread.equals(seen) ? looks + 1 : 1;
        seen = thread;
        if (looks < looksFor(stack, called)) {
            return false;
        }
        blockedAt = stack;
        return true;
    }

    private static int looksFor(StackTraceElement[] stack, int called) {
        if (called > 0 && stack[called - 1].getClassName().equals("java.lang.Thread")) {
            return 1;
        }
        return isJdkAloneAndNoLock(stack, called) ? LOOKS : LOOKS_AT_LOCKS;
    }

    private static boolean isRunning(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, BLOCKED -> false;
            case NEW, RUNNABLE, TERMINATED -> true;
        };
    }

    private static boolean isParkedByRun(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(Coroutine.class.getName())
                        && frame.getMethodName().equals("park"));
    }

    private static boolean isJdkAloneAndNoLock(StackTraceElement[] stack, int called) {
        return called > 0
                && Arrays.stream(stack, 0, called)
                        .allMatch(frame -> isJdks(frame.getClassName())
                                && !frame.getMethodName().startsWith("lock")
                                && !frame.getClassName().contains("ClassLoader"));
    }

    private static boolean isJdks(String className) {
        return className.startsWith("java.") || className.startsWith("jdk.") || className.startsWith("sun.");
    }
}
