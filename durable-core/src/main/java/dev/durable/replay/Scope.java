package dev.durable.replay;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one coroutine has open, in the order it was started. A coroutine that has ended stays known while it is not empty. */
final class Scope {
    private final @Nullable Coroutine owner;
    private final Set<Open> open = new LinkedHashSet<>(4);

    /** The scope of a coroutine or, without one, of the run. */
    Scope(@Nullable Coroutine owner) {
        this.owner = owner;
    }

    void add(Open work) {
        open.add(work);
    }

    void remove(Open work) {
        if (open.remove(work) && owner != null) {
            owner.leaveIfDone();
        }
    }

    /** Whether it is the scope of the run itself. */
    boolean ofRun() {
        return owner == null;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Cancels what can be cancelled from outside. */
    void cancel(String why) {
        for (Open work : List.copyOf(open)) {
            if (!work.shielded()) {
                work.cancel(why);
            }
        }
    }
}
