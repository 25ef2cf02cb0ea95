package dev.durable.internal.replay.coroutine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time that a coroutine has used without leaving its carrier thread. The JVM reports no CPU time of virtual
 * threads, but that of their carriers; and a virtual thread that only computes is never taken from its carrier. A
 * thread on a machine that stands still uses none. Where the JVM does not report it, the time is 0.
 */
final class CarrierTime {
    private @Nullable String carrier;
    private long began;

    /** Returns the nanoseconds since the first call for the thread on its present carrier. */
    long usedBy(Thread coroutine) {
        String mounted = carrierOf(coroutine);
        long now = mounted == null ? -1 : cpuTime(mounted);
        if (mounted == null || now < 0) {
            carrier = null;
            return 0;
        }
        if (!mounted.equals(carrier)) {
            carrier = mounted;
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
        return coroutine.isVirtual() && at >= 0 ? text.substring(at + 1) : null;
    }

    /** Returns the CPU time of a carrier; -1 where it is not known. */
    private static long cpuTime(String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        if (!threads.isThreadCpuTimeSupported() || !threads.isThreadCpuTimeEnabled()) {
            return -1;
        }
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(Objects::nonNull)
                .filter(thread -> name.equals(thread.getThreadName()))
                .mapToLong(ThreadInfo::getThreadId)
                .map(threads::getThreadCpuTime)
                .findFirst()
                .orElse(-1);
    }
}
