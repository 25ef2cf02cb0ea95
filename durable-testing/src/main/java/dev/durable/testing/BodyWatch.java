package dev.durable.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The activity bodies that run, and whether they get anywhere in real time. Time stands still for a body whose thread is
 * busy, or reads from a socket. Where all have waited for other threads for half a second (two, if one sleeps or waits with a
 * timeout), and none began or ended meanwhile, they are taken to wait for time itself or for the test.
 *
 * <p>Real time is counted in slices that were slept through, so that a halt in a debugger counts as one. Not thread-safe.
 */
final class BodyWatch {
    /** How long to sleep between two looks at most. */
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long WAITS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Between something that ends a body's wait and its thread being seen at work. */
    private static final long HEARS_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    private static final long SLEEPS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final long patienceNanos;
    private final Set<Thread> threads = new LinkedHashSet<>();
    private int running;
    private long lastLook = System.nanoTime();
    private long sinceProgress;
    private long sinceBusy;
    private long sinceTimeMoved;

    /** @param patience after which bodies that do nothing are given up */
    BodyWatch(Duration patience) {
        this.patienceNanos = patience.toNanos();
    }

    void submitted() {
        running++;
        progress();
    }

    void begun(Thread thread) {
        threads.add(thread);
    }

    void ended(Thread thread) {
        threads.remove(thread);
        running--;
        progress();
    }

    private void progress() {
        sinceProgress = 0;
        sinceBusy = 0;
    }

    boolean anyRun() {
        return running > 0;
    }

    /** Samples the states of the bodies' threads; to be called every {@link #LOOK_NANOS} or so while a test waits. */
    void look() {
        long now = System.nanoTime();
        long slice = Math.min(now - lastLook, 2 * LOOK_NANOS);
        lastLook = now;
        if (running == 0) {
            progress();
            return;
        }
        sinceProgress += slice;
        sinceTimeMoved += slice;
        sinceBusy = threads.size() < running || threads.stream().anyMatch(BodyWatch::isBusy) ? 0 : sinceBusy + slice;
    }

    /** A test begins to wait, and may just have done what a body waits for: how long they have stood counts anew. */
    void watchAnew() {
        sinceBusy = 0;
    }

    /** The test is over: from here on they have their time to end, one that is about to end included. */
    void watchEnd() {
        progress();
    }

    /** Returns whether the bodies do nothing that time should wait for. */
    boolean stand() {
        long patience = threads.stream().anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING)
                ? SLEEPS_NANOS
                : WAITS_NANOS;
        return running > 0 && sinceBusy >= patience && sinceTimeMoved >= HEARS_NANOS;
    }

    /** Returns whether the bodies have stood for so long that they are taken to stand for ever. */
    boolean standForLong() {
        return running > 0 && sinceBusy >= patienceNanos;
    }

    /** Returns whether none has begun or ended for so long that a test that is over does not wait for them. */
    boolean hang() {
        return running > 0 && sinceProgress >= patienceNanos;
    }

    /** Time has moved: what follows from that may be what one of them waits for. */
    void timeMoved() {
        sinceTimeMoved = 0;
    }

    private static boolean isBusy(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING -> false;
            case NEW, RUNNABLE, BLOCKED, TERMINATED -> true;
        };
    }

    /** Where each of them is. */
    List<Throwable> places() {
        List<Throwable> places = new ArrayList<>();
        threads.forEach(thread -> {
            Throwable place = new Throwable(thread.getName() + " is here");
            place.setStackTrace(thread.getStackTrace());
            places.add(place);
        });
        return places;
    }

    void interrupt() {
        threads.forEach(Thread::interrupt);
    }
}
