package dev.durable.testing;

import dev.durable.client.DurableEngine;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several engines on one store whose time a test moves to the instant, with activity bodies that sleep on that time. One
 * thread, the test's, cranks all steps in turn; the bodies and the shutdowns of engines run on threads of their own, and
 * nothing else happens while one of them is awake. So that what happens in a program of such bodies depends on the program
 * only, and takes no real time.
 *
 * <p>Unlike {@link PumpDrive} it stops at the timeouts of attempts that run, too.
 */
final class SteppedEngines implements AutoCloseable {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("stepped-", 0).factory());
    private static final ThreadLocal<@Nullable Guest> CURRENT = new ThreadLocal<>();
    private static final int MOST_CRANKS = 1_000_000;
    private static final long MOST_REAL_SECONDS = 20;
    /** Steps that are to be cranked when their own sleep is over; the others are when anything else is due. */
    private static final Set<String> EXACT = Set.of("deadlines", "claims", "leases");
    /** A step that sleeps no longer than that holds something back for a moment. */
    private static final Duration MOMENT = Duration.ofMillis(20);

    private final TestTime time;
    private final List<EngineDrive> drives = new CopyOnWriteArrayList<>();
    private final IdentityHashMap<DurableEngine, EngineDrive> driven = new IdentityHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Guest> guests = new LinkedHashSet<>();
    /** Bodies sleep no more. */
    private volatile boolean over;
    /** Nothing that still waits gets anything. */
    private volatile boolean closed;

    private volatile @Nullable String stalled;
    private int cranks;
    /** Up to when all steps have looked at what is due. */
    private Instant looked;

    SteppedEngines(TestTime time) {
        this.time = time;
        this.looked = time.now();
    }

    /** Starts an engine; nothing of it has been cranked when this returns. */
    DurableEngine start(UnaryOperator<EngineBuilder> how) {
        EngineDrive drive = new EngineDrive();
        DurableEngine engine =
                how.apply(new EngineBuilder(time.store()).drive(drive).strict()).start();
        driven.put(engine, drive);
        return engine;
    }

    /** Stops an engine dead: none of its steps is cranked again, and what its bodies return is lost. */
    void kill(DurableEngine engine) {
        drives.remove(driven.get(engine));
    }

    /** Calls on a thread of its own, as a client that waits does; time has to move on for it. */
    <T> CompletableFuture<T> call(Supplier<T> call) {
        CompletableFuture<T> done = new CompletableFuture<>();
        spawn(() -> {
            try {
                done.complete(call.get());
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    /** Begins to close an engine; time has to move on for it. */
    CompletableFuture<?> stop(DurableEngine engine) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        spawn(() -> {
            engine.close();
            done.complete(true);
        });
        return done;
    }

    Instant now() {
        return time.now();
    }

    /** Works off what can be done now. */
    void settle() {
        for (Slot slot = next(); slot != null; slot = next()) {
            if (++cranks > MOST_CRANKS) {
                throw new IllegalStateException("step " + slot.name + " and others never come to an end");
            }
            slot.woken = false;
            slot.crank();
        }
        if (stalled != null) {
            throw new IllegalStateException(stalled);
        }
    }

    /** As {@link #settle}, and all look for what they would look for at their next turn. */
    void settleAll() {
        settle();
        slots().forEach(slot -> slot.woken = true);
        settle();
    }

    private @Nullable Slot next() {
        awaitQuiet();
        return slots().filter(slot -> slot.woken).findFirst().orElse(null);
    }

    private Stream<Slot> slots() {
        return drives.stream().flatMap(drive -> drive.slots.stream());
    }

    /** Moves time to what is due next, or to this time if nothing is due before; then works off what can be done. */
    void moveTowards(Instant target) {
        settle();
        Instant now = now();
        Optional<Instant> stored = time.nextDue(looked);
        if (stored.isPresent() && !stored.orElseThrow().isAfter(now)) {
            // Real time has brought it meanwhile.
            looked = now;
            settleAll();
            return;
        }
        Instant shared = Stream.concat(stored.stream(), guestTimes())
                .filter(due -> due.isAfter(now))
                .min(Instant::compareTo)
                .orElse(target);
        Instant all = shared.isBefore(target) ? shared : target;
        Instant next = slots().filter(Slot::isExact)
                .map(slot -> slot.sleepsUntil)
                .filter(due -> due.isAfter(now) && due.isBefore(all))
                .min(Instant::compareTo)
                .orElse(all);
        time.advanceTo(next);
        Instant then = now();
        looked = next.equals(all) ? then : looked;
        slots().filter(slot -> next.equals(all) || (slot.isExact() && !slot.sleepsUntil.isAfter(then)))
                .forEach(slot -> slot.woken = true);
        rouseDue(then);
        settle();
    }

    // ── threads of bodies and shutdowns ─────────────────────────────────────────────────────────────────────────────

    /** A thread that runs beside the one that cranks: awake, or blocked until something comes. */
    final class Guest {
        private volatile @Nullable Thread thread;
        private volatile boolean parked;
        private volatile BooleanSupplier roused = () -> false;
        private volatile @Nullable Instant wakeAt;
        private volatile boolean due;
        private volatile boolean told;

        /** Ends its sleep, if it is not deaf; any thread. */
        void tell() {
            locked(() -> told = true);
            LockSupport.unpark(thread);
        }

        private boolean isQuiet() {
            // In this order: a thread that wakes up says that it is not blocked before it takes back what has woken it.
            boolean awake = roused.getAsBoolean();
            return !awake && parked;
        }

        private void park(@Nullable Instant until, BooleanSupplier ends, boolean deaf) {
            due = false;
            wakeAt = until;
            roused = () -> closed || ends.getAsBoolean();
            locked(() -> parked = true);
            while (!roused.getAsBoolean()) {
                LockSupport.park(this);
                if (deaf) {
                    Thread.interrupted();
                }
            }
            wakeAt = null;
            locked(() -> parked = false);
            Thread.interrupted();
        }
    }

    /** The guest that calls. */
    static Guest guest() {
        Guest guest = CURRENT.get();
        if (guest == null) {
            throw new IllegalStateException("only bodies sleep");
        }
        return guest;
    }

    /**
     * Of a body: sleeps until that time.
     *
     * @param deaf whether it hears neither an interrupt nor {@link Guest#tell}
     * @return whether that time has come; else it was woken by {@link Guest#tell}, or the test is over
     */
    boolean sleepUntil(Instant until, boolean deaf) {
        Guest me = guest();
        Thread thread = Thread.currentThread();
        if (until.isAfter(now())) {
            me.park(until, () -> over || me.due || (!deaf && (me.told || thread.isInterrupted())), deaf);
            return me.due;
        }
        return true;
    }

    private void spawn(Runnable work) {
        Guest guest = new Guest();
        locked(() -> guests.add(guest));
        THREADS.execute(() -> {
            guest.thread = Thread.currentThread();
            CURRENT.set(guest);
            try {
                work.run();
            } finally {
                CURRENT.remove();
                Thread.interrupted();
                locked(() -> guests.remove(guest));
            }
        });
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitQuiet() {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(MOST_REAL_SECONDS);
            while (!guests.stream().allMatch(Guest::isQuiet)) {
                if (left <= 0) {
                    throw stuck();
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while bodies were at work", e);
        } finally {
            lock.unlock();
        }
    }

    private IllegalStateException stuck() {
        IllegalStateException stuck = new IllegalStateException("a body, or a shutdown, does not get on");
        for (Guest guest : guests) {
            Throwable place = new Throwable("one is here");
            place.setStackTrace(guest.thread == null ? new StackTraceElement[0] : guest.thread.getStackTrace());
            stuck.addSuppressed(place);
        }
        return stuck;
    }

    private Stream<Instant> guestTimes() {
        lock.lock();
        try {
            return guests.stream().flatMap(guest -> Stream.ofNullable(guest.wakeAt)).toList().stream();
        } finally {
            lock.unlock();
        }
    }

    private void rouseDue(Instant now) {
        lock.lock();
        try {
            for (Guest guest : guests) {
                Instant wakeAt = guest.wakeAt;
                if (wakeAt != null && !wakeAt.isAfter(now)) {
                    guest.due = true;
                    LockSupport.unpark(guest.thread);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** No body sleeps any more, and engines are closed; closed ones don't mind. */
    void end(List<DurableEngine> engines) {
        over = true;
        lock.lock();
        try {
            guests.forEach(guest -> LockSupport.unpark(guest.thread));
        } finally {
            lock.unlock();
        }
        settle();
        over = false;
        List<CompletableFuture<?>> ends = new ArrayList<>();
        engines.forEach(engine -> ends.add(stop(engine)));
        settle();
        Instant limit = now().plusSeconds(60);
        while (!ends.stream().allMatch(CompletableFuture::isDone)) {
            if (now().isAfter(limit)) {
                throw new IllegalStateException("an engine does not close");
            }
            moveTowards(now().plusSeconds(1));
        }
    }

    @Override
    public void close() {
        over = true;
        closed = true;
        locked(() -> guests.forEach(guest -> LockSupport.unpark(guest.thread)));
        drives.clear();
    }

    // ── what an engine sees ─────────────────────────────────────────────────────────────────────────────────────────

    private final class Slot {
        private final String name;
        private final Step step;
        private volatile boolean woken = true;
        private Duration sleep = Step.UNTIL_WOKEN;
        private Instant sleepsUntil = Instant.MAX;

        Slot(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        void crank() {
            try {
                sleep = step.runOnce();
            } catch (InterruptedException e) {
                throw new IllegalStateException("step " + name + " was interrupted", e);
            }
            if (sleep.isZero()) {
                woken = true;
            }
            sleepsUntil = now().plus(sleep);
        }

        boolean isExact() {
            return EXACT.contains(name) || sleep.compareTo(MOMENT) <= 0;
        }
    }

    private final class EngineDrive implements Drive {
        private final List<Slot> slots = new CopyOnWriteArrayList<>();

        @Override
        public Runnable add(String name, Kind kind, Step step) {
            Slot slot = new Slot(name, step);
            slots.add(slot);
            return () -> slot.woken = true;
        }

        @Override
        public Executor activities(String taskQueue, boolean virtualThreads) {
            return SteppedEngines.this::spawn;
        }

        @Override
        public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
                throws ExecutionException, TimeoutException, InterruptedException {
            Guest guest = CURRENT.get();
            if (guest == null) {
                settle();
            } else {
                var unused = future.whenComplete((result, error) -> LockSupport.unpark(guest.thread));
                guest.park(timeout == null ? null : now().plus(timeout), () -> guest.due || future.isDone(), true);
            }
            if (!future.isDone()) {
                throw new TimeoutException("nothing is left to do, and what is waited for has not come");
            }
            return future.get();
        }

        @Override
        public void breathe() {
            if (CURRENT.get() == null) {
                settle();
            }
        }

        @Override
        public void stalled(RunKey run, String why) {
            stalled = run.workflowId() + " stalled: " + why;
        }

        @Override
        public void start() {
            drives.add(this);
        }

        @Override
        public long nanosSinceProgress() {
            return 0;
        }

        @Override
        public void close() {
            drives.remove(this);
        }
    }
}
