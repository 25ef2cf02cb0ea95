package dev.durable.internal.replay.coroutine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The conditions that coroutines wait for ({@code Durable.await}), in the order in which the waits began. */
public class Conditions {
    /**
     * The most open conditions. All are evaluated after each step: about 20 ns each, so that a thousand are 20 µs a
     * step.
     */
    public static final int MAX_OPEN = 1_000;

    private final Set<CoroutineWait> open = new LinkedHashSet<>(4);
    private final Restrictions restrictions;

    Conditions(Restrictions restrictions) {
        this.restrictions = restrictions;
    }

    void add(CoroutineWait waiter) {
        open.add(waiter);
    }

    void remove(CoroutineWait waiter) {
        open.remove(waiter);
    }

    public int size() {
        return open.size();
    }

    /** Returns a coroutine that waits for a condition; null without any. */
    @Nullable
    Coroutine anyCoroutine() {
        Iterator<CoroutineWait> waiters = open.iterator();
        return waiters.hasNext() ? waiters.next().coroutine : null;
    }

    /** Returns whether no condition holds, with which a turn ends. */
    final boolean noneHolds() {
        return open.stream().noneMatch(waiter -> restrictions.within(Restriction.CONDITION, waiter::looksTrue));
    }

    /** Returns the coroutine whose condition is the first to hold; its wait is over. */
    @Nullable
    Coroutine firstThatHolds() {
        for (CoroutineWait waiter : open) {
            if (restrictions.within(Restriction.CONDITION, waiter::holds)) {
                return waiter.coroutine;
            }
        }
        return null;
    }
}
