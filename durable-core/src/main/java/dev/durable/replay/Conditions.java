package dev.durable.replay;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The conditions that coroutines wait for ({@code Durable.await}), in the order in which the waits began. */
class Conditions {
    /** All are evaluated after each step: about 20 ns each, so that a thousand are 20 µs a step. */
    static final int MAX_OPEN = 1_000;

    private final Set<Waiter> open = new LinkedHashSet<>(4);
    private final Restrictions restrictions;

    Conditions(Restrictions restrictions) {
        this.restrictions = restrictions;
    }

    void add(Waiter waiter) {
        open.add(waiter);
    }

    void remove(Waiter waiter) {
        open.remove(waiter);
    }

    int size() {
        return open.size();
    }

    /** A coroutine that waits for one; null without any. */
    @Nullable
    Coroutine anyCoroutine() {
        Iterator<Waiter> waiters = open.iterator();
        return waiters.hasNext() ? waiters.next().coroutine : null;
    }

    /** Whether none would go on; what a turn ends with. */
    final boolean noneHolds() {
        return open.stream().noneMatch(waiter -> restrictions.within(Restriction.CONDITION, waiter::looksTrue));
    }

    /** The coroutine whose condition is the first to hold; its wait is over. */
    @Nullable
    Coroutine firstThatHolds() {
        for (Waiter waiter : open) {
            if (restrictions.within(Restriction.CONDITION, waiter::holds)) {
                return waiter.coroutine;
            }
        }
        return null;
    }
}
