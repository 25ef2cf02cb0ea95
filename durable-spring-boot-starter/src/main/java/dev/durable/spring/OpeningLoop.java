package dev.durable.spring;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries to open the store again and again, on a thread of its own, for an application that began without its database. */
final class OpeningLoop {
    private static final Logger log = LoggerFactory.getLogger(OpeningLoop.class);
    static final Duration LONGEST = Duration.ofSeconds(5);
    private static final Duration FIRST = Duration.ofMillis(250);

    private final BooleanSupplier isDone;
    private @Nullable CountDownLatch ended;
    private @Nullable Thread thread;

    /** @param isDone tries once */
    OpeningLoop(BooleanSupplier isDone) {
        this.isDone = isDone;
    }

    /** Begins, if it has not begun, or was to end. */
    synchronized void begin() {
        if (thread == null || !thread.isAlive() || ended == null || ended.getCount() == 0) {
            CountDownLatch end = new CountDownLatch(1);
            ended = end;
            thread = Thread.ofPlatform().daemon().name("durable-opening").start(() -> run(end));
        }
    }

    private void run(CountDownLatch end) {
        Duration pause = FIRST;
        try {
            while (!end.await(pause.toMillis(), TimeUnit.MILLISECONDS) && !isDoneNow()) {
                pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An Error, of a class that is missing, say, ends one try and not the thread: health would not report that. */
    private boolean isDoneNow() {
        try {
            return isDone.getAsBoolean();
        } catch (Error e) {
            log.error("Durable can't begin, and it is tried again", Masked.exception(e));
            return false;
        }
    }

    /** Breaks a try off, and waits for that; another does not begin. */
    void end() {
        Thread trying;
        synchronized (this) {
            if (ended != null) {
                ended.countDown();
            }
            trying = thread;
        }
        if (trying != null && !trying.equals(Thread.currentThread())) {
            trying.interrupt();
            try {
                trying.join(LONGEST);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
