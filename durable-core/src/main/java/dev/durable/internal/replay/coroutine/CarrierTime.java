package dev.durable.internal.replay.coroutine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time that a platform thread has used, or a coroutine without leaving its carrier thread. The JVM reports no CPU
 * time of virtual threads, but that of their carriers; and a virtual thread that only computes is never taken from its
 * carrier. A thread on a machine that stands still uses none. Where the JVM does not report it, the time is 0.
 */
final class CarrierTime {
    private @Nullable String worker;
    private long began;

    /** Returns the nanoseconds since the first call for the thread, where it is a virtual one on its present carrier. */
    long usedBy(Thread thread) {
        String works = thread.isVirtual() ? carrierOf(thread) : "#" + thread.threadId();
        long now = works == null ? -1 : thread.isVirtual() ? cpuTime(works) : cpuTime(thread.threadId());
        if (works == null || now < 0) {
            worker = null;
            return 0;
        }
        if (!works.equals(worker)) {
            worker = works;
            began = now;
        }
        return now - began;
    }

    /**
     * Returns the name of the carrier, which stands behind the last @ in {@code toString} of a running virtual thread;
     * null where it does not.
     */
    private static @Nullable String carrierOf(Thread coroutine) {
        String text = coroutine.toString();
        int at = text.lastIndexOf('@');
        return at >= 0 ? text.substring(at + 1) : null;
    }

    /** Returns the CPU time of a carrier; -1 where it is not known. */
    private static long cpuTime(String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(Objects::nonNull)
                .filter(thread -> name.equals(thread.getThreadName()))
                .mapToLong(ThreadInfo::getThreadId)
                .map(CarrierTime::cpuTime)
                .findFirst()
                .orElse(-1);
    }

    /** Returns the CPU time of a platform thread; -1 where it is not known. */
    private static long cpuTime(long id) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
                ? threads.getThreadCpuTime(id)
                : -1;
    }
}
