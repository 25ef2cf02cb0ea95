package dev.durable.internal.attempt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Counts how many activities of a task queue run in this process and shares the free slots between claims and the runs
 * of this process. A slot is taken before a job is claimed or inserted, and free again when the thread of its body has
 * ended.
 *
 * <p>Slots have two consumers: the claims of queued jobs, and runs of this process that would run their next activity
 * at once. Three rules keep both from starving: a claim that is not known to be needed takes half of what is free; a
 * claim that found no slot at all gets the next one; and while more jobs are queued than a claim could take, runs of
 * this process have at most half of the slots, and their other jobs wait in the queue like all others.
 *
 * <p>A body that ignores its interrupt is a zombie. It gives its slot back, or a few of them would stop the queue for
 * ever; but only as many as there are slots, or its threads would pile up without end.
 */
public final class ActivitySlots {

    /** The knowledge about jobs that wait in the queue, learnt by the last claim. */
    public enum Demand {
        NONE,
        /** A claim was due and found no free slot. */
        HUNGRY,
        /** The last claim got as many jobs as it had slots for. */
        BACKLOG
    }

    private final int size;
    private final ReentrantLock lock = new ReentrantLock();
    private int free;
    private int eager;
    private int zombies;
    private Demand demand = Demand.NONE;
    private volatile Runnable refill = () -> {};

    public ActivitySlots(int size) {
        this.size = size;
        this.free = size;
    }

    /** Sets the action that runs when slots become free for which a claim waits. */
    void onRefill(Runnable claimer) {
        this.refill = claimer;
    }

    /** Takes slots for a claim: half of the free ones, or all where jobs are known to wait. */
    public List<Slot> takeForClaim() {
        lock.lock();
        try {
            int count = demand == Demand.BACKLOG ? free : (free + 1) / 2;
            free -= count;
            List<Slot> taken = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                taken.add(new Slot(false));
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a slot for a job that a run of this process schedules. */
    public Optional<Slot> takeEagerly() {
        lock.lock();
        try {
            int most =
                    switch (demand) {
                        case NONE -> size;
                        case HUNGRY -> 0;
                        case BACKLOG -> size / 2;
                    };
            if (free == 0 || eager >= most) {
                return Optional.empty();
            }
            free--;
            eager++;
            return Optional.of(new Slot(true));
        } finally {
            lock.unlock();
        }
    }

    /** Records what the last claim showed about waiting jobs. */
    public void demand(Demand learnt) {
        lock.lock();
        try {
            demand = learnt;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a claim before its time would be more than one for the single slot that has just become free. */
    public boolean worthAClaim() {
        lock.lock();
        try {
            return demand == Demand.NONE || isWanted();
        } finally {
            lock.unlock();
        }
    }

    int size() {
        return size;
    }

    public int free() {
        return read(() -> free);
    }

    /** Returns the number of bodies that still run although their attempt has ended and their grace is over. */
    int zombies() {
        return read(() -> zombies);
    }

    /** With a backlog a quarter must be free, or each job that ends would cost a claim of its own. */
    private boolean isWanted() {
        return switch (demand) {
            case NONE -> false;
            case HUNGRY -> free > 0;
            case BACKLOG -> free >= Math.max(1, size / 4);
        };
    }

    private int read(IntSupplier value) {
        lock.lock();
        try {
            return value.getAsInt();
        } finally {
            lock.unlock();
        }
    }

    /** One taken slot; its holder gives it back once. */
    public final class Slot {
        private final boolean eagerly;
        private State state = State.TAKEN;
        private Runnable whenFree = () -> {};

        private Slot(boolean eagerly) {
            this.eagerly = eagerly;
        }

        private enum State {
            TAKEN,
            /** The body runs on without a slot, as a zombie. */
            ZOMBIE,
            /** The body runs on as a zombie and keeps the slot, because there are as many zombies as slots. */
            STUCK,
            FREE
        }

        /** Sets an action to be run when the slot is released. Called before the body begins. */
        public void with(Runnable also) {
            whenFree = also;
        }

        /** Releases the slot: the body's thread has ended, or there was none. May be called again. */
        public void free() {
            if (change(this::end)) {
                whenFree.run();
            }
        }

        /** Counts a body that does not end as a zombie; returns whether this call did so. */
        boolean abandon() {
            return change(this::becomeZombie);
        }

        private boolean change(BooleanSupplier change) {
            boolean changed;
            boolean wake;
            lock.lock();
            try {
                int before = free;
                changed = change.getAsBoolean();
                wake = free > before && isWanted();
            } finally {
                lock.unlock();
            }
            if (wake) {
                refill.run();
            }
            return changed;
        }

        private boolean end() {
            State before = state;
            state = State.FREE;
            if (before == State.ZOMBIE || before == State.STUCK) {
                zombies--;
            }
            if (before == State.TAKEN || before == State.STUCK) {
                giveBack();
            }
            return before != State.FREE;
        }

        private boolean becomeZombie() {
            if (state != State.TAKEN) {
                return false;
            }
            state = zombies++ < size ? State.ZOMBIE : State.STUCK;
            if (state == State.ZOMBIE) {
                giveBack();
            }
            return true;
        }

        private void giveBack() {
            free++;
            if (eagerly) {
                eager--;
            }
        }
    }
}
