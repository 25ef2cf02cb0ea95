package dev.durable.internal.replay.coroutine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open work of one coroutine, in the order in which it was started, which is the order of cancellation. A coroutine
 * that has ended stays known while it is not empty.
 */
public final class Scope {
    private final @Nullable Coroutine owner;
    private @Nullable OpenOperation first;
    private @Nullable OpenOperation last;

    /** The scope of a coroutine or, without one, of the run. */
    Scope(@Nullable Coroutine owner) {
        this.owner = owner;
    }

    /** Adds work that is in no scope yet. */
    public void add(OpenOperation work) {
        if (work.isListed) {
            throw new AssertionError(work + " is in a scope already");
        }
        work.isListed = true;
        work.before = last;
        if (last == null) {
            first = work;
        } else {
            last.after = work;
        }
        last = work;
    }

    /** Removes work; has no effect where it is gone already. */
    public void remove(OpenOperation work) {
        if (!work.isListed) {
            return;
        }
        unlink(work, work.before, work.after);
        if (owner != null) {
            owner.leaveIfDone();
        }
    }

    private void unlink(OpenOperation work, @Nullable OpenOperation before, @Nullable OpenOperation after) {
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        work.before = null;
        work.after = null;
        work.isListed = false;
    }

    /** Returns whether it is the scope of the run itself. */
    boolean ofRun() {
        return owner == null;
    }

    /** Returns whether it is the scope of this coroutine, or of one that was started in that, and so on. */
    public boolean isWithin(Coroutine ancestor) {
        return owner != null && (owner == ancestor || owner.isWithin(ancestor));
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Cancels the work that can be cancelled from outside. */
    void cancel(String why) {
        cancel(why, null);
    }

    /** Cancels the work that can be cancelled from outside, but for one. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    void cancel(String why, @Nullable OpenOperation but) {
        List<OpenOperation> all = new ArrayList<>();
        for (OpenOperation work = first; work != null; work = work.after) {
            all.add(work);
        }
        for (OpenOperation work : all) {
            if (work != but && !work.shielded()) {
                work.cancel(why);
            }
        }
    }
}
