package dev.durable.internal.replay.coroutine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;

/**
 * Passes control of one run between the thread that drives it and its coroutines, so that exactly one of them runs at a
 * time. The driver gives it away once per turn and gets it back once, and may give up waiting: then the coroutines keep
 * it and they unwind the instance themselves.
 */
final class Baton {
    /**
     * Time is counted in slices that were slept through, not read off a clock: a machine that was suspended for an hour
     * counts for one slice, not for a coroutine that hung for an hour.
     */
    private static final int SLICES = 10;

    private static final int YIELDS = 4;

    private enum Holder {
        DRIVER,
        COROUTINES,
        ABANDONED
    }

    private final AtomicReference<Holder> holder = new AtomicReference<>(Holder.DRIVER);
    private final Semaphore returned = new Semaphore(0);

    /** Watches the coroutine that has the baton while the driver waits. */
    interface Watch {
        /** A watch that only waits for the time to be up. */
        Watch NONE = new Watch() {
            @Override
            public long lookNanos() {
                return Long.MAX_VALUE;
            }

            @Override
            public boolean givesUp(long withoutProgressNanos) {
                return false;
            }
        };

        /** Returns how often it checks. */
        long lookNanos();

        /** Returns whether to wait no longer. */
        boolean givesUp(long withoutProgressNanos);
    }

    /** Passes the baton to a coroutine, which sees all earlier writes of the driver. */
    void lend() {
        holder.set(Holder.COROUTINES);
    }

    /**
     * Waits, as the driver, for the baton; an interrupt of the driver is kept for later.
     *
     * @param limit how long the coroutines may take without progress
     * @param progress a count that grows with each step
     * @param watch called while the count does not grow
     * @return false when the time is up
     */
    boolean awaitReturn(Duration limit, IntSupplier progress, Watch watch) {
        if (comesBackAtOnce()) {
            return true;
        }
        boolean interrupted = false;
        try {
            int seen = progress.getAsInt();
            long slice = Math.min(limit.toNanos() / SLICES, watch.lookNanos());
            for (long slept = 0; slept < limit.toNanos(); ) {
                try {
                    if (returned.tryAcquire(slice, TimeUnit.NANOSECONDS)) {
                        return true;
                    }
                    slept = seen == progress.getAsInt() ? slept + slice : 0;
                    seen = progress.getAsInt();
                    if (watch.givesUp(slept)) {
                        return false;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Returns whether the baton comes back without a timed sleep, as most turns take microseconds. A driver that is a
     * virtual thread lets the coroutine have its carrier and is back when that blocks; only then is it worth a timed
     * sleep, which costs more than such a turn.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: where it does not help, the timed sleep follows
    private boolean comesBackAtOnce() {
        if (!Thread.currentThread().isVirtual()) {
            return false;
        }
        for (int i = 0; i < YIELDS; i++) {
            Thread.yield();
            if (returned.tryAcquire()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the baton back, as the driver, where no other thread has begun with it. */
    void takeBack() {
        holder.set(Holder.DRIVER);
    }

    /** Gives the baton back, as a coroutine; returns false when the driver does not wait for it any more. */
    boolean giveBack() {
        if (!holder.compareAndSet(Holder.COROUTINES, Holder.DRIVER)) {
            return false;
        }
        returned.release();
        return true;
    }

    /**
     * Gives up waiting, as the driver, and leaves the baton to the coroutines; returns false when it came back
     * meanwhile.
     */
    boolean abandon() {
        if (holder.compareAndSet(Holder.COROUTINES, Holder.ABANDONED)) {
            return true;
        }
        returned.acquireUninterruptibly();
        return false;
    }
}
