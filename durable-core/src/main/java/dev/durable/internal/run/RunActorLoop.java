package dev.durable.internal.run;

import dev.durable.internal.drive.Loop;
import dev.durable.internal.drive.Step;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler of run actors: runs those that have mail, each on one thread at a time. Workflow code runs only here.
 */
public final class RunActorLoop implements Step {
    private static final Logger log = LoggerFactory.getLogger(RunActorLoop.class);
    private static final int BATCH = 256;
    /** The time between two checks whether the drafts that hold the others back have been written. */
    private static final Duration CROWDED = Duration.ofMillis(2);

    private static final Duration UNWINDING_MOST = Duration.ofSeconds(10);

    /**
     * Held by the thread that runs an actor. {@code close()} waits for it, also where a turn hangs whose thread the
     * drive has given up.
     */
    private final ReentrantLock turning = new ReentrantLock();
    /** The actors that have an instance. */
    private final Set<RunActor> warm = new HashSet<>();

    private boolean closed;

    private final ConcurrentLinkedQueue<RunActor> ready = new ConcurrentLinkedQueue<>();
    /** The actors that can release a large draft. */
    private final ConcurrentLinkedQueue<RunActor> first = new ConcurrentLinkedQueue<>();

    private volatile BooleanSupplier crowded = () -> false;
    private volatile Runnable wake = () -> {};

    public void onReady(Runnable wake) {
        this.wake = wake;
    }

    /** Queues an actor that has mail and is not queued yet. */
    void ready(RunActor actor) {
        ready.add(actor);
        wake.run();
    }

    /** Queues an actor before all others, as it has a large draft that is written. */
    void readyFirst(RunActor actor) {
        first.add(actor);
        wake.run();
    }

    /**
     * Holds actors back while the condition is true, except those that release memory: the drafts of the others would
     * have to wait in memory.
     */
    void holdBackWhile(BooleanSupplier condition) {
        crowded = condition;
    }

    @Override
    public Duration runOnce() {
        turning.lock();
        try {
            for (int i = 0; i < BATCH; i++) {
                RunActor actor = closed ? null : next();
                if (actor == null) {
                    return closed || ready.isEmpty() ? UNTIL_WOKEN : CROWDED;
                }
                readMail(actor);
                Loop.progressed();
            }
            return AGAIN;
        } finally {
            turning.unlock();
        }
    }

    private @Nullable RunActor next() {
        RunActor next = first.poll();
        return next != null || crowded.getAsBoolean() ? next : ready.poll();
    }

    private void readMail(RunActor actor) {
        boolean wasWarm = actor.isWarm();
        try {
            actor.readMail();
        } catch (RuntimeException | Error e) {
            actor.broke(e);
        } finally {
            if (wasWarm && !actor.isWarm()) {
                warm.remove(actor);
            } else if (!wasWarm && actor.isWarm()) {
                warm.add(actor);
            }
        }
    }

    /**
     * Unwinds all instances after the loops have ended: a parked virtual thread, with all that it refers to, is kept
     * for as long as the JVM runs. It takes some 20 µs a run; where it takes longer than a close may, it goes on after
     * the close has returned.
     */
    public void close() {
        Thread unwinding = Thread.ofVirtual().name("durable-unwinding").start(this::unwind);
        try {
            unwinding.join(UNWINDING_MOST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void unwind() {
        turning.lock();
        try {
            closed = true;
            for (RunActor actor : warm) {
                try {
                    actor.unwind();
                } catch (RuntimeException | Error e) {
                    log.warn("the instance of {} was not unwound", actor.key().shown(), e);
                }
            }
            warm.clear();
        } finally {
            turning.unlock();
        }
    }
}
